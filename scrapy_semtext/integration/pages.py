"""Maps responses to the pages that were read from them, and items to their pages, as long as the response lives."""

from __future__ import annotations

import itertools
import weakref
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from scrapy import Item

if TYPE_CHECKING:
    from scrapy.http import Request, Response

    from scrapy_semtext.page import Page
    from scrapy_semtext.qa.pair_rows import PairOfPage

    LinkTarget: TypeAlias = "Page | NoPage | PairOfPage | DroppedOverview"


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


@dataclass(frozen=True, slots=True)
class DroppedOverview:
    """Links an item to an overview page whose items are to be dropped."""

    page: Page


class ItemLinks:
    """Maps items to their pages, from the spider's callback to the item pipeline.

    Items of some types are neither hashable nor weakly referable. Items are therefore identified by ``id()``, and
    kept alive until the pipeline takes the link, so that the id is not used again. The link of an item that never
    reaches the pipeline, because another component replaced or dropped it, ends with the response.
    """

    def __init__(self) -> None:
        self._links: dict[int, tuple[int, Any, LinkTarget]] = {}
        self._serials = itertools.count()

    def __len__(self) -> int:
        return len(self._links)

    def add(self, item: Any, target: LinkTarget, response: Response) -> None:
        """Link an item to a page, or to a pair of one, for as long as the response lives."""
        serial = next(self._serials)
        self._links[id(item)] = (serial, item, target)
        # The finalizer must refer neither to the item nor to the page: either may hold the response, which would then
        # never be freed.
        weakref.finalize(response, self._expire, id(item), serial).atexit = False

    def take(self, item: Any) -> LinkTarget | None:
        """Remove and return the link of an item; None if it has none."""
        link = self._links.pop(id(item), None)
        return None if link is None else link[2]

    def _expire(self, key: int, serial: int) -> None:
        link = self._links.get(key)
        if link is not None and link[0] == serial:
            del self._links[key]


def copy_item(item: Any) -> Any:
    """Return a shallow copy of an item."""
    # copy.copy() of a scrapy.Item shares its fields, and copy() of a pydantic model is deprecated.
    return item.copy() if isinstance(item, Item) else copy(item)
