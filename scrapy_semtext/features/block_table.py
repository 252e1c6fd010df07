"""A page's text blocks as arrays, with what the elements around them hold: what its trees and its kind are told by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.block_features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock

#: Lines of `BlockTable.totals`.
CHARS, LINKS, BLOCKS, PROSE_CHARS, HEADINGS, SENTENCES, PROSE = range(7)

# Prose is a block of at least so many words, outside links for the most part.
_PROSE_WORDS, _PROSE_LINKS = 12, 0.3
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_WORD_COLUMN, _SENTENCE_COLUMN = FEATURES.index("log_words"), FEATURES.index("log_sentence_ends")


class BlockTable:
    """The blocks of one page that has some, and the scopes of its layout.

    ``chars``, ``links`` (characters in links), ``words``: float64, (blocks,); ``headings``: int64, (blocks,), the level
    of the heading that a block is, or 0; ``prose``: bool, (blocks,); ``totals``: float64, (7, scopes), the sums over
    the blocks inside; ``path``: the scopes from the root to where the prose is. ``numbers`` are those of
    `scrapy_semtext.features.block_features`.
    """

    def __init__(
        self,
        blocks: Sequence[TextBlock],
        layout: ScopeTree,
        numbers: NDArray[np.float32],
        widths: NDArray[np.float64] | None = None,
    ) -> None:
        """``widths``: (blocks,), how many characters one of each block counts as; one if it is None."""
        self.layout = layout
        self.numbers = numbers
        texts, links = [block.text for block in blocks], [block.link_chars for block in blocks]
        columns = np.empty((7, len(blocks)))
        self.chars, self.links = columns[CHARS], columns[LINKS]
        self.headings = np.empty(len(blocks), dtype=np.int64)
        self.words = np.expm1(numbers[:, _WORD_COLUMN].astype(np.float64))
        np.expm1(numbers[:, _SENTENCE_COLUMN].astype(np.float64), out=columns[SENTENCES])
        self._write_columns(texts, links, columns)
        if widths is not None:
            columns[[CHARS, LINKS, PROSE_CHARS]] *= widths
        self.prose = columns[PROSE] > 0
        self.totals = totals_of(layout, columns)
        self.path = layout.heaviest_path(self.totals[PROSE_CHARS])

    def _write_columns(self, texts: list[str], links: list[int], columns: NDArray[np.float64]) -> None:
        """Write the columns that `totals` sums up, (7, blocks), but for SENTENCES; and ``headings``."""
        layout = self.layout
        level_of_look = np.array([_HEADINGS.get(tag, 0) for tag in layout.tags])
        self.headings[:] = level_of_look[layout.looks.of_scope[layout.of_block]]
        columns[CHARS] = list(map(len, texts))
        columns[LINKS] = links
        columns[BLOCKS] = 1
        columns[PROSE] = (self.words > _PROSE_WORDS - 0.5) & (self.links < _PROSE_LINKS * self.chars)
        np.multiply(self.chars, columns[PROSE], out=columns[PROSE_CHARS])
        columns[HEADINGS] = self.headings > 0


def totals_of(layout: ScopeTree, columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of block columns, (columns, blocks), over the blocks inside each scope, (columns, scopes)."""
    return np.ascontiguousarray(layout.totals(columns.T).T)
