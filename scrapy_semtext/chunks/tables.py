"""Which blocks of the main text stand in a table of data or in a block of code."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.chunks.size import count_words
from scrapy_semtext.dom.joining import CELLS
from scrapy_semtext.dom.tags import GROUPS, HEADING_LEVELS, Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.dom.segmentation import Scope
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import ChunkKind

# A table with more words in a cell lays text out; it can be cut between its cells.
_MOST_WORDS = 100

_CODE = frozenset(tag for tag, group in GROUPS.items() if group == Group.PREFORMATTED)


class _Table:
    """What is known of a table from its main blocks."""

    def __init__(self) -> None:
        self.is_data = True
        self.is_code = True
        self.words: dict[Scope | None, int] = defaultdict(int)  # of cells
        self.rows: dict[Scope | None, set[Scope | None]] = defaultdict(set)  # their cells
        self.posts: set[int] = set()

    def holds_data(self) -> bool:
        """Whether it has several columns, and nothing but short text in its cells."""
        columns = max(map(len, self.rows.values()))
        return self.is_data and columns > 1 and len(self.posts) < 2 and max(self.words.values()) <= _MOST_WORDS


class _Place(NamedTuple):
    """The outermost block of code, the innermost table and its cell around a scope; whether it is in a heading."""

    code: Scope | None = None
    table: Scope | None = None
    cell: Scope | None = None
    heading: bool = False

    def inside(self, scope: Scope) -> _Place:
        """Return the place inside a scope that stands in this one."""
        if scope.tag in _CODE:
            return self._replace(code=self.code or scope)
        if scope.tag in CELLS:
            return self._replace(cell=scope)
        if scope.tag == "table":
            return self._replace(table=scope, cell=None)
        return self._replace(heading=True) if scope.tag in HEADING_LEVELS else self


class Containers:
    """The tables and blocks of code around the main blocks of a page.

    A table of data has several columns and neither headings, other tables, parts of several posts nor much text in any
    cell; such tables lay out a page.
    """

    def __init__(self, parsed: ParsedPage, blocks: Iterable[int | None], posts: Sequence[int] | None) -> None:
        """``blocks`` are the numbers of the main blocks, ``posts`` those of the posts that blocks stand in, if any."""
        self._parsed = parsed
        self._places: dict[Scope, _Place] = {}
        self._tables: dict[Scope, _Table] = defaultdict(_Table)
        self._outer: set[Scope] = set()
        starts = [*parsed.starts.tolist(), len(parsed.raw_blocks)]
        for block in blocks:
            if block is not None:
                for raw in parsed.raw_blocks[starts[block] : starts[block + 1]]:
                    self._count(raw.text, self._place(raw.scope), -1 if posts is None else posts[block])
        self._data = {scope for scope, table in self._tables.items() if scope not in self._outer and table.holds_data()}

    def of(self, block: int | None) -> Scope | None:
        """Return the table of data or the block of code that a block stands in, if any."""
        if block is None:
            return None
        place = self._place(self._parsed.text_blocks[block].scope)
        return place.table if place.table in self._data else place.code

    def kind(self, block: int | None) -> ChunkKind:
        """Return what a block stands in."""
        inside = self.of(block)
        if inside is None:
            return "text"
        return "code" if inside not in self._tables or self._tables[inside].is_code else "table"

    def _place(self, scope: Scope) -> _Place:
        """What is around a scope; each is looked at once."""
        unknown: list[Scope] = []
        at: Scope | None = scope
        while at is not None and at not in self._places:
            unknown.append(at)
            at = at.parent
        place = self._places[at] if at is not None else _Place()
        for inner in reversed(unknown):
            if inner.tag == "table" and place.table is not None:
                self._outer.add(place.table)
            place = self._places[inner] = place.inside(inner)
        return place

    def _count(self, text: str, place: _Place, post: int) -> None:
        if place.table is None:
            return
        table = self._tables[place.table]
        table.is_data &= not place.heading
        table.is_code &= place.code is not None
        table.words[place.cell] += count_words(text) if place.code is None else 0
        table.rows[place.cell.parent if place.cell else None].add(place.cell)
        table.posts.add(post)
