"""Which page was read from which response, for as long as the response lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from scrapy.http import Request, Response

    from scrapy_semtext.page import Page


@dataclass(frozen=True, slots=True)
class NoPage:
    """Why a response has no page: a reason as in the stats ``semtext/pages/skipped/<reason>``, or ``error``."""

    reason: str


# A Response has __slots__, so nothing can be hung on it; and request.meta is pickled by job directories and shared
# queues, so nothing large belongs there. Both maps hold their keys weakly: a page is forgotten with its response.
_of_response: WeakKeyDictionary[Response, Page | NoPage] = WeakKeyDictionary()
_of_request: WeakKeyDictionary[Request, tuple[int, Page | NoPage]] = WeakKeyDictionary()


def page_of(response: Response) -> Page | None:
    """Return the page that was read from a response, with its blocks and their probabilities.

    None where the response was left alone (not HTML, empty, switched off by ``meta["semtext"] = False`` ...) or where
    reading it failed; the crawl's stats count both.
    """
    outcome = outcome_of(response)
    return None if isinstance(outcome, NoPage) else outcome


def outcome_of(response: Response) -> Page | NoPage | None:
    """Return what became of a response: its page, why it has none, or None where nobody tried to read it.

    A copy of the response (``response.replace(...)`` in a downloader middleware nearer to the engine) is recognised by
    its request as long as its body is the same; a response with another body is another page.
    """
    outcome = _of_response.get(response)
    if outcome is not None or response.request is None:
        return outcome
    known = _of_request.get(response.request)
    return known[1] if known is not None and known[0] == hash(response.body) else None


def remember(outcome: Page | NoPage, response: Response, request: Request) -> None:
    """Keep what became of a response for as long as the response, or the request it answers, is in use."""
    _of_response[response] = outcome
    _of_request[request] = (hash(response.body), outcome)


def use_page(response: Response, page: Page) -> None:
    """Have a page, such as the pages of a thread as one, stand for a response's own.

    The items that the response's callback yields from now on are filled from it, and page_of returns it.
    """
    _of_response[response] = page
