"""A batch of pages as columns: what is computed by numpy for all blocks of all pages at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from scrapy_semtext.dom.scope_tree import ScopeTree
from scrapy_semtext.features.block_features import block_features, text_ids
from scrapy_semtext.features.block_table import BlockTable
from scrapy_semtext.features.description import descriptions_of
from scrapy_semtext.features.parsed_page import ParsedPage
from scrapy_semtext.text.characters import Characters
from scrapy_semtext.text.words import stop_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.description import Description
    from scrapy_semtext.utils.arrays import Floats, Ints, Singles

    Kind = TypeVar("Kind", bound=np.generic)


class PageTable(Sequence[ParsedPage]):
    """A batch of pages, and the blocks of all that have text as columns, page after page.

    As a sequence it holds all pages. Everything else is of the ``pages`` that have text; the others have no columns.
    Each column is computed once, when it is first used.
    """

    def __init__(self, pages: Sequence[ParsedPage]) -> None:
        self._all = pages
        self.pages = [page for page in pages if page.text_blocks]

    @classmethod
    def of(cls, pages: Sequence[ParsedPage]) -> PageTable:
        """Return the pages as a table: themselves if they are one."""
        return pages if isinstance(pages, PageTable) else cls(pages)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> ParsedPage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ParsedPage]: ...
    def __getitem__(self, index: int | slice) -> ParsedPage | Sequence[ParsedPage]:
        return self._all[index]

    def split(self, column: NDArray[Kind]) -> list[NDArray[Kind]]:
        """Cut a column, (blocks, ...), into one array for each page of the sequence, empty for those without text."""
        ends = np.cumsum([0, *(len(page.text_blocks) for page in self._all)]).tolist()
        return [column[begin:end] for begin, end in pairwise(ends)]

    @cached_property
    def starts(self) -> Ints:
        """Where the text blocks of each page begin, and their number; (pages + 1,)."""
        return np.cumsum([0, *(len(page.text_blocks) for page in self.pages)])

    @cached_property
    def blocks(self) -> list[TextBlock]:
        """The text blocks of the pages."""
        return [*chain.from_iterable(page.text_blocks for page in self.pages)]

    @cached_property
    def texts(self) -> list[str]:
        """The text of each text block."""
        return [block.text for block in self.blocks]

    def texts_of_pages(self) -> list[list[str]]:
        """The texts of the text blocks of each page."""
        return [self.texts[begin:end] for begin, end in pairwise(self.starts.tolist())]

    @cached_property
    def raw_tree(self) -> ScopeTree:
        """The scopes of all pages with their raw blocks."""
        return ScopeTree.concatenated([page.raw_tree for page in self.pages])

    @cached_property
    def tree(self) -> ScopeTree:
        """The scopes of all pages with their text blocks."""
        raw = self.raw_tree
        starts = [page.starts + begin for page, begin in zip(self.pages, raw.block_starts.tolist(), strict=False)]
        return raw.of_joined(np.concatenate(starts))

    @cached_property
    def block_features(self) -> Singles:
        """The numeric features of the text blocks, (blocks, FEATURES); each page keeps its own part."""
        titles, stop = [page.title for page in self.pages], [stop_words(page.lang) for page in self.pages]
        features = block_features(self.blocks, self.tree, self.text_ids, titles, stop)
        for page, part in zip(self._all, self.split(features), strict=True):
            page._block_features = part
        return features

    @cached_property
    def word_counts(self) -> Floats:
        """The number of words of each text block, (blocks,); each page keeps its own part."""
        counts = self.characters.word_counts()
        for page, part in zip(self._all, self.split(counts), strict=True):
            page._word_counts = part
        return counts

    @cached_property
    def characters(self) -> Characters:
        """The characters of the text blocks, at least one."""
        return Characters(self.texts)

    @cached_property
    def descriptions(self) -> list[Description]:
        """The description of each page, compared with its text blocks."""
        return descriptions_of([page.metas() for page in self.pages], self.characters, self.starts)

    @cached_property
    def text_ids(self) -> Ints:
        """An index for each text block, the same for equal texts of one page; (blocks,)."""
        return text_ids(self.texts, self.starts)

    @cached_property
    def block_table(self) -> BlockTable:
        """Sums over the blocks of each scope, and the path to the prose of each page."""
        return BlockTable(self.texts, self.blocks, self.tree, self.block_features)
