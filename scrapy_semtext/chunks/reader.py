"""The chunks of a page: passages combined into spans of the main text; running text is split between sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from operator import attrgetter, is_
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urldefrag

from scrapy_semtext.chunks.passages import COMMENTS, passages_of
from scrapy_semtext.chunks.size import WORD
from scrapy_semtext.output.title import same_title
from scrapy_semtext.page import Chunk
from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.chunks.passages import Head, Part, Passage, Passages
    from scrapy_semtext.chunks.size import ChunkOptions
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import ChunkKind, Page, Section


Measure = Callable[[str], int]

#: Parts of less than this share of the size are small: adjacent small parts are merged.
SMALL = 0.25

# The end of a sentence, optionally followed by brackets, quotation marks and footnotes, then a space and no closing or
# joining sign; or a Chinese or Japanese full stop, which needs no space.
_END = re.compile(
    r"""(?<![.!?…])[.!?…]+['"“”‘’«»)\]]*(?:\[\d+\])*\s+(?=[^\s,;:)\]–—-])|[。！？][」』】”’)]*\s*""",
)
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_ABBREVIATIONS = frozenset(WORDS["abbreviated"])
_LONGEST = 8  # characters that are searched for an abbreviation


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
        self._most = size
        self._limit = size - overlap
        self._nothing = measure("")  # the number of tokens that a tokenizer adds to each text

    def spans(self, found: Passages) -> list[Span]:
        """Return the spans in order: too large parts of the text split, adjacent small ones merged."""
        spans: list[Span] = []
        titles: list[Atom] = []  # of sections without their own text: added to the first subsection
        parts = [(found.parts[number], [*passages]) for number, passages in groupby(found.passages, attrgetter("part"))]
        for place, (part, passages) in enumerate(parts):
            atoms = [*titles, *(atom for passage in passages for atom in self._atoms(passage))]
            following = parts[place + 1][0] if place + 1 < len(parts) else None
            titles = []
            if not all(passage.is_title for passage in passages):
                spans += self._of_part(atoms, part)
            elif following and _is_inside(following, part.key):
                titles = atoms
            elif not (spans and self._extends(spans[-1], atoms[-1].end)):
                spans += self._of_part(atoms, part)
        return self._merged(spans)

    def size(self, begin: int, end: int) -> int:
        """Return the size of ``text[begin:end]``."""
        return self._measure(self._text[begin:end])

    def _extends(self, span: Span, end: int) -> bool:
        size = self.size(span.begin, end)
        if size > self._most:
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
        fits = self.size(atoms[0].begin, atoms[-1].end) <= self._most
        spans = []
        for run in [atoms] if fits else self._runs(atoms):
            begin, end = run[0].begin, run[-1].end
            spans.append(Span(begin, end, self.size(begin, end), {atom.kind for atom in run}, part, len(part.path)))
        for one, two in pairwise(spans):
            one.is_last = two.is_first = False
        return spans

    def _runs(self, atoms: Sequence[Atom]) -> Iterator[Sequence[Atom]]:
        """Split atoms into runs of similar size that fit; a too large atom is alone, except for a lead-in."""
        waiting: list[Atom] = []
        for atom in atoms:
            if atom.size <= self._limit:
                waiting.append(atom)
                continue
            leading = len(waiting)
            while leading and waiting[leading - 1].leads:
                leading -= 1
            yield from self._even_runs(waiting[:leading])
            yield [*waiting[leading:], atom]
            waiting = []
        yield from self._even_runs(waiting)

    def _even_runs(self, atoms: Sequence[Atom]) -> Iterator[Sequence[Atom]]:
        """Split atoms that fit into runs of about the same size, none of which ends with a lead-in."""
        left = sum(map(self._added, atoms))
        room = max(1, self._limit - self._nothing)
        begin = 0
        while begin < len(atoms):
            target = left / math.ceil(left / room)
            end, size = begin, 0
            while end < len(atoms) and size + self._added(atoms[end]) <= room:
                if end > begin and size + self._added(atoms[end]) / 2 > target:
                    break
                size += self._added(atoms[end])
                end += 1
            end = self._cut(atoms, begin, max(end, begin + 1))
            left -= sum(map(self._added, atoms[begin:end]))
            yield atoms[begin:end]
            begin = end

    def _added(self, atom: Atom) -> int:
        """Return the size that an atom adds to a span; at least 1, because white space may be a token."""
        return max(1, atom.size - self._nothing)

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
        small = SMALL * self._most
        grows = False  # whether the last span consists of small ones
        for span in spans:
            is_small = span.size < small and span.is_first and span.is_last
            if grows and is_small and _are_siblings(merged[-1].part, span.part):
                last = merged[-1]
                if self._extends(last, span.end):
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
    for found in _END.finditer(text, begin, end):
        at = found.end()
        if at < end and not text[at].islower() and not _is_abbreviated(text, found.start(), begin):
            yield at


def _is_abbreviated(text: str, at: int, begin: int) -> bool:
    """Return whether the sign at an index is the dot of an abbreviation or an initial."""
    if text[at] != ".":
        return False
    word = _LAST_WORD.search(text[max(begin, at - _LONGEST) : at])
    return word is not None and ((len(word[0]) == 1 and word[0] != "I") or word[0].lower() in _ABBREVIATIONS)


_NEWLINE = re.compile("\n")


def read_chunks(page: Page, parsed: ParsedPage, sections: Sequence[Section], options: ChunkOptions) -> list[Chunk]:
    """Return the chunks of the main text of a page, in order; ``sections`` are its sections.

    For a given size, time is linear in the text.
    """
    text, limit = page.main_text, options.size
    packer = Packer(text, options.measure(), limit, options.overlap)
    spans = packer.spans(passages_of(page, parsed, sections))
    begins = [span.begin for span in spans]
    if options.overlap:
        for place, (before, span) in enumerate(pairwise(spans), 1):
            if not span.is_first:
                begins[place] = _earlier(packer, text, before, span, options)
    return [
        _chunk(page, position, begin, span, packer, limit)
        for position, (begin, span) in enumerate(zip(begins, spans, strict=True))
    ]


def _earlier(packer: Packer, text: str, before: Span, span: Span, options: ChunkOptions) -> int:
    """Return the begin of a span extended by the last sentences of the previous one, as many as allowed."""
    if before.kinds != {"text"}:
        return span.begin
    begin = span.begin
    for start in reversed([before.begin, *_sentences(text, before.begin, before.end)]):
        if packer.size(start, before.end) > options.overlap or packer.size(start, span.end) > options.size:
            break
        begin = start
    return begin


def _sentences(text: str, begin: int, end: int) -> list[int]:
    """Return where sentences and lines begin, except the first."""
    starts = set(sentence_starts(text, begin, end))
    starts.update(newline.end() for newline in _NEWLINE.finditer(text, begin, end))
    return sorted(starts)


def _chunk(page: Page, position: int, begin: int, span: Span, packer: Packer, limit: int) -> Chunk:
    size = span.size if begin == span.begin else packer.size(begin, span.end)
    path = span.part.path[: span.shared]
    kind: ChunkKind = next(iter(span.kinds)) if len(span.kinds) == 1 else "text"
    return Chunk(
        text=page.main_text[begin : span.end],
        headings=_headings(page.title, path),
        url=_url(page.url, path),
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


def _url(url: str | None, path: Sequence[Head]) -> str | None:
    """Return the URL of a page, with the fragment of the innermost section that has one."""
    fragment = next((head.fragment for head in reversed(path) if head.fragment), "")
    return f"{urldefrag(url).url}#{fragment}" if url is not None and fragment else url
