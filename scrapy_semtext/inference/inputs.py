"""From a page's blocks to what the network takes: word strings and numbers, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: The words of a string, in order.
WordString = tuple[str, ...]


@dataclass(slots=True)
class PageInput:
    """The blocks of a page, or of a sequence cut from it: a tag, a name and a text string each, and the numbers.

    ``numbers`` is float32, (blocks, features), as `scrapy_semtext.features.block_features.numbers` gives them.
    """

    tags: list[WordString]
    names: list[WordString]
    text: list[WordString]
    numbers: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.tags)

    def cut(self, begin: int, end: int) -> PageInput:
        """The blocks from ``begin`` up to ``end`` alone."""
        part = slice(begin, end)
        return PageInput(self.tags[part], self.names[part], self.text[part], self.numbers[part])


def sequences(blocks: int, longest: int | None) -> list[tuple[int, int]]:
    """Cut a page into the fewest sequences of at most ``longest`` blocks, as even as can be (paper, IV-B).

    Gives (begin, end) of each; a page without blocks has none.
    """
    if not blocks:
        return []
    count = 1 if longest is None else -(-blocks // longest)
    edges = [blocks * part // count for part in range(count + 1)]
    return list(pairwise(edges))
