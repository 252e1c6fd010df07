"""Which page an item belongs to, from the spider's callback to the item pipeline."""

from __future__ import annotations

import itertools
import weakref
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy import Item

if TYPE_CHECKING:
    from scrapy.http import Response

    from scrapy_semtext.integration.pages import NoPage
    from scrapy_semtext.page import Page
    from scrapy_semtext.qa.pair_rows import PairOfPage

    LinkTarget: TypeAlias = "Page | NoPage | PairOfPage | DroppedOverview"


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
