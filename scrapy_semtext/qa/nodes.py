"""The nodes of one page: the group-3 elements that hold text, each with the range of blocks inside it.

Blocks are those of the search phase of SCS (`scrapy_semtext.dom.segmentation.search`), before blocks are combined, so
that each belongs to one element. Nodes stand in document order, parents before their children; the blocks of a node are
the range ``first`` to ``last`` (exclusive). Features of nodes are computed for a batch of pages at once, see
`scrapy_semtext.qa.node_table`.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.scope_tree import ScopeTree
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.qa.faq_text import OPENS_AS_QUESTION, asking_texts
from scrapy_semtext.qa.node_table import NodeTable
from scrapy_semtext.text.words import attribute_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.text.words import AttributeWords
    from scrapy_semtext.utils.arrays import Floats, Ints


#: Elements that hold the question of a pair, whatever it says, and those that may hold one without a question mark.
SUMMARY, _TITLES = "summary", {**HEADING_LEVELS, "summary": 7, "dt": 8, "button": 8}
_LONGEST_TITLE = 160


def _of_table(name: str) -> cached_property[Ints]:
    """A table's column of signatures as far as it is about a page, numbered from 0 on; (nodes,)."""

    def column(nodes: PageNodes) -> Ints:
        table, number = nodes._placed or (share_table([nodes]), 0)
        begin, end = table.node_starts[number : number + 2].tolist()
        numbers = getattr(table, name)[begin:end]
        own: Ints = numbers - numbers.min(initial=len(table))
        return own

    return cached_property(column)


def _list_of(name: str, *, by_block: bool = False) -> cached_property[list[int]]:
    """A column of a page as a list; ``by_block``: of the node that each block stands in."""

    def listed(nodes: PageNodes) -> list[int]:
        column = getattr(nodes, name)
        values: list[int] = (column[nodes.innermost] if by_block else column).tolist()
        return values

    return cached_property(listed)


class PageNodes:
    """The nodes of one page.

    ``layout`` is the scope tree of the blocks, ``scopes`` are the nodes' elements; ``first``, ``last``, ``parent`` (-1
    for the root) and ``depth`` are int64, (nodes,); ``firsts``, ``lasts`` and ``parents`` are the same as lists, in
    which single nodes are looked up faster. What costs more is computed on first use: most pages never need it.
    """

    firsts, lasts, parents = _list_of("first"), _list_of("last"), _list_of("parent")
    #: The number in `tag_paths` of the node that each block stands in, and the level of its heading, 0 if in none.
    block_paths, block_headings = _list_of("tag_paths", by_block=True), _list_of("node_headings", by_block=True)
    #: Those of `NodeTable` of this page; (nodes,) each.
    signatures, near_signatures = _of_table("signatures"), _of_table("near_signatures")
    own_signatures, ordinal_signatures = _of_table("own_signatures"), _of_table("ordinal_signatures")
    tag_paths, tag_numbers = _of_table("tag_paths"), _of_table("tag_numbers")

    def __init__(self, root: Any, blocks: Sequence[TextBlock], layout: ScopeTree | None = None) -> None:
        """``root`` is the page's tree, ``blocks`` its blocks before they are combined. Time is linear in the page.

        ``layout`` is the scope tree of the blocks, if it is known.
        """
        self.blocks = list(blocks)
        #: The text of each block.
        self.texts = [block.text for block in self.blocks]
        self.root = root
        self._placed: tuple[NodeTable, int] | None = None  # the table of a batch, and the number of this page in it
        self.layout = layout = layout or ScopeTree(blocks)
        self.scopes = layout.scopes
        self.first, self.last, self.depth = layout.first, layout.last, layout.depth
        self.parent = layout.parent.copy()
        self.parent[:1] = -1
        #: The node that each block stands in; (blocks,).
        self.innermost = layout.of_block

    def __len__(self) -> int:
        return len(self.scopes)

    def text(self, node: int) -> str:
        """The text of a node, its blocks on lines of their own."""
        return "\n".join(self.texts[self.firsts[node] : self.lasts[node]])

    def path(self, node: int, levels: int) -> list[int]:
        """The node and those around it, from the inside out, at most ``levels``."""
        path: list[int] = []
        parents = self.parents
        while node >= 0 and levels > 0:
            path.append(node)
            node, levels = parents[node], levels - 1
        return path

    def names_near(self, nodes: Sequence[int], levels: int) -> set[str]:
        """The words of the class and id names on the paths of these nodes, ``levels`` elements up."""
        paths = {inner for node in nodes for inner in self.path(int(node), levels)}
        names = {self.scopes[inner].names for inner in paths} - {""}
        return set().union(*[attribute_words(each).every for each in names])

    @cached_property
    def asking(self) -> list[bool]:
        """Whether each block asks: a line ends in a question mark, or it is a summary or a title that opens so."""
        asking = asking_texts(self.texts)
        titles = self._within(_TITLES)[self.innermost]
        for place in np.flatnonzero(titles).tolist():
            if not asking[place] and 1 < len(text := self.texts[place]) <= _LONGEST_TITLE:
                asking[place] = bool(titles[place] == _TITLES[SUMMARY] or OPENS_AS_QUESTION.begins(text))
        return asking

    @cached_property
    def chars(self) -> Floats:
        """The running sum of the characters of the blocks; (blocks + 1,)."""
        return np.append(0.0, np.cumsum([len(text) for text in self.texts], dtype=np.float64))

    @cached_property
    def node_headings(self) -> Ints:
        """The level of the heading that each node is, or is in by one or two elements; 0 if in none; (nodes,)."""
        return self._within(HEADING_LEVELS)

    def _within(self, numbers: Mapping[str, int]) -> Ints:
        """The number of the tag of each node, or of one of the two elements around it; 0 if none has one; (nodes,)."""
        types, parent = self.layout.element_types, self.layout.parent
        own = np.array([numbers.get(tag, 0) for tag in types.tags], dtype=np.int64)
        own = own[types.of_scope]
        around = own[parent]
        levels: Ints = np.where(own, own, np.where(around, around, around[parent]))
        return levels

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all class and id names of the page."""
        return words_of(self.layout.element_types.words)


def share_table(pages: Sequence[PageNodes]) -> NodeTable:
    """Put the nodes of some pages, at least one, into one table, which the pages take their signatures from."""
    table = NodeTable([page.root for page in pages], [page.layout for page in pages], [page.blocks for page in pages])
    for number, page in enumerate(pages):
        page._placed = table, number
    return table


def share_signatures(pages: Sequence[PageNodes]) -> None:
    """Have the signatures of pages that are in no table computed together."""
    if alone := [page for page in pages if page._placed is None]:
        share_table(alone)


def disjoint(members: list[int], first: Ints, last: Ints, most: int = sys.maxsize) -> tuple[int, ...]:
    """Those of the members, numbers in page order, that are not inside one before; at most so many.

    ``first`` and ``last`` are the ranges of blocks that the numbers stand for.
    """
    found: list[int] = []
    covered = 0
    begins, ends = first[members].tolist() if members else [], last[members].tolist() if members else []
    for member, begin, end in zip(members, begins, ends, strict=True):
        if begin >= covered and len(found) < most:
            found.append(member)
            covered = end
    return tuple(found)


def words_of(names: Iterable[AttributeWords]) -> frozenset[str]:
    """The words of the class and id names of several elements together."""
    return frozenset().union(*[words.every for words in names])
