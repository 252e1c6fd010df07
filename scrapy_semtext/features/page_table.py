"""A batch of pages as columns, which numpy computes for all blocks of all pages at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar, overload

import numpy as np

from scrapy_semtext.dom.scope_tree import ScopeTree
from scrapy_semtext.features.block_features import block_features, text_ids
from scrapy_semtext.features.parsed_page import ParsedPage
from scrapy_semtext.features.structure_features import BlockTable, first_maximum, totals_of, write_above
from scrapy_semtext.text.characters import Characters
from scrapy_semtext.text.words import stop_words

if TYPE_CHECKING:
    from lxml import etree
    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Floats, Hashes, Ints, Singles

    Kind = TypeVar("Kind", bound=np.generic)

_NAMES = frozenset(("description", "og:description"))
# The minimum length of words that are compared; shorter ones are mostly function words.
_LONG = 4
# The number of characters of a block that are compared.
_COMPARED = 1500
# The numbers of levels above a block at which its ancestors are described.
_LEVELS = (0, 1, 2, 3, 4, 6)
# The share of the description's words from which a block counts as containing the description.
_FOUND = 0.4
_NOT_FOUND = -999.0
_KEY_SALT, _HASH_SALT = 0x9E37, np.uint64(0x9E3779B97F4A7C15)


class Description(NamedTuple):
    """A page's description compared with its blocks.

    ``text``: the description, "" if missing; ``share``: (blocks,), the share of each block's words that the description
    has, 0 to 1; ``coverage``: (blocks,), the share of the description's distinct words that each block has, 0 to 1.
    """

    text: str
    share: Floats
    coverage: Floats


def descriptions_of(
    metas: Sequence[Iterable[etree._Element]], characters: Characters, starts: Ints
) -> list[Description]:
    """Return the description of each page (the longest if there are several) and compare its blocks with it.

    ``metas``: elements of each page, including all of its <meta>; ``characters``: those of the text blocks of all
    pages; ``starts``: (pages + 1,), where the blocks of each page begin. Words are compared by hashes in lower case.
    """
    texts = [max(_descriptions(each), key=len, default="") for each in metas]
    page_of_block = np.repeat(np.arange(len(texts)), np.diff(starts))
    begin, end, block = _long_words(characters, _COMPARED)
    counts = np.bincount(block, minlength=len(page_of_block))
    described = Characters(texts)
    wanted_begin, wanted_end, wanted_page = _long_words(described)
    # most other words differ in length, first or last letter, or are on other pages
    may_be_wanted = np.zeros(1 << 16, dtype=np.bool_)
    may_be_wanted[_keys_of_page(described.word_keys(wanted_begin, wanted_end), wanted_page)] = True
    alike = np.flatnonzero(may_be_wanted.take(_keys_of_page(characters.word_keys(begin, end), page_of_block[block])))
    block = block[alike]
    hashes = _hashes_of_page(characters.word_hashes(begin[alike], end[alike]), page_of_block[block])
    wanted, first = np.unique(
        _hashes_of_page(described.word_hashes(wanted_begin, wanted_end), wanted_page), return_index=True
    )
    word = np.searchsorted(wanted, hashes)
    found = np.flatnonzero(np.append(wanted, np.uint64(0))[word] == hashes)
    block, word = block[found], word[found]
    matches = np.bincount(block, minlength=len(counts))
    size = max(len(wanted), 1)
    distinct = np.bincount(np.unique(block * size + word) // size, minlength=len(counts))
    words_of_page = np.bincount(wanted_page[first], minlength=len(texts))
    share = matches / np.maximum(counts, 1)
    coverage = distinct / np.maximum(words_of_page, 1)[page_of_block]
    return [
        Description(text, share[start:stop], coverage[start:stop])
        for text, (start, stop) in zip(texts, pairwise(starts.tolist()), strict=True)
    ]


def _long_words(characters: Characters, compared: int | None = None) -> tuple[Ints, Ints, Ints]:
    """Return the begins, ends and lines of long words, (words,) each; only within the first ``compared`` characters."""
    begin, end = characters.words
    long = np.flatnonzero(end - begin >= _LONG)
    begin, end = begin[long], end[long]
    line = characters.lines_of(begin)
    if compared is not None and characters.lengths.max(initial=0) > compared:
        end = np.minimum(end, characters.starts[line] + compared)
        long = np.flatnonzero(end - begin >= _LONG)
        begin, end, line = begin[long], end[long], line[long]
    return begin, end, line


def _keys_of_page(keys: Ints, page: Ints) -> Ints:
    """Return keys of words combined with their pages, below 2**16."""
    salted: Ints = keys + page * _KEY_SALT & 0xFFFF
    return salted


def _hashes_of_page(hashes: Hashes, page: Ints) -> Hashes:
    """Return hashes of words combined with their pages, so that they are equal only for equal words of one page."""
    salted: Hashes = hashes ^ page.astype(np.uint64) * _HASH_SALT
    return salted


def _descriptions(metas: Iterable[etree._Element]) -> Iterator[str]:
    for meta in metas:
        if (meta.get("name") or "").lower() in _NAMES or meta.get("property") == "og:description":
            yield meta.get("content") or ""


#: The share of a block's words that the description has, and of the description's words that the block has; the
#: distance in blocks from the block with most of them, and that block's share; and the sum of those shares over the
#: blocks of the elements above.
DESCRIPTION_COLUMNS = (
    *(f"description_{name}" for name in ("share", "coverage", "distance", "found")),
    *(f"description^{level}" for level in _LEVELS),
)


def write_description_columns(descriptions: Sequence[Description], tree: ScopeTree, out: Singles) -> None:
    """Write the description columns of the blocks of pages into ``out``, (10, blocks).

    ``descriptions``: one for each page; ``tree`` is the tree of the blocks, at least one per page.
    """
    coverage = np.concatenate([description.coverage for description in descriptions])
    page = tree.page_of_block
    best, most = first_maximum(coverage, page, len(descriptions))
    found = most >= _FOUND
    out[0] = np.concatenate([description.share for description in descriptions])
    out[1] = coverage
    out[2] = np.where(found[page], np.arange(len(coverage)) - best[page], _NOT_FOUND)
    out[3] = np.where(found, most, 0.0)[page]
    write_above(tree, totals_of(tree, coverage[None]).astype(np.float32), _LEVELS, out[4:])


class PageTable(Sequence[ParsedPage]):
    """A batch of pages, and the blocks of all pages with text as columns, page after page.

    As a sequence it contains all pages. Everything else covers only the ``pages`` with text; the others have no
    columns. Each column is computed once, on first use.
    """

    def __init__(self, pages: Sequence[ParsedPage]) -> None:
        self._all = pages
        self.pages = [page for page in pages if page.text_blocks]

    @classmethod
    def of(cls, pages: Sequence[ParsedPage]) -> PageTable:
        """Return the pages as a table; a table is returned unchanged."""
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
        """Split a column, (blocks, ...), into one array for each page of the sequence, empty for those without text."""
        ends = np.cumsum([0, *(len(page.text_blocks) for page in self._all)]).tolist()
        return [column[begin:end] for begin, end in pairwise(ends)]

    @cached_property
    def starts(self) -> Ints:
        """Where the text blocks of each page begin, followed by their number; (pages + 1,)."""
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
        """The scopes of all pages, with their raw blocks."""
        return ScopeTree.concatenated([page.raw_tree for page in self.pages])

    @cached_property
    def tree(self) -> ScopeTree:
        """The scopes of all pages, with their text blocks."""
        raw = self.raw_tree
        starts = [page.starts + begin for page, begin in zip(self.pages, raw.block_starts.tolist(), strict=False)]
        return raw.of_joined(np.concatenate(starts))

    @cached_property
    def block_features(self) -> Singles:
        """The numeric features of the text blocks, (blocks, FEATURES); each page caches its own part."""
        titles, stop = [page.title for page in self.pages], [stop_words(page.lang) for page in self.pages]
        features = block_features(self.blocks, self.tree, self.text_ids, titles, stop)
        for page, part in zip(self._all, self.split(features), strict=True):
            page._block_features = part
        return features

    @cached_property
    def word_counts(self) -> Floats:
        """The number of words of each text block, (blocks,); each page caches its own part."""
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
        metas = [[element for element, tag, *_ in page.elements.naming if tag == "meta"] for page in self.pages]
        return descriptions_of(metas, self.characters, self.starts)

    @cached_property
    def text_ids(self) -> Ints:
        """An index for each text block, equal for equal texts of one page; (blocks,)."""
        return text_ids(self.texts, self.starts)

    @cached_property
    def block_table(self) -> BlockTable:
        """Sums over the blocks of each scope, and the path to the prose of each page."""
        return BlockTable(self.texts, self.blocks, self.tree, self.block_features)
