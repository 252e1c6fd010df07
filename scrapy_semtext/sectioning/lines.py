"""The lines of a page: its text as a reader sees it, one below the other, each with its looks and its place.

A line is what stands between two boundaries of the search phase, or between two <br>. Blocks of the combine phase hold
one or more of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from scrapy_semtext.compiled import lines as compiled
from scrapy_semtext.sectioning.style import NORMAL, PLAIN, styles_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.sectioning.style import Style
    from scrapy_semtext.segment import Run, Scope, TextBlock

    # Shares of bold, italic, underlined and linked characters, and the mean size.
    _Looks = tuple[float, float, float, float, float]

_HEADINGS = {f"h{level}": level for level in range(1, 7)}

# So many scopes around a line are looked at for a heading tag: <h2><div>Title</div></h2>.
_HEADING_LOOK = range(3)

# Whole sizes up to this one can be summed over characters and divided again without rounding.
_EXACT = 1000.0

# The white space of ASCII.
_SPACES = bytes(code for code in range(128) if chr(code).isspace())


@dataclass(slots=True)
class Line:
    """A line of a page.

    ``piece`` and ``block`` number the blocks of the search and of the combine phase that hold it; ``at`` and ``of``
    say which of how many lines of its piece it is. ``glue`` is what stands before it in the text of its block ("" for
    the first). ``bold``, ``italic``, ``underlined`` and ``link`` are shares of its characters (0 to 1), ``size`` is
    the mean size of its text in pixels. ``heading`` is the level of the heading element around it, 0 for none.
    """

    text: str
    piece: int
    block: int
    at: int
    of: int
    scope: Scope
    glue: str = ""
    bold: float = 0.0
    italic: float = 0.0
    underlined: float = 0.0
    link: float = 0.0
    size: float = 0.0
    centred: bool = False
    hidden: bool = False
    heading: int = 0
    heading_element: Any = None


def lines_of(pieces: list[TextBlock], blocks: Sequence[TextBlock]) -> list[Line]:
    """Return the lines of a page in order; ``pieces`` are what the search phase gave and ``blocks`` was combined of."""
    lines: list[Line] = []
    looks_of_style: dict[Style, _Looks | None] = {}
    placed = zip(pieces, _placed(pieces, blocks), styles_of(pieces), strict=True)
    for number, (piece, (block, glue), (base, styles)) in enumerate(placed):
        text, scope, runs = piece.text, piece.scope, piece.runs
        element, level = _heading(scope)
        style, even = styles[0], None
        if styles.count(style) == len(styles):
            even = looks_of_style[style] if style in looks_of_style else looks_of_style.setdefault(style, _even(style))
        rest = base.centred, piece.hidden, level, element
        if "\n" not in text:
            looks = even or _looks([text], runs, styles)[0]
            lines.append(Line(text, number, block, 0, 1, scope, glue, *looks, *rest))
            continue
        texts = text.split("\n")
        looks_of_lines = repeat(even) if even else _looks(texts, runs, styles)
        of_lines = zip(texts, [glue] + ["\n"] * len(texts), looks_of_lines, strict=False)
        found = [each for each in of_lines if each[0].strip()]
        for at, (text, before, looks) in enumerate(found):
            lines.append(Line(text, number, block, at, len(found), scope, before, *looks, *rest))
    return lines


def _placed(pieces: Sequence[TextBlock], blocks: Sequence[TextBlock]) -> Iterator[tuple[int, str]]:
    """The number of the block of each piece, and what stands before it in the text of that: a character or none."""
    waiting = iter(pieces)
    for number, block in enumerate(blocks):
        piece = next(waiting)
        yield number, ""
        if piece is block:
            continue
        runs, at = len(block.runs) - len(piece.runs), len(piece.text)
        while runs > 0:
            piece = next(waiting)
            yield number, block.text[at]
            runs, at = runs - len(piece.runs), at + 1 + len(piece.text)


def _heading(scope: Scope) -> tuple[Any, int]:
    at: Scope | None = scope
    for _ in _HEADING_LOOK:
        if at is None:
            break
        if at.tag in _HEADINGS:
            return at.element, _HEADINGS[at.tag]
        at = at.parent
    return None, 0


def _even(style: Style) -> _Looks | None:
    """The looks of text that is all of one style, if its size is its own mean in floating point too."""
    bold, italic, underlined, _, size, link = style
    if size != NORMAL and not (size <= _EXACT and size.is_integer()):
        return None
    return float(bold), float(italic), float(underlined), float(link), size


def _looks(lines: list[str], runs: list[Run], styles: list[Style]) -> list[_Looks]:
    """The looks of the lines of one piece, character by character but for white space."""
    if compiled is None:
        return _looks_in_python(lines, runs, styles)
    found: list[_Looks] = compiled.looks_of_lines(lines, runs, styles)
    return found


def _looks_in_python(lines: Sequence[str], runs: Sequence[Run], styles: Sequence[Style]) -> list[_Looks]:
    runs_left = zip(runs, styles, strict=True)
    count, style = 0, PLAIN  # the last run's characters that no line has had, and its style
    found = []
    for line in lines:
        left = chars = _count(line)
        bold = italic = underlined = link = 0
        size = 0.0
        while left:
            if not count:
                if (after := next(runs_left, None)) is None:
                    break
                count, style = _count(_text(after[0])), after[1]
            taken = min(count, left)
            is_bold, is_italic, is_underlined, _, pixels, is_link = style
            if is_bold:
                bold += taken
            if is_italic:
                italic += taken
            if is_underlined:
                underlined += taken
            if is_link:
                link += taken
            size += taken * pixels
            count, left = count - taken, left - taken
        chars = chars or 1
        found.append((bold / chars, italic / chars, underlined / chars, link / chars, size / chars))
    return found


def _count(text: str) -> int:
    """The number of characters but for white space."""
    return len(text.encode().translate(None, _SPACES)) if text.isascii() else len("".join(text.split()))


def _text(run: Run) -> str:
    element, is_tail = run
    return (element.tail if is_tail else element.text) or ""
