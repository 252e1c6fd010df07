"""The chunks of a page."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from scrapy_semtext.chunks.packing import Packer, Span, sentence_starts
from scrapy_semtext.chunks.passages import passages_of
from scrapy_semtext.output.title import same_title
from scrapy_semtext.page import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.chunks.headings import Head
    from scrapy_semtext.chunks.size import ChunkOptions
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.page import ChunkKind, Page, Section

_NEWLINE = re.compile("\n")


def read_chunks(page: Page, parsed: ParsedPage, sections: Sequence[Section], options: ChunkOptions) -> list[Chunk]:
    """Return the chunks of the main text of a page, in order; ``sections`` are its sections.

    Time is linear in the text for a size.
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
    """Where a span begins that repeats the last sentences of the one before, as many as may be."""
    if before.kinds != {"text"}:
        return span.begin
    begin = span.begin
    for start in reversed([before.begin, *_sentences(text, before.begin, before.end)]):
        if packer.size(start, before.end) > options.overlap or packer.size(start, span.end) > options.size:
            break
        begin = start
    return begin


def _sentences(text: str, begin: int, end: int) -> list[int]:
    """Where sentences and lines begin, but for the first."""
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
    """The titles on a path below that of the page, which is not repeated."""
    titles = [head.title for head in path if head.title]
    if not title or (titles and same_title(titles[0], title)):
        return titles
    return [title, *titles]


def _url(url: str | None, path: Sequence[Head]) -> str | None:
    """The URL of a page, with the fragment of the innermost section that has one."""
    fragment = next((head.fragment for head in reversed(path) if head.fragment), "")
    return f"{urldefrag(url).url}#{fragment}" if url is not None and fragment else url
