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
# The maximum number of titles in a path: if each section is inside the previous one, paths would grow with the page.
_DEEPEST = 12
# The numbers of elements around a title, and inside it, that are searched for an id.
_AROUND, _INSIDE = 3, 10
_IN_FRAGMENT = "!$&'()*+,;=:@/?-._~"


@dataclass(frozen=True, slots=True)
class Head:
    """The title of a section, None for the text before the first.

    ``begin`` and ``end``: the title's position in the main text; ``fragment``: the id that links to it, "" if none;
    ``key``: the numbers of the sections around it, and its own; ``around``: the heads of these.
    """

    begin: int
    end: int
    title: str | None
    fragment: str
    key: tuple[int, ...]
    around: tuple[Head, ...]

    @property
    def path(self) -> tuple[Head, ...]:
        """The heads around it and itself, without those that have no title."""
        return self.around if self.title is None else (*self.around, self)


def heads_of(
    text: str, sections: Sequence[Section], blocks: Sequence[TextBlock], stretches: Sequence[Stretch]
) -> list[Head]:
    """Return the heads of the sections of a page in order.

    ``stretches`` give the positions of the ``blocks`` in ``text``. Sections are located by counting characters: except
    for white space, they contain exactly the main text.
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
    """Positions of characters in a text by their number, not counting white space."""

    def __init__(self, text: str) -> None:
        self._text = text
        lines = text.split("\n")
        self._starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
        self._counts = [*accumulate(map(shown, lines), initial=0)]  # the number of characters before each line

    def of(self, number: int) -> int:
        """Return the position of a character by its number from 0; the length of the text if it has fewer."""
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
    """Return the heads that begin in none of the ``ranges`` (from and to, in order), which contain no titles."""
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
    """Yield sections in page order, with their keys and the heads around them; the last is their own from ``heads``."""
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
    """Return the id that links to a title, as written in a URL; "" without any."""
    scopes = [*islice(block.scope.ancestry(), _AROUND)]
    heading = next((scope for scope in scopes if scope.tag in HEADING_LEVELS), block.scope)
    near = _elements_at(heading.element)
    names = (element.get("id") or (element.get("name") if element.tag == "a" else "") for element in near)
    return quote(next(filter(None, names), ""), safe=_IN_FRAGMENT)


def _elements_at(heading: Any) -> Iterator[Any]:
    """Yield a heading, its descendants, its parents that begin with it, and an anchor directly before it, if any."""
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


#: The key of the part with comments, which belong to no section.
COMMENTS = (-1,)

# A table with more words in a cell is used for layout; it can be split between its cells.
_MOST_WORDS = 100
_CODE = frozenset(tag for tag, group in GROUPS.items() if group == Group.PREFORMATTED)


class Stretch(NamedTuple):
    """A part of the main text, ``text[begin:end]``: a text block, or text outside all blocks (``block`` None)."""

    begin: int
    end: int
    block: int | None


@dataclass(slots=True)
class Passage:
    """A part of the main text, ``text[begin:end]``, which is split only if its ``kind`` is "text" and it is too large.

    ``part`` is the index of its part in `Passages.parts`. ``is_title``: whether it is part of its section's title.
    """

    begin: int
    end: int
    kind: ChunkKind
    part: int
    is_title: bool = False


class Part(NamedTuple):
    """The unit that chunks do not cross: a section without subsections, a post, or the comments of an article.

    ``key``: the numbers of the sections around it and its own, then that of the post; ``path``: their heads.
    """

    key: tuple[int, ...]
    path: tuple[Head, ...]


class Passages(NamedTuple):
    """The passages of a page in order, and its parts."""

    passages: list[Passage]
    parts: list[Part]


def passages_of(page: Page, parsed: ParsedPage, sections: Sequence[Section]) -> Passages:
    """Split the main text of a page into passages; ``sections`` are its sections.

    Except for white space, the passages together are the main text. On threads the parts are posts, because apparent
    titles there belong to posts.
    """
    stretches = [*_stretches(page)]
    posts = parsed.posts.post.tolist() if parsed.posts is not None and parsed.posts.is_thread else None
    containers = Containers(parsed, [stretch.block for stretch in stretches], posts)
    # group neighbors in the same table or block of code; any other stretch is a group of its own
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
    """Yield the main blocks in the main text, and text outside them: comments, or text that no block has."""
    at = 0
    for number, block in enumerate(page.blocks):
        if block.is_main:
            yield Stretch(at, at + len(block.text), number)
            at += len(block.text) + 1
    if at < len(page.main_text):
        yield Stretch(at, len(page.main_text), None)


class _PassageWriter:
    """Builds passages in page order; running text is split at each head that begins inside it."""

    def __init__(self, text: str, heads: Sequence[Head]) -> None:
        self.passages: list[Passage] = []
        self.parts: list[Part] = []
        self._text = text
        self._heads = heads
        self._starts = [head.begin for head in heads]
        self._rest: tuple[int, ...] = ()  # the number of the post, or COMMENTS

    def enter_post(self, post: int) -> None:
        """Set the post of the following text; text outside posts (-1) is assigned to the last post."""
        if post >= 0:
            self._rest = (post,)

    def leave_sections(self) -> None:
        """Record that the following text belongs to no section."""
        self._heads, self._starts, self._rest = [], [], COMMENTS

    def add(self, begin: int, end: int, kind: ChunkKind) -> None:
        """Add a part of the text: a passage for each line, or a single one if its kind is not "text"."""
        while begin < end:
            stop = end if kind != "text" else self._end_of_line(begin, end)
            if line := self._text[begin:stop].rstrip():
                self._passage(begin, begin + len(line), kind)
            begin = stop

    def _end_of_line(self, begin: int, end: int) -> int:
        """Return where a line ends, or a section begins in it."""
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
    """Data about a table from its main blocks."""

    def __init__(self) -> None:
        self.is_data = True
        self.is_code = True
        self.words: dict[Scope | None, int] = defaultdict(int)  # by cell
        self.rows: dict[Scope | None, set[Scope | None]] = defaultdict(set)  # cells by row
        self.posts: set[int] = set()

    def holds_data(self) -> bool:
        """Whether it has several columns, and only short text in its cells."""
        columns = max(map(len, self.rows.values()))
        return self.is_data and columns > 1 and len(self.posts) < 2 and max(self.words.values()) <= _MOST_WORDS


class _Place(NamedTuple):
    """The outermost code block and the innermost table and cell around a scope; whether it is in a heading."""

    code: Scope | None = None
    table: Scope | None = None
    cell: Scope | None = None
    heading: bool = False

    def inside(self, scope: Scope) -> _Place:
        """Return the place of a child scope of this one."""
        if scope.tag in _CODE:
            return self._replace(code=self.code or scope)
        if scope.tag in CELLS:
            return self._replace(cell=scope)
        if scope.tag == "table":
            return self._replace(table=scope, cell=None)
        return self._replace(heading=True) if scope.tag in HEADING_LEVELS else self


class Containers:
    """The tables and blocks of code around the main blocks of a page.

    A data table has several columns, and no headings, other tables, parts of several posts or long text in a cell;
    those occur in layout tables.
    """

    def __init__(self, parsed: ParsedPage, blocks: Iterable[int | None], posts: Sequence[int] | None) -> None:
        """``blocks`` are the numbers of the main blocks, ``posts`` the numbers of the posts of all blocks, if any."""
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
        """Return the data table or the block of code around a block, if any."""
        if block is None:
            return None
        place = self._place(self._parsed.text_blocks[block].scope)
        return place.table if place.table in self._data else place.code

    def kind(self, block: int | None) -> ChunkKind:
        """Return the kind of the container of a block."""
        inside = self.of(block)
        if inside is None:
            return "text"
        return "code" if inside not in self._tables or self._tables[inside].is_code else "table"

    def _place(self, scope: Scope) -> _Place:
        """Return the place of a scope; results are cached."""
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
