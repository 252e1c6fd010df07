"""The levels of titles: by heading tag, size of text, numbering, looks, in this order; and titles of several lines.

The papers leave the hierarchy open (Zhang, Wilson & Mitra 2022, 6). Here titles that look alike are of one level. Two
kinds of titles are ordered by what a reader goes by: a heading tag of a lower number stands above, any heading tag
above text that is only bold; larger text above smaller; "1." above "1.1"; and else what comes first on the page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_semtext.sections.line_features import style_key
from scrapy_semtext.sections.numbering import Numbering, numbering

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from scrapy_semtext.sections.lines import Lines

# Text of so many pixels more is larger, not only set in another font.
_LARGER = 1.5


@dataclass(slots=True)
class Title:
    """A title of one or more lines (their numbers in the page), with its level from 1."""

    lines: list[int]
    text: str
    level: int = 1


@dataclass(slots=True)
class _Kind:
    """Titles that look alike. ``depth`` is that of their numbers, 0 where they have none."""

    heading: int
    size: float
    depth: int
    look: Hashable
    first: int
    titles: list[Title] = field(default_factory=list)


def titles_of(lines: Lines, is_title: Sequence[bool]) -> list[Title]:
    """Return the titles among a page's lines with their levels; neighbouring lines that are one title are joined."""
    titles = joined_titles(lines, is_title)
    _set_levels(titles, lines)
    return titles


def joined_titles(lines: Lines, is_title: Sequence[bool]) -> list[Title]:
    """Return the titles among a page's lines as `titles_of` does, but all of the first level."""
    titles: list[Title] = []
    for number in [number for number, wanted in enumerate(is_title) if wanted]:
        text = " ".join(lines.texts[number].split())
        last = titles[-1] if titles else None
        if last is not None and last.lines[-1] == number - 1 and _continues(lines, number, last.text):
            last.lines.append(number)
            last.text = f"{last.text} {text}"
        else:
            titles.append(Title([number], text))
    return titles


def _continues(lines: Lines, number: int, text: str) -> bool:
    """Whether a line goes on with the title before it: in one heading element, behind a bare number, or after a <br>.

    ``text`` is all of the title before it.
    """
    before, line = lines[number - 1], lines[number]
    if before.heading_element is not None or line.heading_element is not None:
        if before.heading_element is line.heading_element:
            return True
        return before.heading == line.heading and _is_bare_number(text)
    if _is_bare_number(text):
        return True
    return before.piece == line.piece and style_key(before) == style_key(line) and not numbering(line.text).width


def _is_bare_number(text: str) -> bool:
    number = numbering(text)
    return bool(number.width) and number.width >= len(text)


def _set_levels(titles: Sequence[Title], lines: Lines) -> None:
    kinds: dict[Hashable, _Kind] = {}
    headings = lines.headings().tolist()
    for order, title in enumerate(titles):
        number = numbering(title.text)
        depth, size, look = _depth(number), 0.0, None
        if not (heading := headings[title.lines[0]]):
            line = lines[title.lines[0]]
            size, look = line.size, (style_key(line), number.kind)
        key = (heading, depth, look)
        if key not in kinds:
            kinds[key] = _Kind(heading, size, depth, look, order)
        kinds[key].titles.append(title)
    level = 0
    for heading in sorted({kind.heading for kind in kinds.values()}, key=lambda heading: heading or 7):
        group = [kind for kind in kinds.values() if kind.heading == heading]
        level = _set_tag_levels(group, max(heading, level + 1)) if heading else _set_look_levels(group, level)


def _set_tag_levels(kinds: Sequence[_Kind], level: int) -> int:
    """Titles in one heading tag: of one level but for "1.1" below "1."; return the deepest level given."""
    depths = sorted({kind.depth for kind in kinds if kind.depth})
    for kind in kinds:
        below = depths.index(kind.depth) if kind.depth else 0
        for title in kind.titles:
            title.level = level + below
    return level + max(len(depths) - 1, 0)


def _set_look_levels(kinds: Sequence[_Kind], level: int) -> int:
    """Titles without a heading tag: by size, by the depth of their numbers, by what comes first."""
    ordered = sorted(kinds, key=lambda kind: kind.first)
    placed: list[_Kind] = []
    for kind in ordered:
        at = len(placed)
        while at and _above(kind, placed[at - 1]):
            at -= 1
        placed.insert(at, kind)
    for below, kind in enumerate(placed, 1):
        for title in kind.titles:
            title.level = level + below
    return level + len(placed)


def _above(kind: _Kind, other: _Kind) -> bool:
    """Whether a kind that comes later on the page stands above another all the same."""
    if abs(kind.size - other.size) > _LARGER:
        return kind.size > other.size
    return bool(kind.depth and other.depth) and kind.depth < other.depth


def _depth(number: Numbering) -> int:
    return number.depth if number.kind == "decimal" else 0
