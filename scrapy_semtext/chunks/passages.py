"""The main text of a page as passages: lines of running text, tables and blocks of code, each with its section."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from scrapy_semtext.chunks.size import count_words
from scrapy_semtext.dom.element_text import all_text
from scrapy_semtext.dom.joining import CELLS
from scrapy_semtext.dom.segmentation import shown
from scrapy_semtext.dom.tags import GROUPS, HEADING_LEVELS, Group
from scrapy_semtext.dom.tree import from_outside_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.dom.segmentation import Scope, TextBlock
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import ChunkKind, Page, Section


_WORD = re.compile(r"\S+")
# No path has more titles: where each section is inside the one before, paths would grow with the page.
_DEEPEST = 12
# So many elements around a title, and so many inside it, are searched for an id.
_AROUND, _INSIDE = 3, 10
_IN_FRAGMENT = "!$&'()*+,;=:@/?-._~"


@dataclass(frozen=True, slots=True)
class Head:
    """The title of a section, None before the first.

    ``begin`` and ``end``: the title in the main text; ``fragment``: the id that leads to it, "" without any; ``key``:
    the numbers of the sections around it, and its own; ``around``: the heads of these.
    """

    begin: int
    end: int
    title: str | None
    fragment: str
    key: tuple[int, ...]
    around: tuple[Head, ...]

    @property
    def path(self) -> tuple[Head, ...]:
        """The heads around it and itself, those without a title left out."""
        return self.around if self.title is None else (*self.around, self)


def heads_of(
    text: str, sections: Sequence[Section], blocks: Sequence[TextBlock], stretches: Sequence[Stretch]
) -> list[Head]:
    """Return the heads of the sections of a page in order.

    ``stretches`` say where the ``blocks`` are in ``text``. Sections are found by counting characters: they hold the
    main text, all of it and nothing else, but for white space.
    """
    places = _CharacterPlaces(text)
    begins = [stretch.begin for stretch in stretches]
    heads: list[Head] = []
    count = 0
    for section, key, around in _in_order(sections, heads):
        title = shown(section.title or "")
        begin = places.of(count)
        if begin < len(text):
            stretch = stretches[bisect_right(begins, begin) - 1]
            fragment = "" if not title or stretch.block is None else _fragment(blocks[stretch.block])
            name = section.title or None
            end = places.of(count + title - 1) + 1 if title else begin
            heads.append(Head(begin, end, name, fragment, key, around))
        count += title + shown(section.text)
    return heads


class _CharacterPlaces:
    """Where the characters of a text are if white space is not counted."""

    def __init__(self, text: str) -> None:
        self._text = text
        lines = text.split("\n")
        self._starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
        self._counts = [*accumulate(map(shown, lines), initial=0)]  # the characters before each line

    def of(self, number: int) -> int:
        """Return the place of a character by its number from 0; the length of the text if it has no more."""
        line = bisect_right(self._counts, number) - 1
        if line == len(self._counts) - 1:
            return len(self._text)
        left, begin = number - self._counts[line], self._starts[line]
        for word in _WORD.finditer(self._text, begin):
            if left < len(word[0]):
                return word.start() + left
            left -= len(word[0])
        return len(self._text)


def outside(heads: Sequence[Head], ranges: Sequence[tuple[int, int]]) -> list[Head]:
    """Return the heads that begin in none of the ``ranges`` (from and to, in order), which hold no titles."""
    begins = [begin for begin, _ in ranges]
    kept = []
    for head in heads:
        place = bisect_right(begins, head.begin) - 1
        if place < 0 or head.begin >= ranges[place][1]:
            kept.append(head)
    keys = {head.key for head in kept}
    return [replace(head, around=tuple(each for each in head.around if each.key in keys)) for head in kept]


def _in_order(
    sections: Sequence[Section], heads: Sequence[Head]
) -> Iterator[tuple[Section, tuple[int, ...], tuple[Head, ...]]]:
    """Yield sections in the order of the page, with their keys and the heads around them, the last of ``heads``."""
    stack: list[tuple[Section, tuple[int, ...], tuple[Head, ...]]] = [(each, (), ()) for each in reversed(sections)]
    number = 0
    while stack:
        section, outer, around = stack.pop()
        key = (*outer, number)
        number += 1
        yield section, key, around
        if section.sections:
            inner = key[:_DEEPEST], (*around, heads[-1])[:_DEEPEST]
            stack += [(each, *inner) for each in reversed(section.sections)]


def _fragment(block: TextBlock) -> str:
    """The id that leads to a title, as it is written in a URL; "" without any."""
    scopes = [*islice(block.scope.ancestry(), _AROUND)]
    heading = next((scope for scope in scopes if scope.tag in HEADING_LEVELS), block.scope)
    near = _elements_at(heading.element)
    names = (element.get("id") or (element.get("name") if element.tag == "a" else "") for element in near)
    return quote(next(filter(None, names), ""), safe=_IN_FRAGMENT)


def _elements_at(heading: Any) -> Iterator[Any]:
    """Yield a heading, elements in it, those that begin with it, and an anchor right before it if there is one."""
    yield heading
    if heading.tag in HEADING_LEVELS:
        yield from islice(heading.iterdescendants("*"), _INSIDE)
    element = heading
    for _ in range(_AROUND):
        before, outer = element.getprevious(), element.getparent()
        if before is not None or outer is None or outer.tag in ("body", "html") or (outer.text or "").strip():
            if before is not None and before.tag in ("a", "span") and not all_text(before).strip():
                yield before
            return
        element = outer
        yield element


#: The key of the part that comments are, which belong to no section.
COMMENTS = (-1,)

# A table with more words in a cell lays text out; it can be cut between its cells.
_MOST_WORDS = 100
_CODE = frozenset(tag for tag, group in GROUPS.items() if group == Group.PREFORMATTED)


class Stretch(NamedTuple):
    """A stretch of the main text, ``text[begin:end]``: a text block, or what belongs to none (``block`` None)."""

    begin: int
    end: int
    block: int | None


@dataclass(slots=True)
class Passage:
    """A piece of the main text, ``text[begin:end]``, which is cut only if it is ``kind`` "text" and too large.

    ``part`` is the place of its part in `Passages.parts`. ``is_title``: whether it is of the title of its section.
    """

    begin: int
    end: int
    kind: ChunkKind
    part: int
    is_title: bool = False


class Part(NamedTuple):
    """What a chunk holds one of: a section without those inside it, a post of a thread, or the comments of an article.

    ``key``: the numbers of the sections around it and its own, then that of the post; ``path``: their heads.
    """

    key: tuple[int, ...]
    path: tuple[Head, ...]


class Passages(NamedTuple):
    """The passages of a page in order, and its parts."""

    passages: list[Passage]
    parts: list[Part]


def passages_of(page: Page, parsed: ParsedPage, sections: Sequence[Section]) -> Passages:
    """Cut the main text of a page into passages; ``sections`` are its sections.

    Together the passages are the main text but for white space. On threads the parts are posts, as what looks like a
    title there is one of a post.
    """
    stretches = [*_stretches(page)]
    posts = parsed.posts.post.tolist() if parsed.posts is not None and parsed.posts.is_thread else None
    containers = Containers(parsed, [stretch.block for stretch in stretches], posts)
    # neighbours in the same table or block of code together; any other stretch is a group of its own
    groups = [[*group] for _, group in groupby(stretches, lambda stretch: containers.of(stretch.block) or stretch)]
    heads: list[Head] = []
    if posts is None:
        whole = [(group[0].begin, group[-1].end) for group in groups if containers.kind(group[0].block) != "text"]
        heads = outside(heads_of(page.main_text, sections, parsed.text_blocks, stretches), whole)
    writer = _PassageWriter(page.main_text, heads)
    for group in groups:
        block = group[0].block
        if block is None and len(groups) > 1:
            writer.leave_sections()
        if posts is not None and block is not None:
            writer.enter_post(posts[block])
        writer.add(group[0].begin, group[-1].end, containers.kind(block))
    return Passages(writer.passages, writer.parts)


def _stretches(page: Page) -> Iterator[Stretch]:
    """The main blocks in the main text, and what of it belongs to none: comments, or a text that no block has."""
    at = 0
    for number, block in enumerate(page.blocks):
        if block.is_main:
            yield Stretch(at, at + len(block.text), number)
            at += len(block.text) + 1
    if at < len(page.main_text):
        yield Stretch(at, len(page.main_text), None)


class _PassageWriter:
    """Makes passages in the order of the page; each head that begins inside one of running text cuts it."""

    def __init__(self, text: str, heads: Sequence[Head]) -> None:
        self.passages: list[Passage] = []
        self.parts: list[Part] = []
        self._text = text
        self._heads = heads
        self._starts = [head.begin for head in heads]
        self._rest: tuple[int, ...] = ()  # the number of the post, or COMMENTS

    def enter_post(self, post: int) -> None:
        """Note in which post what follows stands; what stands in none (-1) is taken to the last one."""
        if post >= 0:
            self._rest = (post,)

    def leave_sections(self) -> None:
        """Note that what follows belongs to no section."""
        self._heads, self._starts, self._rest = [], [], COMMENTS

    def add(self, begin: int, end: int, kind: ChunkKind) -> None:
        """Add a stretch of the text: a passage for each line or, of another kind than text, a single one."""
        while begin < end:
            stop = end if kind != "text" else self._end_of_line(begin, end)
            if line := self._text[begin:stop].rstrip():
                self._passage(begin, begin + len(line), kind)
            begin = stop

    def _end_of_line(self, begin: int, end: int) -> int:
        """Where a line ends, or a section begins in it."""
        following = bisect_right(self._starts, begin)
        if following < len(self._starts):
            end = min(end, self._starts[following])
        newline = self._text.find("\n", begin, end)
        return end if newline < 0 else newline + 1

    def _passage(self, begin: int, end: int, kind: ChunkKind) -> None:
        number = bisect_right(self._starts, begin) - 1
        head = self._heads[number] if number >= 0 else None
        key = (*(head.key if head else ()), *self._rest)
        if not self.parts or self.parts[-1].key != key:
            self.parts.append(Part(key, head.path if head else ()))
        is_title = head is not None and kind == "text" and begin < head.end
        self.passages.append(Passage(begin, end, kind, len(self.parts) - 1, is_title))


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
        return from_outside_in(scope, self._places, attrgetter("parent"), self._inside) or _Place()

    def _inside(self, scope: Scope, outer: _Place | None) -> _Place:
        outer = outer or _Place()
        if scope.tag == "table" and outer.table is not None:
            self._outer.add(outer.table)
        return outer.inside(scope)

    def _count(self, text: str, place: _Place, post: int) -> None:
        if place.table is None:
            return
        table = self._tables[place.table]
        table.is_data &= not place.heading
        table.is_code &= place.code is not None
        table.words[place.cell] += count_words(text) if place.code is None else 0
        table.rows[place.cell.parent if place.cell else None].add(place.cell)
        table.posts.add(post)
