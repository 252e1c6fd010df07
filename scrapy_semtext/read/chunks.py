"""Chunks of a page's main text for RAG, and their rows for files and feeds.

The main text is first split into passages: lines of running text, tables and blocks of code, each with its section.
Passages are then combined into spans of the requested size, in words or in the tokens of a tokenizer; only running text
is split, between sentences.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import accumulate, groupby, islice, pairwise, takewhile
from operator import attrgetter, is_
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urldefrag

from scrapy_semtext.page import Chunk, ChunkKind, Page, Section
from scrapy_semtext.read.title import same_title
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.elements import all_text
from scrapy_semtext.tree.parsing import from_outside_in
from scrapy_semtext.tree.scopes import CELLS
from scrapy_semtext.tree.segmentation import Scope, TextBlock, shown
from scrapy_semtext.tree.tags import GROUPS, HEADING_LEVELS, Group
from scrapy_semtext.words.word_tables import WORDS

if TYPE_CHECKING:
    from scrapy_semtext.features.table import ParsedPage, PostBlocks


Tokenizer = Callable[[str], Sized]
#: The default sizes of chunks, which are about equal, because 100 English words are about 130 tokens.
DEFAULT_WORDS = 200
DEFAULT_TOKENS = 256
# In scripts without spaces (Thai to Khmer, Japanese and Chinese) each character counts as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED_SIGN = re.compile(f"[{_UNSPACED}]")
#: A word of a text.
WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")

_WORD = re.compile(r"\S+")
# The maximum number of titles in a path: if each section is inside the previous one, paths would grow with the page.
_MAX_PATH_TITLES = 12
# The numbers of elements around a title, and inside it, that are searched for an id.
_MAX_ANCESTORS, _MAX_DESCENDANTS = 3, 10
_FRAGMENT_CHARACTERS = "!$&'()*+,;=:@/?-._~"
#: The key of the part with comments, which belong to no section.
COMMENTS = (-1,)
# A table with more words in a cell is used for layout; it can be split between its cells.
_MAX_CELL_WORDS = 100
_CODE = frozenset(tag for tag, group in GROUPS.items() if group == Group.PREFORMATTED)

Measure = Callable[[str], int]
#: Parts of less than this share of the size are small: adjacent small parts are merged.
MIN_SHARE = 0.25
# The end of a sentence, optionally followed by brackets, quotation marks and footnotes, then a space and no closing or
# joining sign; or a Chinese or Japanese full stop, which needs no space.
_END = re.compile(
    r"""(?<![.!?…])[.!?…]+['"“”‘’«»)\]]*(?:\[\d+\])*\s+(?=[^\s,;:)\]–—-])|[。！？][」』】”’)]*\s*""",
)
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_ABBREVIATIONS = frozenset(WORDS["abbreviated"])
_MAX_ABBREVIATION_CHARS = 8  # characters that are searched for an abbreviation

