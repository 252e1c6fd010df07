"""The lines of a page: its text as a reader sees it, one below the other, each with its looks and its place.

A line is what stands between two boundaries of the search phase, or between two <br>. Blocks of the combine phase hold
one or more of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext.sectioning.style import NORMAL, path_to, style_of, styled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.sectioning.style import Style
    from scrapy_semtext.segment import Run, Scope, TextBlock

_HEADINGS = {f"h{level}": level for level in range(1, 7)}

# So many scopes around a line are looked at for a heading tag: <h2><div>Title</div></h2>.
_HEADING_LOOK = 3

# Whole sizes up to this one can be summed over characters and divided again without rounding.
_EXACT = 1000.0


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


def lines_of(pieces: Sequence[TextBlock], blocks: Sequence[TextBlock]) -> list[Line]:
    """Return the lines of a page in order; ``pieces`` are what the search phase gave and ``blocks`` was combined of."""
    lines: list[Line] = []
    known: dict[Scope, Style] = {}
    for number, (piece, block, glue) in enumerate(_placed(pieces, blocks)):
        base = style_of(piece.scope, known)
        styles = [_style_of_run(run, piece.scope.element, base) for run in piece.runs]
        if "\n" not in piece.text and _is_even(styles):
            lines.append(_line(piece.text, number, block, piece, glue, styles[0], base))
            continue
        texts = piece.text.split("\n")
        found = [_line(text, number, block, piece, "\n", base, base) for text in texts]
        found[0].glue = glue
        _look(found, piece.runs, styles)
        found = [line for line in found if line.text.strip()]
        for at, line in enumerate(found):
            line.at, line.of = at, len(found)
        lines += found
    return lines


def _line(text: str, number: int, block: int, piece: TextBlock, glue: str, style: Style, base: Style) -> Line:
    """A line all of one style, the only one of its piece; ``base`` is the style of the element around it."""
    element, level = _heading(piece.scope)
    bold, italic, underlined, _, size, link = style
    looks = float(bold), float(italic), float(underlined), float(link), size
    return Line(text, number, block, 0, 1, piece.scope, glue, *looks, base.centred, piece.hidden, level, element)


def _is_even(styles: Sequence[Style]) -> bool:
    """Whether text is all of one style, of a size that is its own mean in floating point too."""
    style = styles[0]
    if styles.count(style) < len(styles):
        return False
    return style.size == NORMAL or (style.size <= _EXACT and style.size.is_integer())


def _placed(pieces: Sequence[TextBlock], blocks: Sequence[TextBlock]) -> Iterator[tuple[TextBlock, int, str]]:
    """Each piece with the number of its block, and what stands before it in the text of that."""
    waiting = iter(pieces)
    for number, block in enumerate(blocks):
        runs, at = len(block.runs), 0
        while runs > 0:
            piece = next(waiting)
            runs -= len(piece.runs)
            start = block.text.index(piece.text, at)
            yield piece, number, block.text[at:start]
            at = start + len(piece.text)


def _heading(scope: Scope) -> tuple[Any, int]:
    at: Scope | None = scope
    for _ in range(_HEADING_LOOK):
        if at is None:
            break
        if at.tag in _HEADINGS:
            return at.element, _HEADINGS[at.tag]
        at = at.parent
    return None, 0


def _look(lines: Sequence[Line], runs: Sequence[Run], styles: Sequence[Style]) -> None:
    """Fill in the looks of the lines of one piece, character by character but for white space."""
    sizes = [len("".join(line.text.split())) for line in lines]
    totals = [[0.0] * 5 for _ in lines]
    at, left = 0, sizes[0]
    for run, style in zip(runs, styles, strict=True):
        count = len("".join(_text(run).split()))
        while count and at < len(lines):
            taken = min(count, left)
            total = totals[at]
            for column, value in enumerate((style.bold, style.italic, style.underlined, style.link, style.size)):
                total[column] += taken * value
            count, left = count - taken, left - taken
            while left == 0 and at < len(lines):
                at += 1
                left = sizes[at] if at < len(lines) else 0
    for line, size, total in zip(lines, sizes, totals, strict=True):
        looks = [value / size for value in total] if size else [0.0] * 5
        line.bold, line.italic, line.underlined, line.link, line.size = looks


def _text(run: Run) -> str:
    element, is_tail = run
    return (element.tail if is_tail else element.text) or ""


def _style_of_run(run: Run, outer: Any, base: Style) -> Style:
    """The style of a text node; ``base`` is that of text in ``outer``, the element of its scope."""
    element, is_tail = run
    inside = element.getparent() if is_tail else element
    if inside is outer:
        return base
    style = base
    for inner in reversed(path_to(inside, outer)):
        style = styled(style, inner)
    return style
