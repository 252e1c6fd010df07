"""The nodes of one page: the group-3 elements that contain text, each with the range of blocks inside it.

The blocks are those of the search phase of SCS (`scrapy_semtext.dom.segmentation.search`), before they are combined, so
that each belongs to one element. Nodes are in document order, parents before their children; the blocks of a node are
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


#: Elements whose text is always the question of a pair, and those that may be one even without a question mark.
SUMMARY, _TITLES = "summary", {**HEADING_LEVELS, "summary": 7, "dt": 8, "button": 8}
_LONGEST_TITLE = 160


def _of_table(name: str) -> cached_property[Ints]:
    """Return this page's part of a table's column of signatures, renumbered from 0; (nodes,)."""

    def column(nodes: PageNodes) -> Ints:
        table, number = nodes._placed or (share_table([nodes]), 0)
        begin, end = table.node_starts[number : number + 2].tolist()
        numbers = getattr(table, name)[begin:end]
        own: Ints = numbers - numbers.min(initial=len(table))
        return own

    return cached_property(column)


def _list_of(name: str, *, by_block: bool = False) -> cached_property[list[int]]:
    """Return a column of a page as a list; with ``by_block``, the value of each block's node."""

    def listed(nodes: PageNodes) -> list[int]:
        column = getattr(nodes, name)
        values: list[int] = (column[nodes.innermost] if by_block else column).tolist()
        return values

    return cached_property(listed)


class PageNodes:
    """The nodes of one page.

    ``layout`` is the scope tree of the blocks, ``scopes`` are the nodes' elements; ``first``, ``last``, ``parent`` (-1
    for the root) and ``depth`` are int64, (nodes,); ``firsts``, ``lasts`` and ``parents`` are the same as lists, in
    which lookups of single nodes are faster. More expensive values are computed on first use, which most pages never
    need.
    """

    firsts, lasts, parents = _list_of("first"), _list_of("last"), _list_of("parent")
    #: For each block, the number of its node in `tag_paths`, and the level of its heading (0 if it is in none).
    block_paths, block_headings = _list_of("tag_paths", by_block=True), _list_of("node_headings", by_block=True)
    #: This page's signatures from `NodeTable`; (nodes,) each.
    signatures, near_signatures = _of_table("signatures"), _of_table("near_signatures")
    own_signatures, ordinal_signatures = _of_table("own_signatures"), _of_table("ordinal_signatures")
    tag_paths, tag_numbers = _of_table("tag_paths"), _of_table("tag_numbers")

    def __init__(self, root: Any, blocks: Sequence[TextBlock], layout: ScopeTree | None = None) -> None:
        """``root`` is the page's tree, ``blocks`` its blocks before they are combined. Time is linear in the page.

        ``layout`` is the scope tree of the blocks, if already built.
        """
        self.blocks = list(blocks)
        #: The text of each block.
        self.texts = [block.text for block in self.blocks]
        self.root = root
        self._placed: tuple[NodeTable, int] | None = None  # the table of a batch, and the index of this page in it
        self.layout = layout = layout or ScopeTree(blocks)
        self.scopes = layout.scopes
        self.first, self.last, self.depth = layout.first, layout.last, layout.depth
        self.parent = layout.parent.copy()
        self.parent[:1] = -1
        #: The node of each block; (blocks,).
        self.innermost = layout.of_block

    def __len__(self) -> int:
        return len(self.scopes)

    def text(self, node: int) -> str:
        """Return the text of a node, one line per block."""
        return "\n".join(self.texts[self.firsts[node] : self.lasts[node]])

    def path(self, node: int, levels: int) -> list[int]:
        """Return the node and its ancestors from the inside out, at most ``levels`` elements."""
        path: list[int] = []
        parents = self.parents
        while node >= 0 and levels > 0:
            path.append(node)
            node, levels = parents[node], levels - 1
        return path

    def names_near(self, nodes: Sequence[int], levels: int) -> set[str]:
        """Return the words of the class and id names on the paths of these nodes, up to ``levels`` elements."""
        paths = {inner for node in nodes for inner in self.path(int(node), levels)}
        names = {self.scopes[inner].names for inner in paths} - {""}
        return set().union(*[attribute_words(each).every for each in names])

    @cached_property
    def asking(self) -> list[bool]:
        """Whether each block asks: a line ends in a question mark, or it is a summary or a title phrased as one."""
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
        """The level of the heading that each node is, or is inside by one or two levels; 0 if none; (nodes,)."""
        return self._within(HEADING_LEVELS)

    def _within(self, numbers: Mapping[str, int]) -> Ints:
        """Return the number of the tag of each node or its parent or grandparent; 0 if none has one; (nodes,)."""
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
    """Put the nodes of one or more pages into a shared table, from which the pages read their signatures."""
    table = NodeTable([page.root for page in pages], [page.layout for page in pages], [page.blocks for page in pages])
    for number, page in enumerate(pages):
        page._placed = table, number
    return table


def share_signatures(pages: Sequence[PageNodes]) -> None:
    """Compute the signatures of all pages that are not in a table yet together."""
    if alone := [page for page in pages if page._placed is None]:
        share_table(alone)


def disjoint(members: list[int], first: Ints, last: Ints, most: int = sys.maxsize) -> tuple[int, ...]:
    """Return at most ``most`` members (numbers in page order) that are not inside an earlier one.

    ``first`` and ``last`` are the ranges of blocks of the numbers.
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
    """Return the words of the class and id names of several elements together."""
    return frozenset().union(*[words.every for words in names])