_NEWLINE = re.compile("\n")


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """The size of chunks.

    A chunk has at most ``words`` words or, with ``tokenizer``, at most ``tokens`` tokens. ``tokenizer`` is a callable
    that takes a text and returns a sequence, or its import path ("package.module.callable" or
    "package.module:callable"). ``overlap``: each chunk begins with the last sentences of the previous one in the same
    section, up to this number of words or tokens, which count towards its size.
    """

    words: int | None = None
    tokens: int | None = None
    tokenizer: str | Tokenizer | None = None
    overlap: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for invalid values, and for a tokenizer that cannot be imported."""
        for name in ("words", "tokens", "overlap"):
            value, minimum = getattr(self, name), int(name != "overlap")
            if value is not None and (type(value) is not int or value < minimum):
                raise ValueError(f"{name} is {value!r}; it has to be a whole number of at least {minimum}")
        if self.tokenizer is None:
            if self.tokens is not None:
                raise ValueError("tokens needs a tokenizer; without one, chunks are measured in words")
        elif self.words is not None:
            raise ValueError("words and a tokenizer exclude each other; give the size in tokens")
        if self.overlap > self.size // 2:
            raise ValueError(f"overlap is {self.overlap}; it has to be at most half of the size, {self.size}")
        if self.tokenizer is not None:
            tokenizer_of(self.tokenizer)

    @classmethod
    def of(cls, value: Any) -> ChunkOptions | None:
        """Return the options for True (the defaults), a number of words or a dict; None for False and None.

        Raises ValueError for other values and for unknown keys.
        """
        if value is None or value is False:
            return None
        if isinstance(value, cls):
            return value
        if value is True:
            return cls()
        if isinstance(value, int):
            return cls(words=value)
        if not isinstance(value, Mapping):
            raise ValueError(f"chunks is {value!r}; it has to be True, False, a number of words or a dict")
        keys = [option.name for option in fields(cls)]
        for key in value:
            if key not in keys:
                raise ValueError(f"chunks has no key {key!r}; the keys are {', '.join(keys)}")
        return cls(**value)

    @property
    def size(self) -> int:
        """The size that no chunk exceeds unless it cannot be split."""
        if self.tokenizer is None:
            return self.words or DEFAULT_WORDS
        return self.tokens or DEFAULT_TOKENS

    def measure(self) -> Callable[[str], int]:
        """Return the function that measures a text."""
        if self.tokenizer is None:
            return count_words
        tokenizer = tokenizer_of(self.tokenizer)
        return lambda text: len(tokenizer(text))


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    if text.isascii() or _UNSPACED_SIGN.search(text) is None:  # faster
        return len(text.split())
    return len(WORD.findall(text))


def tokenizer_of(given: str | Tokenizer) -> Tokenizer:
    """Return a tokenizer, imported if given by its path; raise ValueError if it is not one."""
    tokenizer = _imported(given) if isinstance(given, str) else given
    if not callable(tokenizer):
        raise ValueError(f"tokenizer is {given!r}, which cannot be called; it has to take a text")
    return tokenizer


@lru_cache(maxsize=8)
def _imported(path: str) -> Any:
    """Import a tokenizer; cached, because options are checked several times."""
    try:
        return resolve_name(path)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"tokenizer is {path!r}, which cannot be imported: {error}") from error


def read_chunks(
    page: Page,
    parsed: ParsedPage,
    sections: Sequence[Section],
    options: ChunkOptions,
    in_posts: PostBlocks | None = None,
) -> list[Chunk]:
    """Return the chunks of the main text of a page, in order, given its sections and where its blocks are in posts.

    For a given size, time is linear in the text.
    """
    text, limit = page.main_text, options.size
    packer = Packer(text, options.measure(), limit, options.overlap)
    spans = packer.spans(passages_of(page, parsed, sections, in_posts))
    begins = [span.begin for span in spans]
    if options.overlap:
        for index, (previous, span) in enumerate(pairwise(spans), 1):
            if not span.is_first:
                begins[index] = _begin_with_overlap(packer, text, previous, span, options)
    return [
        _chunk(page, position, begin, span, packer, limit)
        for position, (begin, span) in enumerate(zip(begins, spans, strict=True))
    ]


def _begin_with_overlap(packer: Packer, text: str, previous: Span, span: Span, options: ChunkOptions) -> int:
    """Return the begin of a span extended by the last sentences of the previous one, as many as allowed."""
    if previous.kinds != {"text"}:
        return span.begin
    begin = span.begin
    for start in reversed([previous.begin, *_sentences(text, previous.begin, previous.end)]):
        if packer.size(start, previous.end) > options.overlap or packer.size(start, span.end) > options.size:
            break
        begin = start
    return begin


def _sentences(text: str, begin: int, end: int) -> list[int]:
    """Return where sentences and lines begin, except the first."""
    starts = set(sentence_starts(text, begin, end))
    starts.update(newline.end() for newline in _NEWLINE.finditer(text, begin, end))
    return sorted(starts)


def _chunk(page: Page, position: int, begin: int, span: Span, packer: Packer, limit: int) -> Chunk:
    """Return a span as a chunk whose text begins at ``begin``: earlier than the span if chunks overlap."""
    size = span.size if begin == span.begin else packer.size(begin, span.end)
    path = span.part.path[: span.shared]
    fragment = next((head.fragment for head in reversed(path) if head.fragment), "")
    kind: ChunkKind = next(iter(span.kinds)) if len(span.kinds) == 1 else "text"
    return Chunk(
        text=page.main_text[begin : span.end],
        headings=_headings(page.title, path),
        url=f"{urldefrag(page.url).url}#{fragment}" if page.url is not None and fragment else page.url,
        position=position,
        start=begin,
        end=span.end,
        size=size,
        kind=kind,
        oversize=size > limit,
    )


def _headings(title: str | None, path: Sequence[Head]) -> list[str]:
    """Return the titles on a path below that of the page, which is not repeated."""
    titles = [head.title for head in path if head.title]
    if not title or (titles and same_title(titles[0], title)):
        return titles
    return [title, *titles]


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


def passages_of(
    page: Page, parsed: ParsedPage, sections: Sequence[Section], in_posts: PostBlocks | None = None
) -> Passages:
    """Split the main text of a page into passages; ``sections`` are its sections.

    Except for white space, passages together are the main text. On threads, parts are posts, to which all titles
    belong.
    """
    stretches = [*_stretches(page)]
    posts = in_posts.post.tolist() if in_posts is not None and in_posts.is_thread else None
    containers = Containers(parsed, [stretch.block for stretch in stretches], posts)
    # group neighbors in the same table or block of code; any other stretch is a group of its own
    groups = [[*group] for _, group in groupby(stretches, lambda stretch: containers.of(stretch.block) or stretch)]
    heads: list[Head] = []
    if posts is None:
        unsplit = [(group[0].begin, group[-1].end) for group in groups if containers.kind(group[0].block) != "text"]
        heads = heads_outside(heads_of(page.main_text, sections, parsed.text_blocks, stretches), unsplit)
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
    position = 0
    for number, block in enumerate(page.blocks):
        if block.is_main:
            yield Stretch(position, position + len(block.text), number)
            position += len(block.text) + 1
    if position < len(page.main_text):
        yield Stretch(position, len(page.main_text), None)


class _PassageWriter:
    """Builds passages in page order; running text is split at each head that begins inside it."""

    def __init__(self, text: str, heads: Sequence[Head]) -> None:
        self.passages: list[Passage] = []
        self.parts: list[Part] = []
        self._text = text
        self._heads = heads
        self._starts = [head.begin for head in heads]
        self._last_key: tuple[int, ...] = ()  # the number of the post, or COMMENTS

    def enter_post(self, post: int) -> None:
        """Set the post of the following text; text outside posts (-1) is assigned to the last post."""
        if post >= 0:
            self._last_key = (post,)

    def leave_sections(self) -> None:
        """Record that the following text belongs to no section."""
        self._heads, self._starts, self._last_key = [], [], COMMENTS

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
        """Add a passage, and a new part if it is in another section or post than the last passage."""
        number = bisect_right(self._starts, begin) - 1
        head = self._heads[number] if number >= 0 else None
        key = (*(head.key if head else ()), *self._last_key)
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
        return self.is_data and columns > 1 and len(self.posts) < 2 and max(self.words.values()) <= _MAX_CELL_WORDS


class _Containment(NamedTuple):
    """The outermost code block and the innermost table and cell around a scope; whether it is in a heading."""

    code: Scope | None = None
    table: Scope | None = None
    cell: Scope | None = None
    heading: bool = False

    def inside(self, scope: Scope) -> _Containment:
        """Return the containers around a child scope of this one."""
        if scope.tag in _CODE:
            return self._replace(code=self.code or scope)
        if scope.tag in CELLS:
            return self._replace(cell=scope)
        if scope.tag == "table":
            return self._replace(table=scope, cell=None)
        return self._replace(heading=True) if scope.tag in HEADING_LEVELS else self


class Containers:
    """The tables and blocks of code around the main blocks of a page.

    A data table, unlike a layout table, has several columns, no headings or tables, and not several posts or long
    texts.
    """

    def __init__(self, parsed: ParsedPage, blocks: Iterable[int | None], posts: Sequence[int] | None) -> None:
        """``blocks`` are the numbers of the main blocks, ``posts`` the numbers of the posts of all blocks, if any."""
        self._parsed = parsed
        self._known: dict[Scope, _Containment] = {}
        self._tables: dict[Scope, _Table] = defaultdict(_Table)
        self._outer: set[Scope] = set()
        starts = [*parsed.starts.tolist(), len(parsed.raw_blocks)]
        for block in blocks:
            if block is not None:
                for raw in parsed.raw_blocks[starts[block] : starts[block + 1]]:
                    self._count(raw.text, self._containment(raw.scope), -1 if posts is None else posts[block])
        self._data = {scope for scope, table in self._tables.items() if scope not in self._outer and table.holds_data()}

    def of(self, block: int | None) -> Scope | None:
        """Return the data table or the block of code around a block, if any."""
        if block is None:
            return None
        containment = self._containment(self._parsed.text_blocks[block].scope)
        return containment.table if containment.table in self._data else containment.code

    def kind(self, block: int | None) -> ChunkKind:
        """Return the kind of the container of a block."""
        container = self.of(block)
        if container is None:
            return "text"
        return "code" if container not in self._tables or self._tables[container].is_code else "table"

    def _containment(self, scope: Scope) -> _Containment:
        """Return the containers around a scope; results are cached."""
        return from_outside_in(scope, self._known, attrgetter("parent"), self._inner_containment) or _Containment()

    def _inner_containment(self, scope: Scope, outer: _Containment | None) -> _Containment:
        """Return the containers around a scope, given those around its parent."""
        outer = outer or _Containment()
        if scope.tag == "table" and outer.table is not None:
            self._outer.add(outer.table)
        return outer.inside(scope)

    def _count(self, text: str, containment: _Containment, post: int) -> None:
        """Add the text of a raw block to the table that it is in, if any."""
        if containment.table is None:
            return
        table = self._tables[containment.table]
        table.is_data &= not containment.heading
        table.is_code &= containment.code is not None
        table.words[containment.cell] += count_words(text) if containment.code is None else 0
        table.rows[containment.cell.parent if containment.cell else None].add(containment.cell)
        table.posts.add(post)


@dataclass(frozen=True, slots=True)
class Head:
    """The title of a section, None for the text before the first.

    ``begin`` and ``end``: the title's position in the main text; ``fragment``: the id that links to it, "" if none;
    ``key``: the numbers of the sections around it, and its own; ``ancestors``: the heads of these.
    """

    begin: int
    end: int
    title: str | None
    fragment: str
    key: tuple[int, ...]
    ancestors: tuple[Head, ...]

    @property
    def path(self) -> tuple[Head, ...]:
        """The heads around it and itself, without those that have no title."""
        return self.ancestors if self.title is None else (*self.ancestors, self)


def heads_of(
    text: str, sections: Sequence[Section], blocks: Sequence[TextBlock], stretches: Sequence[Stretch]
) -> list[Head]:
    """Return the heads of the sections of a page in order.

    ``stretches`` give the positions of the ``blocks`` in ``text``. Sections are located by counting characters: except
    for white space, they contain exactly the main text.
    """
    indexes = _CharacterPositions(text)
    begins = [stretch.begin for stretch in stretches]
    heads: list[Head] = []
    count = 0
    for section, key, ancestors in _in_order(sections, heads):
        title = shown(section.title or "")
        begin = indexes.of(count)
        if begin < len(text):
            stretch = stretches[bisect_right(begins, begin) - 1]
            fragment = "" if not title or stretch.block is None else _fragment(blocks[stretch.block])
            name = section.title or None
            end = indexes.of(count + title - 1) + 1 if title else begin
            heads.append(Head(begin, end, name, fragment, key, ancestors))
        count += title + shown(section.text)
    return heads


class _CharacterPositions:
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
        remaining = number - self._counts[line]
        for word in _WORD.finditer(self._text, self._starts[line]):
            if remaining < len(word[0]):
                return word.start() + remaining
            remaining -= len(word[0])
        return len(self._text)


def heads_outside(heads: Sequence[Head], ranges: Sequence[tuple[int, int]]) -> list[Head]:
    """Return the heads that begin in none of the ``ranges`` (from and to, in order), which contain no titles."""
    begins = [begin for begin, _ in ranges]
    kept = []
    for head in heads:
        index = bisect_right(begins, head.begin) - 1
        if index < 0 or head.begin >= ranges[index][1]:
            kept.append(head)
    keys = {head.key for head in kept}
    return [replace(head, ancestors=tuple(outer for outer in head.ancestors if outer.key in keys)) for head in kept]


def _in_order(
    sections: Sequence[Section], heads: Sequence[Head]
) -> Iterator[tuple[Section, tuple[int, ...], tuple[Head, ...]]]:
    """Yield sections in page order, with their keys and the heads around them; the last is their own from ``heads``."""
    stack: list[tuple[Section, tuple[int, ...], tuple[Head, ...]]] = [(inner, (), ()) for inner in reversed(sections)]
    number = 0
    while stack:
        section, outer, ancestors = stack.pop()
        key = (*outer, number)
        number += 1
        yield section, key, ancestors
        if section.sections:
            path_within = key[:_MAX_PATH_TITLES], (*ancestors, heads[-1])[:_MAX_PATH_TITLES]
            stack += [(inner, *path_within) for inner in reversed(section.sections)]


def _fragment(block: TextBlock) -> str:
    """Return the id that links to a title, as written in a URL; "" without any."""
    scopes = [*islice(block.scope.ancestry(), _MAX_ANCESTORS)]
    heading = next((scope for scope in scopes if scope.tag in HEADING_LEVELS), block.scope)
    candidates = _elements_at(heading.element)
    names = (element.get("id") or (element.get("name") if element.tag == "a" else "") for element in candidates)
    return quote(next(filter(None, names), ""), safe=_FRAGMENT_CHARACTERS)


def _elements_at(heading: Any) -> Iterator[Any]:
    """Yield a heading, its descendants, its parents that begin with it, and an anchor directly before it, if any."""
    yield heading
    if heading.tag in HEADING_LEVELS:
        yield from islice(heading.iterdescendants("*"), _MAX_DESCENDANTS)
    element = heading
    for _ in range(_MAX_ANCESTORS):
        previous, outer = element.getprevious(), element.getparent()
        if previous is not None or outer is None or outer.tag in ("body", "html") or (outer.text or "").strip():
            if previous is not None and previous.tag in ("a", "span") and not all_text(previous).strip():
                yield previous
            return
        element = outer
        yield element


class Atom(NamedTuple):
    """An indivisible part of the main text, ``text[begin:end]``.

    ``leads``: whether it introduces what follows, like a title or a line that ends with a colon.
    """

    begin: int
    end: int
    size: int
    kind: ChunkKind
    leads: bool


@dataclass(slots=True)
class Span:
    """A future chunk: ``text[begin:end]``.

    ``part`` is the first part in it; all its parts share ``shared`` heads of the path of ``part``.
    """

    begin: int
    end: int
    size: int
    kinds: set[ChunkKind]
    part: Part
    shared: int
    is_first: bool = True  # of its part
    is_last: bool = True


class Packer:
    """Combines the passages of one text.

    ``size`` is the maximum value of ``measure`` for a span that can be split; split parts leave ``overlap`` of it free.
    """

    def __init__(self, text: str, measure: Measure, size: int, overlap: int = 0) -> None:
        self._text = text
        self._measure = measure
        self._max_size = size
        self._limit = size - overlap
        self._empty_size = measure("")  # the number of tokens that a tokenizer adds to each text

    def spans(self, found: Passages) -> list[Span]:
        """Return the spans in order: too large parts of the text split, adjacent small ones merged."""
        spans: list[Span] = []
        titles: list[Atom] = []  # of sections without their own text: added to the first subsection
        parts = [(found.parts[number], [*passages]) for number, passages in groupby(found.passages, attrgetter("part"))]
        for index, (part, passages) in enumerate(parts):
            atoms = [*titles, *(atom for passage in passages for atom in self._atoms(passage))]
            following = parts[index + 1][0] if index + 1 < len(parts) else None
            titles = []
            if not all(passage.is_title for passage in passages):
                spans += self._of_part(atoms, part)
            elif following and _is_inside(following, part.key):
                titles = atoms
            elif not (spans and self._extend(spans[-1], atoms[-1].end)):
                spans += self._of_part(atoms, part)
        return self._merged(spans)

    def size(self, begin: int, end: int) -> int:
        """Return the size of ``text[begin:end]``."""
        return self._measure(self._text[begin:end])

    def _extend(self, span: Span, end: int) -> bool:
        """Extend a span to ``end`` if it still fits, and return whether it does."""
        size = self.size(span.begin, end)
        if size > self._max_size:
            return False
        span.end, span.size = end, size
        return True

    def _atoms(self, passage: Passage) -> Iterator[Atom]:
        """Yield a passage or, if it is running text and too large, its sentences or parts of them."""
        begin, end = passage.begin, passage.end
        size = self.size(begin, end)
        leads = passage.is_title or self._text[end - 1] in ":："
        if size <= self._limit or passage.kind != "text":
            yield Atom(begin, end, size, passage.kind, leads)
            return
        for start, stop in pairwise([begin, *sentence_starts(self._text, begin, end), end]):
            yield from self._words(start, stop)

    def _words(self, begin: int, end: int) -> Iterator[Atom]:
        """Yield a sentence or, if it is too large, parts of it."""
        end = begin + len(self._text[begin:end].rstrip())
        size = self.size(begin, end)
        if size <= self._limit:
            yield Atom(begin, end, size, "text", False)
            return
        words = [
            Atom(*word.span(), self._measure(word[0]), "text", False) for word in WORD.finditer(self._text, begin, end)
        ]
        for run in self._runs(words):
            yield Atom(run[0].begin, run[-1].end, self.size(run[0].begin, run[-1].end), "text", False)

    def _of_part(self, atoms: Sequence[Atom], part: Part) -> list[Span]:
        """Return the spans of a part: one if its atoms fit together, else several of similar size."""
        fits = self.size(atoms[0].begin, atoms[-1].end) <= self._max_size
        spans = []
        for run in [atoms] if fits else self._runs(atoms):
            begin, end = run[0].begin, run[-1].end
            spans.append(Span(begin, end, self.size(begin, end), {atom.kind for atom in run}, part, len(part.path)))
        for span, following in pairwise(spans):
            span.is_last = following.is_first = False
        return spans

    def _runs(self, atoms: Sequence[Atom]) -> Iterator[Sequence[Atom]]:
        """Split atoms into runs of similar size that fit; a too large atom is alone, except for a lead-in."""
        fitting: list[Atom] = []
        for atom in atoms:
            if atom.size <= self._limit:
                fitting.append(atom)
                continue
            leading = len(fitting)
            while leading and fitting[leading - 1].leads:
                leading -= 1
            yield from self._even_runs(fitting[:leading])
            yield [*fitting[leading:], atom]
            fitting = []
        yield from self._even_runs(fitting)

    def _even_runs(self, atoms: Sequence[Atom]) -> Iterator[Sequence[Atom]]:
        """Split atoms that fit into runs of about the same size, none of which ends with a lead-in."""
        remaining = sum(map(self._added, atoms))
        room = max(1, self._limit - self._empty_size)
        begin = 0
        while begin < len(atoms):
            target = remaining / math.ceil(remaining / room)
            end, size = begin, 0
            while end < len(atoms) and size + self._added(atoms[end]) <= room:
                if end > begin and size + self._added(atoms[end]) / 2 > target:
                    break
                size += self._added(atoms[end])
                end += 1
            end = self._cut(atoms, begin, max(end, begin + 1))
            remaining -= sum(map(self._added, atoms[begin:end]))
            yield atoms[begin:end]
            begin = end

    def _added(self, atom: Atom) -> int:
        """Return the size that an atom adds to a span; at least 1, because white space may be a token."""
        return max(1, atom.size - self._empty_size)

    def _cut(self, atoms: Sequence[Atom], begin: int, end: int) -> int:
        """Return the end of a run, at most ``end``: before lead-ins, and before an atom that makes it too large."""
        while end > begin + 1 and self.size(atoms[begin].begin, atoms[end - 1].end) > self._limit:
            end = begin + max(1, (end - begin) * 3 // 4)
        earlier = end
        while end < len(atoms) and earlier > begin and atoms[earlier - 1].leads:
            earlier -= 1
        return earlier if earlier > begin else end

    def _merged(self, spans: Sequence[Span]) -> list[Span]:
        """Merge adjacent small spans that are whole parts of one parent, or the parent itself."""
        merged: list[Span] = []
        small_size = MIN_SHARE * self._max_size
        grows = False  # whether the last span consists of small ones
        for span in spans:
            is_small = span.size < small_size and span.is_first and span.is_last
            if grows and is_small and _are_siblings(merged[-1].part, span.part):
                last = merged[-1]
                if self._extend(last, span.end):
                    last.kinds |= span.kinds
                    last.shared = min(last.shared, sum(takewhile(bool, map(is_, last.part.path, span.part.path))))
                    continue
            merged.append(span)
            grows = is_small
        return merged


def _is_inside(part: Part, outer: tuple[int, ...]) -> bool:
    """Return whether a part is a section inside another, given the key of that."""
    return len(part.key) > len(outer) and part.key[: len(outer)] == outer


def _are_siblings(first: Part, part: Part) -> bool:
    """Return whether two parts are in the same section; comments are separate from all sections."""
    return (first.key == COMMENTS) == (part.key == COMMENTS) and _is_inside(part, first.key[:-1])


def sentence_starts(text: str, begin: int, end: int) -> Iterator[int]:
    """Yield where the sentences of ``text[begin:end]`` begin, except the first.

    A dot after an abbreviation or an initial ends no sentence, nor does any sign before a lower-case letter.
    """
    for sign in _END.finditer(text, begin, end):
        start = sign.end()
        if start < end and not text[start].islower() and not _is_abbreviated(text, sign.start(), begin):
            yield start


def _is_abbreviated(text: str, index: int, begin: int) -> bool:
    """Return whether the sign at an index is the dot of an abbreviation or an initial."""
    if text[index] != ".":
        return False
    word = _LAST_WORD.search(text[max(begin, index - _MAX_ABBREVIATION_CHARS) : index])
    return word is not None and ((len(word[0]) == 1 and word[0] != "I") or word[0].lower() in _ABBREVIATIONS)


@reader(
    "chunks",
    ("title", "blocks", "main_text", "found_sections", "post_blocks"),
    asked=lambda options: options.chunks is not None,
)
def chunks_reader(reading: Reading, _: Models) -> list[Chunk]:
    """Split the main text of a page, including joined comments, into chunks."""
    options = ChunkOptions.of(reading.options.chunks) or ChunkOptions()
    return read_chunks(reading.page, reading.parsed, reading.found_sections, options, reading.post_blocks)
