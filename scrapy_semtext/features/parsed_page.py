"""From HTML to a tree and its text blocks: the first steps, shared by all labelers and their training."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.elements import Elements, elements_of
from scrapy_semtext.dom.joining import joined_blocks
from scrapy_semtext.dom.letters import needing_letters, runs_with_unseen, without_unseen, write_letters
from scrapy_semtext.dom.scope_tree import ScopeTree, blocks_with_tree
from scrapy_semtext.features.block_features import FEATURES, block_features, text_ids
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.text.words import stop_words

if TYPE_CHECKING:
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.post_features import PostEvidence
    from scrapy_semtext.utils.arrays import Floats, Ints, Singles


@dataclass(slots=True)
class ParsedPage:
    """A page's tree, its text blocks in page order, and its title, language and description.

    ``raw_blocks`` are the blocks of the search phase, ``raw_tree`` is their tree. ``text_blocks`` were joined from
    them: ``starts``, (text blocks,) int64, is the index of the first raw block of each. ``elements`` is the result of
    `elements_of`. ``title`` is the text of <title>, "" if missing; ``lang`` the page's language tag, None if it states
    none; ``url`` its URL, if known. ``posts``: the positions of the text blocks relative to the page's posts; None
    before the search for posts (`scrapy_semtext.qa.reader`) and on a page without posts.

    The properties compute their arrays once. `scrapy_semtext.features.page_table.PageTable` does so for batches.
    """

    root: Any
    elements: Elements
    raw_blocks: list[TextBlock]
    raw_tree: ScopeTree
    text_blocks: list[TextBlock]
    starts: Ints
    title: str
    lang: str | None
    url: str | None = None
    posts: PostEvidence | None = None
    _block_features: Singles | None = None
    _layout: ScopeTree | None = None
    _word_counts: Floats | None = None

    def block_features(self) -> Singles:
        """The numeric features of the text blocks, (blocks, FEATURES) (`scrapy_semtext.features.block_features`)."""
        if self._block_features is None:
            self._block_features = np.zeros((0, len(FEATURES)), dtype=np.float32)
            if self.text_blocks:
                tree = self.layout()
                ids = text_ids([block.text for block in self.text_blocks], tree.block_starts)
                stop = stop_words(self.lang)
                self._block_features = block_features(self.text_blocks, tree, ids, [self.title], [stop])
        return self._block_features

    def word_counts(self) -> Floats:
        """The number of words of each text block, (blocks,) (`scrapy_semtext.inference.scores`)."""
        if self._word_counts is None:
            self._word_counts = word_counts([block.text for block in self.text_blocks])
        return self._word_counts

    def layout(self) -> ScopeTree:
        """The tree of the text blocks; there must be at least one block."""
        if self._layout is None:
            self._layout = self.raw_tree.of_joined(self.starts)
        return self._layout


def describe(html: str, url: str | None, parsed: tree.ParsedHTML | None = None) -> ParsedPage:
    """Parse a page, or use its tree in ``parsed``, and split it into blocks; any text is accepted."""
    root = tree.parse_or_reuse(html, url, parsed)
    return _described(root, url, may_change=parsed is None or root is not parsed.root)


def _described(root: Any, url: str | None, *, may_change: bool) -> ParsedPage:
    """Split a tree into blocks; the tree is copied if it has to be changed but ``may_change`` is false."""
    elements = elements_of(root)
    lettered = needing_letters(elements.lettered)
    if lettered and not may_change:
        return _described(deepcopy(root), url, may_change=True)
    write_letters(lettered)
    raw_blocks, raw_tree = blocks_with_tree(root)
    if unseen := runs_with_unseen(raw_blocks):
        if not may_change:
            return _described(deepcopy(root), url, may_change=True)
        without_unseen(unseen)
        raw_blocks, raw_tree = blocks_with_tree(root)
    blocks, starts = joined_blocks(raw_blocks, raw_tree)
    title = next((element.text for element, tag, *_ in elements.naming if tag == "title"), None)
    return ParsedPage(root, elements, raw_blocks, raw_tree, blocks, starts, title or "", tree.language(root), url)
