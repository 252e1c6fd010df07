"""HTML to a tree and its text blocks: the first half of the way, which all labellers and their training share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.elements import elements_of
from scrapy_semtext.dom.scope_tree import ScopeTree
from scrapy_semtext.dom.segmentation import combined, search
from scrapy_semtext.features.block_features import FEATURES, block_features
from scrapy_semtext.features.block_table import BlockTable
from scrapy_semtext.features.description import description_of
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.text.words import stop_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.elements import Elements
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.description import Description
    from scrapy_semtext.features.post_features import PostEvidence
    from scrapy_semtext.qa.reader import PostSearch


@dataclass(slots=True)
class ParsedPage:
    """A page's tree, its text blocks in page order, and what it says of itself.

    ``elements`` are what one look through the tree found, ``raw_blocks`` the blocks of the search phase, of which
    ``text_blocks`` were combined. ``title`` is the text of its <title>, "" without one; ``lang`` its language
    tag, None if it states none; ``url`` its address, if known. ``found`` is what was found of posts, and ``posts``
    where the text blocks stand among them; both None before these are looked for (`scrapy_semtext.qa.reader`),
    and on a page without any.
    """

    root: Any
    elements: Elements
    raw_blocks: list[TextBlock]
    text_blocks: list[TextBlock]
    title: str
    lang: str | None
    url: str | None = None
    found: PostSearch | None = None
    posts: PostEvidence | None = None
    _block_features: NDArray[np.float32] | None = None
    _layout: ScopeTree | None = None
    _table: BlockTable | None = None
    _description: Description | None = None
    _word_counts: NDArray[np.float64] | None = None

    def block_features(self) -> NDArray[np.float32]:
        """The plain numbers of the text blocks, (blocks, FEATURES), computed once (see `scrapy_semtext.features.block_features`)."""
        if self._block_features is None and self.text_blocks:
            self._block_features = block_features(self.text_blocks, self.layout(), self.title, stop_words(self.lang))
        return np.zeros((0, len(FEATURES)), dtype=np.float32) if self._block_features is None else self._block_features

    def word_counts(self) -> NDArray[np.float64]:
        """How many words each text block has, (blocks,), counted once (see `scrapy_semtext.inference.decision`)."""
        if self._word_counts is None:
            self._word_counts = word_counts([block.text for block in self.text_blocks])
        return self._word_counts

    def description(self) -> Description:
        """The page's own description, compared with its text blocks once (see `scrapy_semtext.features.description`)."""
        if self._description is None:
            metas = [element for element, tag, *_ in self.elements.naming if tag == "meta"]
            self._description = description_of(metas, [block.text for block in self.text_blocks])
        return self._description

    def layout(self) -> ScopeTree:
        """The elements around the text blocks, of which there has to be one; looked at once."""
        if self._layout is None:
            self._layout = ScopeTree(self.text_blocks)
        return self._layout

    def table(self) -> BlockTable:
        """The text blocks as arrays, of which there has to be one; made once."""
        if self._table is None:
            self._table = BlockTable(self.text_blocks, self.layout(), self.block_features())
        return self._table


def describe(html: str, url: str | None, parsed: tree.ParsedHTML | None = None) -> ParsedPage:
    """Parse a page, unless ``parsed`` is its tree, and cut it into blocks; any text will do."""
    root = tree.parse_or_reuse(html, url, parsed)
    raw_blocks = search(root)
    elements = elements_of(root, url)
    title = next((element.text for element, tag, *_ in elements.naming if tag == "title"), None)
    return ParsedPage(root, elements, raw_blocks, combined(raw_blocks), title or "", tree.language(root), url)
