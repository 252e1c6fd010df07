"""The sections of a page, and its text as titles, prose and miscellany, from its labelled blocks.

This is the structural reading: it goes by heading tags, by the shape of lines and by nothing learned. The classes are
those of STAPI (Zhang, Wilson & Mitra 2022): a title heads a section, prose is what sections consist of, miscellany is
text of the document that belongs to no section, such as "Last updated" or "Back to top".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_semtext.page import Section, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.page import Block, SegmentLabel

_LEVELS = {f"h{level}": level for level in range(1, 7)}

# Elements whose short lines belong to a list, and with it to the section's prose.
_ITEMS = frozenset(("li", "dd"))

# The end of a sentence, or of a line that leads to a list, behind it perhaps a bracket, a quotation mark or a footnote.
_SENTENCE_END = re.compile(r"[.!?:;,。！？：；…]['\"“”‘’«»)\]】」]*(?:\[\d+\])?$")

#: From this many words on a line is prose, however it ends (titles in the data have 8 at the ninth decile).
PROSE_WORDS = 12


def sections_of(blocks: Sequence[Block]) -> list[Section]:
    """Return the main content cut at its headings (h1 to h6); what stands before the first has no title.

    Blocks labelled boilerplate are left out. A heading with nothing below it is a section with an empty text, so that
    the outline of the page is whole.
    """
    sections: list[Section] = []
    title: str | None = None
    level, lines = 1, list[str]()
    for block in blocks:
        if not block.is_main:
            continue
        if block.tag not in _LEVELS:
            lines.append(block.text)
            continue
        if title is not None or lines:
            sections.append(Section(title, "\n".join(lines), level))
        title, level, lines = " ".join(block.text.split()), _LEVELS[block.tag], []
    if title is not None or lines:
        sections.append(Section(title, "\n".join(lines), level))
    return sections


def segments_of(blocks: Sequence[Block]) -> list[Segment]:
    """Return the lines of the main content, each labelled as title, prose or miscellany; boilerplate is left out."""
    lines = list(_main_lines(blocks))
    return [
        Segment(text, _label(text, tag, behind))
        for (text, tag), (behind, _) in zip(lines, [*lines[1:], ("", "")], strict=False)
    ]


def _main_lines(blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Each line of the main content with the tag of its block."""
    for block in blocks:
        if block.is_main:
            for line in block.text.splitlines():
                if text := line.strip():
                    yield text, block.tag


def _label(text: str, tag: str, behind: str) -> SegmentLabel:
    """Headings are titles, as is a short line in front of prose; sentences, long lines and list items are prose."""
    if tag in _LEVELS:
        return "title"
    if tag in _ITEMS or _is_prose(text):
        return "prose"
    return "title" if _is_prose(behind) else "miscellany"


def _is_prose(line: str) -> bool:
    return bool(_SENTENCE_END.search(line)) or line.count(" ") >= PROSE_WORDS - 1
