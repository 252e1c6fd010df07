"""How sure the model is of a page, and which pages are the most doubtful, to look at these first."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.page import Page
    from scrapy_semtext.viewer.index import IndexRow


def confidence(page: Page) -> float:
    """Return the expected share of the page's words whose label is right (0 to 1), by the model's own probabilities.

    A word counts with the probability of the label that its block was given: p for main content, 1 - p for boilerplate.
    It is 0 for a page without words, as such a page should be looked at.
    """
    blocks = page.blocks
    words = word_counts([block.text for block in blocks])
    total = float(words.sum()) if blocks else 0.0
    if not total:
        return 0.0
    probabilities = np.array([block.probability for block in blocks])
    right = np.where([block.is_main for block in blocks], probabilities, 1 - probabilities)
    return float(np.clip(right @ words / total, 0.0, 1.0))


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
