"""The text blocks of a batch of pages as arrays, with sums by element and maxima by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.utils.arrays import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Singles


def first_maximum(values: NDArray[Any], page: Ints, pages: int) -> tuple[Ints, Floats]:
    """Return the index of the first greatest value of each page, and that value; (pages,) each.

    ``page``: (values,), the page of each value. Pages without values get -1 and minus infinity.
    """
    most = np.full(pages, -np.inf)
    np.maximum.at(most, page, values)
    places = np.flatnonzero(values == most[page])[::-1]
    first = np.full(pages, -1)
    first[page[places]] = places  # if an index occurs several times, numpy keeps the last value
    return first, most


#: Rows of `BlockTable.totals`.
CHARS, LINKS, BLOCKS, PROSE_CHARS, HEADINGS, SENTENCES, PROSE = range(7)

# Prose is a block of at least this many words, with at most this share of link characters.
_PROSE_WORDS, _PROSE_LINKS = 12, 0.3
_WORD_COLUMN, _SENTENCE_COLUMN = FEATURES.index("log_words"), FEATURES.index("log_sentence_ends")


class BlockTable:
    """The blocks of pages with text, and the scopes of their tree.

    ``chars``, ``links`` (characters in links), ``words``: float64, (blocks,); ``headings``: int64, (blocks,), the level
    of the heading that a block is, or 0; ``prose``: bool, (blocks,); ``totals``: float64, (7, scopes), the sums over
    the blocks inside; ``path``: int64, the scopes from the root of each page to where its prose is, in order of depth;
    ``path_end``: int64, (pages,), the last of these. ``features``: those of `block_features`, (blocks, FEATURES).
    """

    def __init__(
        self,
        texts: Sequence[str],
        blocks: Sequence[TextBlock],
        tree: ScopeTree,
        features: Singles,
        widths: Floats | None = None,
    ) -> None:
        """``widths``: (blocks,), the weight of a character of each block; None means one."""
        self.tree = tree
        self.features = features
        columns = np.empty((7, len(blocks)))
        self.chars, self.links = columns[CHARS], columns[LINKS]
        self.words = np.expm1(features[:, _WORD_COLUMN].astype(np.float64))
        self.headings = tree.element_types.by_tag(HEADING_LEVELS)[tree.of_block]
        columns[CHARS] = list(map(len, texts))
        columns[LINKS] = [block.link_chars for block in blocks]
        columns[BLOCKS] = 1
        columns[PROSE] = self.prose = (self.words > _PROSE_WORDS - 0.5) & (self.links < _PROSE_LINKS * self.chars)
        columns[PROSE_CHARS] = self.chars * self.prose
        columns[HEADINGS] = self.headings > 0
        columns[SENTENCES] = np.expm1(features[:, _SENTENCE_COLUMN].astype(np.float64))
        if widths is not None:
            columns[[CHARS, LINKS, PROSE_CHARS]] *= widths
        self.totals = totals_of(tree, columns)
        self.path = tree.heaviest_path(self.totals[PROSE_CHARS])
        self.path_end = np.empty(len(tree.roots), dtype=np.int64)
        self.path_end[tree.page_of_scope[self.path]] = self.path  # the last value for a page is the deepest scope

    def of_pages(self) -> Floats:
        """The totals of each page; (7, pages)."""
        return self.totals[:, self.tree.roots]


def totals_of(tree: ScopeTree, columns: Floats) -> Floats:
    """Sum block columns, (columns, blocks), over the blocks inside each scope; (columns, scopes)."""
    return np.ascontiguousarray(tree.totals(columns.T).T)
