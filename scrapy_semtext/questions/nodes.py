"""A page as a table of nodes: the group-3 elements that hold text, each with the range of blocks inside it.

Blocks are those of the search phase of SCS (`scrapy_semtext.segment.search`), before blocks are combined, so that
each belongs to one element. Nodes stand in page order, parents before their children; the blocks of a node are the
range ``first`` to ``last`` (exclusive), so whatever is summed over blocks is two look-ups away for any node.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.questions.cues import DATE, POST_NUMBER, SPELT_DATES, sentence_ends
from scrapy_semtext.structure.layout import Layout, numbered
from scrapy_semtext.wording import name_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import TextBlock

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: Columns of `PageNodes.sums`: characters, link characters, blocks, short blocks with a date, post numbers, blocks of
#: at most 25 characters, ends of sentences, blocks with a question mark, blocks of more than 120 characters, hidden
#: blocks, characters of long blocks outside links.
CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE = range(11)
#: Columns of `PageNodes.elements`: how many of these elements stand inside a node.
IMAGES, TIMES, ANCHORS, CONTROLS, PARAGRAPHS, HEADINGS, QUOTES, ITEMS = range(8)

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
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_DIGITS = re.compile(r"\d+")
_SHORT, _TINY, _LONG, _PROSE, _LOOK = 80, 25, 120, 60, 400  # characters


class PageNodes:
    """The nodes of one page.

    ``scopes`` are their elements; ``first``, ``last``, ``parent`` (-1 for the root) and ``depth`` are int64, (nodes,);
    ``firsts``, ``lasts`` and ``parents`` are the same as lists, which are faster to look single nodes up in.
    What costs more than that is found out when it is first asked for: most pages are left before.
    """

    def __init__(self, root: Any, blocks: Sequence[TextBlock]) -> None:
        """``root`` is the page's tree, ``blocks`` its blocks before they are combined. Time is linear in the page."""
        self.blocks = list(blocks)
        self._root = root
        layout = Layout(blocks)
        self.scopes = layout.scopes
        self.first, self.last, self.depth = layout.first, layout.last, layout.depth
        self.parent = layout.parent.copy()
        self.parent[:1] = -1
        #: The node that each block stands in; (blocks,).
        self.innermost = layout.of_block
        self.firsts: list[int] = self.first.tolist()
        self.lasts: list[int] = self.last.tolist()
        self.parents: list[int] = self.parent.tolist()

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
        return "\n".join(block.text for block in self.blocks[self.firsts[node] : self.lasts[node]])

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
        near: set[str] = set()
        for inner in {inner for node in nodes for inner in self.path(int(node), levels)}:
            near.update(self.names[inner])
        return near

    @cached_property
    def columns(self) -> Floats:
        """What `sums` adds up, of each block; (blocks, 11)."""
        columns: Floats = np.array([_columns(block) for block in self.blocks], dtype=np.float64).reshape(-1, 11)
        return columns

    @cached_property
    def sums(self) -> Floats:
        """Running sums of the block columns above; (blocks + 1, 11)."""
        sums: Floats = np.vstack([np.zeros((1, 11)), self.columns.cumsum(0)])
        return sums

    @cached_property
    def _totals(self) -> Floats:
        totals: Floats = self.sums[self.last] - self.sums[self.first]
        return totals

    @cached_property
    def elements(self) -> Floats:
        """How many of the elements above stand inside each node; (nodes, 8)."""
        counts = np.zeros((len(self), 8))
        holders = {scope.element: node for node, scope in enumerate(self.scopes)}
        for element in self._root.iter(*_ELEMENTS):
            way, above = [], element
            while above is not None and above not in holders:
                way.append(above)
                above = above.getparent()
            node = holders[above] if above is not None else -1
            holders.update(dict.fromkeys(way, node))  # so that no way is gone twice
            if node >= 0:
                counts[node, _ELEMENTS[element.tag]] += 1
        for node in range(len(self) - 1, 0, -1):
            counts[self.parents[node]] += counts[node]
        return counts

    @cached_property
    def heading_levels(self) -> list[int]:
        """The level of the heading that each node is, or is in by one or two elements; 0 if in none."""
        own = [int(scope.tag[1]) if scope.tag in _HEADINGS else 0 for scope in self.scopes]
        parents = self.parents
        levels = []
        for node, level in enumerate(own):
            above = parents[node]
            outer = parents[above] if above >= 0 else -1
            levels.append(level or (above >= 0 and own[above]) or (outer >= 0 and own[outer]) or 0)
        return levels

    @cached_property
    def block_paths(self) -> list[int]:
        """The number in `tag_paths` of the node that each block stands in."""
        paths: list[int] = self.tag_paths[self.innermost].tolist()
        return paths

    @cached_property
    def block_headings(self) -> list[int]:
        """The level of the heading that each block is in, 0 if in none."""
        levels = self.heading_levels
        return [levels[node] for node in self.innermost.tolist()]

    @cached_property
    def names(self) -> list[tuple[str, ...]]:
        """The words of each node's own class and id names."""
        return [_words(scope.names) if scope.names else () for scope in self.scopes]

    @cached_property
    def text_ids(self) -> Ints:
        """A number for each block's text, equal for equal texts; (blocks,)."""
        return numbered(block.text for block in self.blocks)

    @cached_property
    def signatures(self) -> Ints:
        """Numbers of equal tags and names of a node, its parent and its grandparent; (nodes,)."""
        above = self._above(self._own)
        return _equal(self._own, above, self._above(above))

    @cached_property
    def near_signatures(self) -> Ints:
        """As `signatures`, of a node and its parent alone; where neither has names, `signatures`."""
        pairs = _equal(self._own, self._above(self._own))
        return _equal(np.where(self._named | (self._above(self._named) > 0), pairs, ~self.signatures))

    @cached_property
    def own_signatures(self) -> Ints:
        """As `signatures`, of a node alone; where it has no names, `signatures`."""
        return _equal(np.where(self._named, self._own, ~self.signatures))

    @cached_property
    def ordinal_signatures(self) -> Ints:
        """As `signatures`, with the place among its siblings of a node, and of its parent, that has no names."""
        order = np.argsort(self.parent, kind="stable")
        begins = np.searchsorted(self.parent[order], self.parent)
        place = np.empty(len(self), dtype=np.int64)
        place[order] = np.arange(len(self))
        ordinal = np.where(self._named, -1, place - begins)
        return _equal(self.signatures, ordinal, self._above(ordinal))

    @cached_property
    def tag_paths(self) -> Ints:
        """Numbers of equal tags all the way from the root; (nodes,)."""
        known: dict[tuple[int, str], int] = {}
        numbers: list[int] = []
        for scope, parent in zip(self.scopes, self.parents, strict=True):
            numbers.append(known.setdefault((numbers[parent] if parent >= 0 else -1, scope.tag), len(known)))
        return np.array(numbers, dtype=np.int64)

    @cached_property
    def tag_numbers(self) -> Ints:
        """Numbers of equal tags; (nodes,)."""
        return numbered([scope.tag for scope in self.scopes])

    @cached_property
    def _own(self) -> Ints:
        """Numbers of equal tags and names, digits aside; (nodes,)."""
        return numbered([(scope.tag, names) for scope, names in zip(self.scopes, self._lasting_names, strict=True)])

    @cached_property
    def _named(self) -> NDArray[np.bool_]:
        return np.array([names != "" for names in self._lasting_names], dtype=np.bool_)

    @cached_property
    def _lasting_names(self) -> list[str]:
        return [_without_digits(scope.names) if scope.names else "" for scope in self.scopes]

    def _above(self, values: NDArray[Any]) -> Ints:
        """Of each node the value of its parent, -1 for the root; (nodes,)."""
        above: Ints = np.append(values.astype(np.int64), -1)[self.parent]
        return above


