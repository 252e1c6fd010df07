"""A page as a table of nodes: the group-3 elements that hold text, each with the range of blocks inside it.

Blocks are those of the search phase of SCS (`scrapy_semtext.dom.segmentation.search`), before blocks are combined, so that
each belongs to one element. Nodes stand in page order, parents before their children; the blocks of a node are the
range ``first`` to ``last`` (exclusive), so whatever is summed over blocks is two look-ups away for any node.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.scope_tree import ScopeTree, numbered
from scrapy_semtext.qa.cues import POST_NUMBER, sentence_ends, with_dates
from scrapy_semtext.qa.faq_text import asking_texts, may_be_marked
from scrapy_semtext.qa.signatures import numbers_of, signatures_of
from scrapy_semtext.text.words import attribute_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.text.words import AttributeWords

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: Columns of `PageNodes.sums`: characters, link characters, blocks, short blocks with a date, post numbers, blocks of
#: at most 25 characters, ends of sentences, blocks with a question mark, blocks of more than 120 characters, hidden
#: blocks, characters of long blocks outside links.
CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE = range(11)
_COLUMNS = 11
#: Columns of `PageNodes.elements`: how many of these elements stand inside a node.
IMAGES, TIMES, ANCHORS, CONTROLS, PARAGRAPHS, HEADINGS, QUOTES, ITEMS = range(8)
_KINDS = 8

_ELEMENTS = {
    "img": IMAGES,
    "svg": IMAGES,
    "time": TIMES,
    "a": ANCHORS,
    **dict.fromkeys(("button", "input", "select", "textarea"), CONTROLS),
    "p": PARAGRAPHS,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5"), HEADINGS),
    **dict.fromkeys(("blockquote", "pre"), QUOTES),
    "li": ITEMS,
}
_ELEMENT_NAMES = {tag.encode(): column for tag, column in _ELEMENTS.items()}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SHORT, _TINY, _LONG, _PROSE, _LOOK = 80, 25, 120, 60, 400  # characters


class PageNodes:
    """The nodes of one page.

    ``layout`` is that of the blocks, ``scopes`` are the nodes' elements; ``first``, ``last``, ``parent`` (-1 for the
    root) and ``depth`` are int64, (nodes,); ``firsts``, ``lasts`` and ``parents`` are the same as lists, which are
    faster to look single nodes up in.
    What costs more than that is found out when it is first asked for: most pages are left before.
    """

    def __init__(self, root: Any, blocks: Sequence[TextBlock]) -> None:
        """``root`` is the page's tree, ``blocks`` its blocks before they are combined. Time is linear in the page."""
        self.blocks = list(blocks)
        #: The text of each block.
        self.texts = [block.text for block in self.blocks]
        self._root = root
        self.layout = layout = ScopeTree(blocks)
        self.scopes = layout.scopes
        self.first, self.last, self.depth = layout.first, layout.last, layout.depth
        self.parent = layout.parent.copy()
        self.parent[:1] = -1
        #: The node that each block stands in; (blocks,).
        self.innermost = layout.of_block

    def __len__(self) -> int:
        return len(self.scopes)

    def total(self, nodes: Ints | None = None) -> Floats:
        """The sums over the blocks of each node, (nodes, 11)."""
        if nodes is None:
            return self._totals
        result: Floats = self.sums[self.last[nodes]] - self.sums[self.first[nodes]]
        return result

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
    def firsts(self) -> list[int]:
        """``first``, as a list."""
        firsts: list[int] = self.first.tolist()
        return firsts

    @cached_property
    def lasts(self) -> list[int]:
        """``last``, as a list."""
        lasts: list[int] = self.last.tolist()
        return lasts

    @cached_property
    def parents(self) -> list[int]:
        """``parent``, as a list."""
        parents: list[int] = self.parent.tolist()
        return parents

    @cached_property
    def asking(self) -> list[bool]:
        """Whether a line of each block ends in a question mark."""
        return asking_texts(self.texts)

    @cached_property
    def marked(self) -> list[int]:
        """The blocks that have a question mark or may begin with the mark of a question, see `may_be_marked`."""
        return [place for place, text in enumerate(self.texts) if may_be_marked(text)]

    @cached_property
    def chars(self) -> Floats:
        """The running sum of the characters of the blocks; (blocks + 1,)."""
        return np.append(0.0, np.cumsum([len(text) for text in self.texts], dtype=np.float64))

    @cached_property
    def log_chars(self) -> Floats:
        """The logarithm of the characters of each node, and one; (nodes,)."""
        logs: Floats = np.log1p(self.chars[self.last] - self.chars[self.first])
        return logs

    @cached_property
    def sums(self) -> Floats:
        """Running sums of all block columns; (blocks + 1, 11)."""
        return self._sums(with_dates(self.texts, _SHORT))

    def sums_within(self, places: Collection[int]) -> Floats:
        """The same, but that dates may be counted in blocks at these places alone: it takes long to look for dates."""
        if "sums" in self.__dict__:
            return self.sums
        dated = [False] * len(self.blocks)
        found = with_dates([self.texts[place] for place in places], _SHORT)
        for place, is_dated in zip(places, found, strict=True):
            dated[place] = is_dated
        return self._sums(dated)

    def _sums(self, dated: list[bool]) -> Floats:
        sums = np.zeros((len(self.blocks) + 1, _COLUMNS))
        links, hidden = [block.link_chars for block in self.blocks], [block.hidden for block in self.blocks]
        sums[1:] = _counted(self.texts, links, hidden, dated)
        np.cumsum(sums, axis=0, out=sums)
        return sums

    @cached_property
    def _totals(self) -> Floats:
        totals: Floats = self.sums[self.last] - self.sums[self.first]
        return totals

    @cached_property
    def elements(self) -> Floats:
        """How many of the elements above stand inside each node; (nodes, 8)."""
        sums = np.zeros((len(self) + 1, _KINDS), dtype=np.int64)
        holders = [scope.element for scope in self.scopes]
        _count_inside(self._root, holders, sums[1:])
        sums.cumsum(0, out=sums)
        # the nodes inside a node follow it, and their first blocks stand before its last
        counts: Floats = (sums[np.searchsorted(self.first, self.last)] - sums[:-1]).astype(np.float64)
        return counts

    @cached_property
    def node_headings(self) -> Ints:
        """The level of the heading that each node is, or is in by one or two elements; 0 if in none; (nodes,)."""
        looks, parent = self.layout.looks, self.layout.parent
        own = np.array([int(tag[1]) if tag in _HEADINGS else 0 for tag in self.layout.tags], dtype=np.int64)
        own = own[looks.of_scope]
        around = own[parent]
        levels: Ints = np.where(own, own, np.where(around, around, around[parent]))
        return levels

    @cached_property
    def heading_levels(self) -> list[int]:
        """The same as a list."""
        levels: list[int] = self.node_headings.tolist()
        return levels

    @cached_property
    def block_paths(self) -> list[int]:
        """The number in `tag_paths` of the node that each block stands in."""
        paths: list[int] = self.tag_paths[self.innermost].tolist()
        return paths

    @cached_property
    def block_headings(self) -> list[int]:
        """The level of the heading that each block is in, 0 if in none."""
        levels: list[int] = self.node_headings[self.innermost].tolist()
        return levels

    @cached_property
    def _headings(self) -> list[int]:
        """The blocks that are in headings."""
        return [block for block, level in enumerate(self.block_headings) if level]

    def headings_in(self, first: int, last: int) -> list[int]:
        """The blocks from ``first`` to ``last`` (exclusive) that are in headings."""
        return self._headings[bisect_left(self._headings, first) : bisect_left(self._headings, last)]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all class and id names of the page."""
        return words_of(self.layout.looks.words)

    @cached_property
    def text_ids(self) -> Ints:
        """A number for each block's text, equal for equal texts; (blocks,)."""
        return numbered(self.texts)

    @cached_property
    def signatures(self) -> Ints:
        """Numbers of equal tags and names of a node, its parent and its grandparent; (nodes,)."""
        return self._signatures[0]

    @cached_property
    def near_signatures(self) -> Ints:
        """As `signatures`, of a node and its parent alone; where neither has names, `signatures`."""
        return self._signatures[1]

    @cached_property
    def own_signatures(self) -> Ints:
        """As `signatures`, of a node alone; where it has no names, `signatures`."""
        return self._signatures[2]

    @cached_property
    def ordinal_signatures(self) -> Ints:
        """As `signatures`, with the place among its siblings of a node, and of its parent, that has no names."""
        return self._signatures[3]

    @cached_property
    def tag_paths(self) -> Ints:
        """Numbers of equal tags all the way from the root; (nodes,)."""
        paths: Ints = self._numbers[3]
        return paths

    @cached_property
    def tag_numbers(self) -> Ints:
        """Numbers of equal tags; (nodes,)."""
        tags: Ints = self._numbers[2]
        return tags

    @cached_property
    def _numbers(self) -> Ints:
        return numbers_of(self.layout.looks, self.parent)

    @cached_property
    def _signatures(self) -> tuple[Ints, ...]:
        return tuple(signatures_of(self._numbers, self.parent))


