"""Which pages of a large crawl are worth a look: those that the model was least sure of."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.viewer.index import IndexRow


def rank_of(row: IndexRow) -> float:
    """Return the place of a page in the order in which pages are kept, the lowest first.

    Pages that could not be read come first, then those with main text by their confidence; lists, and pages without
    main text, come last.
    """
    if row.confidence is None:
        return -1.0
    return row.confidence + (row.words == 0 or row.records > 0)


class LeastSure:
    """The names of the ``most`` pages with the lowest ranks, of those that were added."""

    def __init__(self, most: int, rows: Iterable[tuple[str, IndexRow]] = ()) -> None:
        self._most = most
        self._heap = [(-rank_of(row), name) for name, row in rows]  # the surest on top
        heapq.heapify(self._heap)

    @property
    def limit(self) -> float:
        """The rank from which on a page is not kept."""
        return -self._heap[0][0] if len(self._heap) >= self._most else float("inf")

    def add(self, name: str, row: IndexRow) -> str | None:
        """Add a page; return the name of the one that makes way, perhaps its own, None if there is room."""
        entry = (-rank_of(row), name)
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, entry)
            return None
        return heapq.heappushpop(self._heap, entry)[1]
