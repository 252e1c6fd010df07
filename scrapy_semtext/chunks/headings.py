"""Where the sections of a page begin in its main text, their titles, and the fragments that lead to them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from scrapy_semtext.dom.element_text import all_text
from scrapy_semtext.dom.segmentation import shown
from scrapy_semtext.dom.tags import HEADING_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.chunks.passages import Stretch
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.page import Section

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