def _counted(texts: list[str], links: list[int], hidden: list[bool], dated: list[bool]) -> Floats:
    """What each block counts in each of the columns of `PageNodes.sums`; (blocks, 11)."""
    counts = np.ones((len(texts), _COLUMNS))
    counts[:, CHARS] = chars = np.array([len(text) for text in texts], dtype=np.float64)
    counts[:, LINKS], counts[:, HIDDEN], counts[:, DATES] = links, hidden, dated
    counts[:, NUMBERS] = [len(text) <= _TINY // 2 and POST_NUMBER.fullmatch(text) is not None for text in texts]
    counts[:, TINY], counts[:, LONG] = chars <= _TINY, chars > _LONG
    counts[:, SENTENCES] = [sentence_ends(text[:_LOOK]) for text in texts]
    counts[:, QUESTIONS] = ["?" in (head := text[:_LOOK]) or "？" in head or "؟" in head for text in texts]
    prose = (chars >= _PROSE) & (counts[:, LINKS] < 0.3 * chars)
    counts[:, PROSE] = np.where(prose, chars - counts[:, LINKS], 0.0)
    return counts


def _count_inside(root: Any, holders: list[Any], counts: Ints) -> None:
    """Add to the columns of `PageNodes.elements` how many elements have which holder for the nearest."""
    holder_of: dict[Any, int] = {element: number for number, element in enumerate(holders)}
    for element in root.iter(*_ELEMENTS):
        way, above = [], element
        while (number := holder_of.get(above)) is None and above is not None:
            way.append(above)
            above = above.getparent()
        number = -1 if number is None else number
        holder_of.update(dict.fromkeys(way, number))  # so that no way is gone twice
        if number >= 0:
            counts[number, _ELEMENTS[element.tag]] += 1


def disjoint(members: list[int], first: Ints, last: Ints, most: int = sys.maxsize) -> tuple[int, ...]:
    """Those of the members, numbers in page order, that are not inside one before; at most so many.

    ``first`` and ``last`` are the ranges of blocks of all that has numbers.
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
    """The words of class and id names of several elements together."""
    several = [words.every for words in names]
    return frozenset().union(*several)