def _columns(block: TextBlock) -> tuple[float, ...]:
    text = block.text
    length = len(text)
    head = text[:_LOOK]
    links = block.link_chars
    return (
        length,
        links,
        1,
        length <= _SHORT and _has_date(text),
        length <= _TINY // 2 and POST_NUMBER.fullmatch(text) is not None,
        length <= _TINY,
        sentence_ends(head),
        "?" in head or "？" in head or "؟" in head,
        length > _LONG,
        block.hidden,
        length - links if length >= _PROSE and links < 0.3 * length else 0,
    )


@lru_cache(maxsize=1 << 14)
def _has_date(text: str) -> bool:
    """Whether a short text has a date; in ASCII those without a digit are a few words."""
    if text.isascii() and not any(map(str.isdigit, text)):
        low = text.lower()
        if not any(word in low for word in SPELT_DATES):
            return False
    return DATE.search(text) is not None


def _equal(*columns: Ints) -> Ints:
    """Numbers of equal rows, from 0 on; (rows,). Of three columns each may have two million numbers."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values = column - column.min(initial=0)
        codes = codes * (values.max(initial=0) + 1) + values
    return np.unique(codes, return_inverse=True)[1]


@lru_cache(maxsize=1 << 14)
def _words(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for name in names.split() for word in name_words(name)))


@lru_cache(maxsize=1 << 14)
def _without_digits(names: str) -> str:
    return " ".join(sorted({_DIGITS.sub("", name) for name in names.split()}))
