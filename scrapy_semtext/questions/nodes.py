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

from scrapy_semtext.questions.cues import DATE, POST_NUMBER, QUESTION_MARK, SENTENCE_END
from scrapy_semtext.wording import name_words

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import Scope, TextBlock

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
_DIGITS = re.compile(r"\d+")
_SHORT, _TINY, _LONG, _PROSE, _LOOK = 80, 25, 120, 60, 400  # characters


class PageNodes:
    """The nodes of one page.

    ``scopes`` are their elements; ``first``, ``last``, ``parent`` (-1 for the root) and ``depth`` are int64, (nodes,).
    ``sums`` is float64, (blocks + 1, 11): running sums of the block columns above; ``elements`` (nodes, 8).
    """

    def __init__(self, root: Any, blocks: Sequence[TextBlock]) -> None:
        """``root`` is the page's tree, ``blocks`` its blocks before they are combined. Time is linear in the page."""
        self.blocks = list(blocks)
        self.scopes: list[Scope] = []
        self._collect()
        columns = np.array([_columns(block) for block in self.blocks], dtype=np.float64).reshape(-1, 11)
        self.columns: Floats = columns
        self.sums: Floats = np.vstack([np.zeros((1, 11)), columns.cumsum(0)])
        self.elements = self._elements(root)

    def __len__(self) -> int:
        return len(self.scopes)

    def total(self, nodes: Ints | None = None) -> Floats:
        """The sums over the blocks of each node, (nodes, 11)."""
        first, last = (self.first, self.last) if nodes is None else (self.first[nodes], self.last[nodes])
        result: Floats = self.sums[last] - self.sums[first]
        return result

    def text(self, node: int) -> str:
        """The text of a node, its blocks on lines of their own."""
        return "\n".join(block.text for block in self.blocks[self.first[node] : self.last[node]])

    def path(self, node: int, levels: int) -> list[int]:
        """The node and those around it, from the inside out, at most ``levels``."""
        path: list[int] = []
        while node >= 0 and len(path) < levels:
            path.append(node)
            node = int(self.parent[node])
        return path

    def names_near(self, nodes: Sequence[int], levels: int) -> set[str]:
        """The words of the class and id names on the paths of these nodes, ``levels`` elements up."""
        return {word for node in nodes for inner in self.path(int(node), levels) for word in self.names[inner]}

    @cached_property
    def names(self) -> list[tuple[str, ...]]:
        """The words of each node's own class and id names."""
        return [_words(scope.names) if scope.names else () for scope in self.scopes]

    @cached_property
    def text_ids(self) -> Ints:
        """A number for each block's text, equal for equal texts; (blocks,)."""
        known: dict[str, int] = {}
        return np.array([known.setdefault(block.text, len(known)) for block in self.blocks], dtype=np.int64)

    @cached_property
    def signatures(self) -> Ints:
        """Numbers of equal tags and names of a node, its parent and its grandparent; (nodes,)."""
        own = self._own_keys
        keys = []
        for node, key in enumerate(own):
            parent = int(self.parent[node])
            above = own[parent] if parent >= 0 else None
            outer = own[int(self.parent[parent])] if parent >= 0 and self.parent[parent] >= 0 else None
            keys.append((key, above, outer))
        return _numbered(keys)

    @cached_property
    def near_signatures(self) -> Ints:
        """As `signatures`, of a node and its parent alone; where neither has names, `signatures`."""
        keys: list[Hashable] = []
        for node, key in enumerate(self._own_keys):
            parent = int(self.parent[node])
            above = self._own_keys[parent] if parent >= 0 else None
            named = key[1] or (above and above[1])
            keys.append((key, above) if named else (key, int(self.signatures[node])))
        return _numbered(keys)

    @cached_property
    def own_signatures(self) -> Ints:
        """As `signatures`, of a node alone; where it has no names, `signatures`."""
        return _numbered(
            [key if key[1] else (key, int(self.signatures[node])) for node, key in enumerate(self._own_keys)]
        )

    @cached_property
    def ordinal_signatures(self) -> Ints:
        """As `signatures`, with the place among its siblings of a node, and of its parent, that has no names."""
        places, seen = [], [0] * len(self)
        for parent in self.parent.tolist():
            places.append(seen[parent] if parent >= 0 else 0)
            seen[parent] += 1
        keys = []
        for node, key in enumerate(self._own_keys):
            parent = int(self.parent[node])
            place = -1 if key[1] else places[node]
            above = -1 if parent < 0 or self._own_keys[parent][1] else places[parent]
            keys.append((int(self.signatures[node]), place, above))
        return _numbered(keys)

    @cached_property
    def tag_paths(self) -> Ints:
        """Numbers of equal tags all the way from the root; (nodes,)."""
        known: dict[tuple[int, str], int] = {}
        numbers: list[int] = []
        for scope, parent in zip(self.scopes, self.parent.tolist(), strict=True):
            numbers.append(known.setdefault((numbers[parent] if parent >= 0 else -1, scope.tag), len(known)))
        return np.array(numbers, dtype=np.int64)

    @cached_property
    def tag_numbers(self) -> Ints:
        """Numbers of equal tags; (nodes,)."""
        return _numbered([scope.tag for scope in self.scopes])

    @cached_property
    def innermost(self) -> Ints:
        """The node that each block stands in; (blocks,)."""
        index = {id(scope): node for node, scope in enumerate(self.scopes)}
        return np.array([index[id(block.scope)] for block in self.blocks], dtype=np.int64)

    @cached_property
    def _own_keys(self) -> list[tuple[str, str]]:
        return [(scope.tag, _without_digits(scope.names) if scope.names else "") for scope in self.scopes]

    def _collect(self) -> None:
        index: dict[Scope, int] = {}
        first: list[int] = []
        last: list[int] = []
        parent: list[int] = []
        for place, block in enumerate(self.blocks):
            new: list[Scope] = []
            above: Scope | None = block.scope
            while above is not None and above not in index:
                new.append(above)
                above = above.parent
            for scope in reversed(new):
                index[scope] = len(self.scopes)
                self.scopes.append(scope)
                first.append(place)
                last.append(place)
                parent.append(index[scope.parent] if scope.parent is not None else -1)
            last[index[block.scope]] = place + 1
        for node in range(len(self.scopes) - 1, 0, -1):
            last[parent[node]] = max(last[parent[node]], last[node])
        self.first = np.array(first, dtype=np.int64)
        self.last = np.array(last, dtype=np.int64)
        self.parent = np.array(parent, dtype=np.int64)
        self.depth = np.array([scope.depth for scope in self.scopes], dtype=np.int64)

    def _elements(self, root: Any) -> Floats:
        counts = np.zeros((len(self), 8))
        holders = {scope.element: node for node, scope in enumerate(self.scopes)}
        for element in root.iter(*_ELEMENTS):
            way, above = [], element
            while above is not None and above not in holders:
                way.append(above)
                above = above.getparent()
            node = holders[above] if above is not None else -1
            holders.update(dict.fromkeys(way, node))  # so that no way is gone twice
            if node >= 0:
                counts[node, _ELEMENTS[element.tag]] += 1
        for node in range(len(self) - 1, 0, -1):
            counts[self.parent[node]] += counts[node]
        return counts


def _columns(block: TextBlock) -> tuple[float, ...]:
    text = block.text
    length = len(text)
    head = text[:_LOOK]
    links = block.link_chars
    return (
        length,
        links,
        1,
        length <= _SHORT and DATE.search(text) is not None,
        length <= _TINY // 2 and POST_NUMBER.fullmatch(text) is not None,
        length <= _TINY,
        len(SENTENCE_END.findall(head)),
        QUESTION_MARK.search(head) is not None,
        length > _LONG,
        block.hidden,
        length - links if length >= _PROSE and links < 0.3 * length else 0,
    )


def _numbered(keys: Sequence[Hashable]) -> Ints:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


@lru_cache(maxsize=1 << 14)
def _words(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for name in names.split() for word in name_words(name)))


@lru_cache(maxsize=1 << 14)
def _without_digits(names: str) -> str:
    return " ".join(sorted({_DIGITS.sub("", name) for name in names.split()}))
