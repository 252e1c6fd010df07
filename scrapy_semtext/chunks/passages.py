"""The main text of a page as passages: lines of running text, tables and blocks of code, each with its section."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.chunks.headings import heads_of, outside
from scrapy_semtext.chunks.tables import Containers
from scrapy_semtext.output.repeats import MOST_THREAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.chunks.headings import Head
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import ChunkKind, Page, Section


#: The key of the part that comments are, which belong to no section.
COMMENTS = (-1,)


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
    is_thread = parsed.posts is not None and parsed.posts.probability > MOST_THREAD
    posts = parsed.posts.post.tolist() if parsed.posts is not None and is_thread else None
    containers = Containers(parsed, [stretch.block for stretch in stretches], posts)
    groups = [*_groups(stretches, containers)]
    heads: list[Head] = []
    if posts is None:
        whole = [(group[0].begin, group[-1].end) for group in groups if containers.kind(group[0].block) != "text"]
        heads = outside(heads_of(page.main_text, sections, parsed.text_blocks, stretches), whole)
    writer = _Writer(page.main_text, heads)
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


def _groups(stretches: Sequence[Stretch], containers: Containers) -> Iterator[list[Stretch]]:
    """Put neighbours in the same table or block of code together; any other stretch is a group of its own."""
    group: list[Stretch] = []
    for stretch in stretches:
        inside = containers.of(stretch.block)
        if group and (inside is None or inside is not containers.of(group[-1].block)):
            yield group
            group = []
        group.append(stretch)
    if group:
        yield group


class _Writer:
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
