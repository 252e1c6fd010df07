"""The inputs of the network: word strings and features of the blocks of a page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_semtext.utils.arrays import Singles

#: The words of a string, in order.
WordString = tuple[str, ...]


@dataclass(slots=True)
class PageInput:
    """The blocks of a page, or of a sequence cut from it: a tag, a name and a text string for each, and its features.

    ``features``: (blocks, features), float32, of `scrapy_semtext.features.block_features.FEATURES`.
    """

    tags: list[WordString]
    names: list[WordString]
    text: list[WordString]
    features: Singles

    def __len__(self) -> int:
        return len(self.tags)

    def cut(self, begin: int, end: int) -> PageInput:
        """Return the blocks from ``begin`` to ``end`` (exclusive)."""
        part = slice(begin, end)
        return PageInput(self.tags[part], self.names[part], self.text[part], self.features[part])


def sequences(blocks: int, longest: int | None) -> list[tuple[int, int]]:
    """Split a page into the fewest sequences of at most ``longest`` blocks, of nearly equal length (paper, IV-B).

    Returns (begin, end) of each; a page without blocks has none.
    """
    if not blocks:
        return []
    count = 1 if longest is None else -(-blocks // longest)
    edges = [blocks * part // count for part in range(count + 1)]
    return list(pairwise(edges))
