"""Titles of one or more lines, and their levels: by heading tag, size of text, numbering and style, in this order.

The papers leave the hierarchy open (Zhang, Wilson & Mitra 2022, 6). Here titles that look alike are of one level. Two
kinds of titles are ordered by what a reader goes by: a heading tag of a lower number stands above, any heading tag
above text that is only bold; larger text above smaller; "1." above "1.1"; and else what comes first on the page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_semtext.sections.numbering import numbering

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from scrapy_semtext.sections.lines import Lines

# Text of so many pixels more is larger, not only set in another font.
_LARGER = 1.5
_NO_HEADING = 7


@dataclass(slots=True)
class Title:
    """A title of one or more lines (their numbers in the batch), with its level from 1."""

    lines: list[int]
    text: str
    level: int = 1


@dataclass(slots=True)
class _Kind:
    """Titles that look alike; ``depth`` is that of their numbers, 0 without any, ``first`` the place of the first."""

    heading: int
    size: float
    depth: int
    first: int
    titles: list[Title] = field(default_factory=list)


class TitleReader:
    """Makes titles of lines of a batch of pages."""

    def __init__(self, lines: Lines) -> None:
        self._texts = lines.texts
        self._raw_block, self._style = lines.raw_block.tolist(), lines.style.tolist()
        self._heading, self._heading_scope = lines.heading.tolist(), lines.heading_scope.tolist()
        self._size: list[float] = lines.size.tolist()

    def titles(self, numbers: Sequence[int]) -> list[Title]:
        """Return the titles of a page with their levels; ``numbers`` are those of its lines that are titles, in order.

        Neighbouring lines that are one title are joined.
        """
        titles = self.joined(numbers)
        self._set_levels(titles)
        return titles

    def joined(self, numbers: Sequence[int]) -> list[Title]:
        """Return the titles of a page as `titles` does, but all of the first level."""
        titles: list[Title] = []
        for number in numbers:
            text = " ".join(self._texts[number].split())
            last = titles[-1] if titles else None
            if last is not None and last.lines[-1] == number - 1 and self._continues(number, last.text):
                last.lines.append(number)
                last.text = f"{last.text} {text}"
            else:
                titles.append(Title([number], text))
        return titles

    def _continues(self, number: int, text: str) -> bool:
        """Whether a line continues the title of the line before: in one heading, behind a bare number or a <br>.

        ``text`` is all of the title before it.
        """
        before, heading_scope = number - 1, self._heading_scope
        if heading_scope[before] >= 0 or heading_scope[number] >= 0:
            if heading_scope[before] == heading_scope[number]:
                return True
            return self._heading[before] == self._heading[number] and _is_bare_number(text)
        if _is_bare_number(text):
            return True
        if self._raw_block[before] != self._raw_block[number] or self._style[before] != self._style[number]:
            return False
        return not numbering(self._texts[number]).width

    def _set_levels(self, titles: Sequence[Title]) -> None:
        kinds: dict[Hashable, _Kind] = {}
        for order, title in enumerate(titles):
            line = title.lines[0]
            number = numbering(title.text)
            heading, depth = self._heading[line], number.depth if number.kind == "decimal" else 0
            style = None if heading else (self._style[line], number.kind)
            key = (heading, depth, style)
            if key not in kinds:
                kinds[key] = _Kind(heading, self._size[line], depth, order)
            kinds[key].titles.append(title)
        level = 0
        for heading in sorted({kind.heading for kind in kinds.values()}, key=lambda heading: heading or _NO_HEADING):
            group = [kind for kind in kinds.values() if kind.heading == heading]
            level = _set_tag_levels(group, max(heading, level + 1)) if heading else _set_style_levels(group, level)


def _is_bare_number(text: str) -> bool:
    number = numbering(text)
    return bool(number.width) and number.width >= len(text)


def _set_tag_levels(kinds: Sequence[_Kind], level: int) -> int:
    """Titles in one heading tag: of one level but for "1.1" below "1."; return the deepest level given."""
    depths = sorted({kind.depth for kind in kinds if kind.depth})
    for kind in kinds:
        below = depths.index(kind.depth) if kind.depth else 0
        for title in kind.titles:
            title.level = level + below
    return level + max(len(depths) - 1, 0)


def _set_style_levels(kinds: Sequence[_Kind], level: int) -> int:
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
