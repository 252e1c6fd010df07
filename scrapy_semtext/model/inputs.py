"""From a page's blocks to what the network takes: word strings and numbers, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from scrapy_semtext.block_words import words_of_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described
    from scrapy_semtext.model.config import NetworkConfig

#: The words of a string, in order.
WordString = tuple[str, ...]


@dataclass(slots=True)
class PageInput:
    """The blocks of a page, or of a sequence cut from it: a tag, a name and a text string each, and the numbers.

    ``numbers`` is float32, (blocks, features), as `scrapy_semtext.features.numbers` gives them.
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


def page_input(page: Described, config: NetworkConfig) -> PageInput:
    """Describe a page's blocks for a network of this configuration."""
    if not page.text_blocks:
        return PageInput([], [], [], page.numbers())
    words = words_of_blocks(page.text_blocks, page.layout(), config.words, config.keep, page.lang)
    return PageInput(*words, page.numbers())


def sequences(blocks: int, longest: int | None) -> list[tuple[int, int]]:
    """Cut a page into the fewest sequences of at most ``longest`` blocks, as even as can be (paper, IV-B).

    Gives (begin, end) of each; a page without blocks has none.
    """
    if not blocks:
        return []
    count = 1 if longest is None else -(-blocks // longest)
    edges = [blocks * part // count for part in range(count + 1)]
    return list(pairwise(edges))
