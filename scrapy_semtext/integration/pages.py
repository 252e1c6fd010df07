"""Maps responses to the pages that were read from them, for as long as the response lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from scrapy.http import Request, Response

    from scrapy_semtext.page import Page


@dataclass(frozen=True, slots=True)
class NoPage:
    """A response has no page; ``reason`` is as in the stats ``semtext/pages/skipped/<reason>``, or ``error``."""

    reason: str


# A Response has __slots__, so a page cannot be an attribute of it; and request.meta is pickled by job directories and
# shared queues, so it should not hold one. Both maps have weak keys: a page lives as long as its response.
_of_response: WeakKeyDictionary[Response, Page | NoPage] = WeakKeyDictionary()
_of_request: WeakKeyDictionary[Request, tuple[int, Page | NoPage]] = WeakKeyDictionary()


def page_of(response: Response) -> Page | None:
    """Return the page that was read from a response, with its blocks and their probabilities.

    None if the response was skipped (not HTML, empty, ``meta["semtext"] = False``...) or could not be read; the
    crawl's stats count both.
    """
    outcome = outcome_of(response)
    return None if isinstance(outcome, NoPage) else outcome


def outcome_of(response: Response) -> Page | NoPage | None:
    """Return a response's page, or why it has none; None if it was not processed.

    A copy of the response, as from ``response.replace()`` in another downloader middleware, is found by its request as
    long as its body is the same.
    """
    outcome = _of_response.get(response)
    if outcome is not None or response.request is None:
        return outcome
    known = _of_request.get(response.request)
    return known[1] if known is not None and known[0] == hash(response.body) else None


def remember(outcome: Page | NoPage, response: Response, request: Request) -> None:
    """Store the outcome of a response for as long as the response, or its request, lives."""
    _of_response[response] = outcome
    _of_request[request] = (hash(response.body), outcome)


def use_page(response: Response, page: Page) -> None:
    """Replace the page of a response, for instance by the merged pages of a thread.

    Items that the response's callback yields from then on are filled from ``page``, and page_of returns it.
    """
    _of_response[response] = page
