"""The lines of a page: its text as a reader sees it, one below the other, each with its looks and its place.

A line is what stands between two boundaries of the search phase, or between two <br>. Blocks of the combine phase hold
one or more of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from scrapy_semtext.dom.scope_tree import ScopeTree
from scrapy_semtext.dom.segmentation import shown, text_of_run
from scrapy_semtext.dom.style import NORMAL, PLAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import Scope, StyledRun, TextBlock
    from scrapy_semtext.dom.style import Style

    Ints = NDArray[np.int64]

_HEADINGS = {f"h{level}": level for level in range(1, 7)}

# What stands for the styles of pieces that have several.
_MIXED = PLAIN._replace(size=0.5)

# So many scopes around a line are looked at for a heading tag: <h2><div>Title</div></h2>.
_HEADING_LOOK = range(3)

# Whole sizes up to this one can be summed over characters and divided again without rounding.
_EXACT = 1000.0

#: What a page's lines have for marks, see `Line`.
MARKS = ("bold", "italic", "underlined", "link", "size", "centred", "hidden", "heading", "at", "of")
_LOOKS = MARKS.index("size") + 1
_CENTRED, _HIDDEN, _HEADING, _AT, _OF = range(_LOOKS, len(MARKS))


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


class Lines(Sequence[Line]):
    """The lines of a page in order, as columns; a `Line` is made of each that is asked for, anew each time.

    ``texts``: theirs; ``piece`` and ``block``: int64, (lines,); ``marks``: float64, (lines, MARKS); ``layout``: the
    elements around them.
    """

    def __init__(self, pieces: list[TextBlock], blocks: Sequence[TextBlock], layout: ScopeTree | None) -> None:
        self._pieces = pieces
        self._counts = np.ones(len(pieces), dtype=np.int64)
        self.texts = _texts(pieces, self._counts)
        self._starts = self._counts.cumsum() - self._counts
        layout = layout or ScopeTree(pieces)
        self.layout = layout.of_parts(self._counts) if len(self.texts) > len(pieces) else layout
        self.piece: Ints = np.empty(len(self.texts), dtype=np.int64)
        self.block: Ints = np.empty(len(self.texts), dtype=np.int64)
        self.marks: NDArray[np.float64] = np.empty((len(self.texts), len(MARKS)))
        of_block = np.empty(len(pieces), dtype=np.int64)
        self._glues = _placed(pieces, blocks, of_block)
        uneven = self._write_columns(of_block)
        _write_headings(self.layout, self.marks)
        if uneven:
            self._look_closer(uneven)

    def _write_columns(self, of_block: Ints) -> list[int]:
        """Write the lines' columns, but for headings; the numbers of pieces whose looks have to be written yet."""
        self.piece[:] = np.arange(len(self._counts)).repeat(self._counts)
        self.block[:] = of_block.take(self.piece)
        marks, uneven = _marks(self._pieces)
        self.marks[:] = marks.take(self.piece, axis=0)
        self.marks[:, _AT] = np.arange(len(self.texts)) - self._starts.take(self.piece)
        self.marks[:, _OF] = self._counts.take(self.piece)
        return uneven

    def _look_closer(self, uneven: list[int]) -> None:
        """Set the looks of the lines of some pieces."""
        starts, counts = self._starts.tolist(), self._counts.tolist()
        for number in uneven:
            piece = self._pieces[number]
            style, begin, end = piece.style, starts[number], starts[number] + counts[number]
            styles = style if isinstance(style, list) else [(shown(text_of_run(run)), style) for run in piece.runs]
            self.marks[begin:end, :_LOOKS] = _looks(self.texts[begin:end], styles)

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...

    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if isinstance(at, slice):
            return [self[place] for place in range(len(self))[at]]
        at = range(len(self))[at]
        piece = int(self.piece[at])
        scope = self._pieces[piece].scope
        bold, italic, underlined, link, size, centred, hidden, heading, place, of = self.marks[at].tolist()
        return Line(
            text=self.texts[at],
            piece=piece,
            block=int(self.block[at]),
            at=int(place),
            of=int(of),
            scope=scope,
            glue=self.glues[at],
            bold=bold,
            italic=italic,
            underlined=underlined,
            link=link,
            size=size,
            centred=centred > 0,
            hidden=hidden > 0,
            heading=int(heading),
            heading_element=_heading_element(scope) if heading else None,
        )

    def headings(self) -> Ints:
        """The levels of the heading elements around the lines, 0 for none; (lines,)."""
        return self.marks[:, _HEADING].astype(np.int64)

    @cached_property
    def glues(self) -> list[str]:
        """What stands before each line in the text of its block; "" for the first."""
        if len(self.texts) == len(self._glues):
            return self._glues
        glues = ["\n"] * len(self.texts)
        for start, glue in zip(self._starts.tolist(), self._glues, strict=True):
            glues[start] = glue
        return glues


def lines_of(pieces: list[TextBlock], blocks: Sequence[TextBlock], layout: ScopeTree | None = None) -> Lines:
    """Return the lines of a page in order; ``pieces`` are what the search phase gave and ``blocks`` was combined of.

    ``layout`` is that of the pieces, if it is known already.
    """
    return Lines(pieces, blocks, layout)


def _texts(pieces: list[TextBlock], counts: Ints) -> list[str]:
    """The texts of the lines of pieces, none of them empty; writes how many lines each piece has, (pieces,)."""
    found: list[str] = []
    for number, piece in enumerate(pieces):
        lines = [line for line in piece.text.split("\n") if line.strip()] if "\n" in piece.text else [piece.text]
        found += lines
        counts[number] = len(lines)
    return found


def _placed(pieces: list[TextBlock], blocks: Sequence[TextBlock], of_block: Ints) -> list[str]:
    """What stands before each piece in the text of its block, a character or none; writes the block's number."""
    numbers: list[int] = []
    glues: list[str] = []
    for number, block in enumerate(blocks):
        piece = pieces[len(numbers)]
        numbers.append(number)
        glues.append("")
        if piece is block:
            continue
        runs, at = len(block.runs) - len(piece.runs), len(piece.text)
        while runs > 0:
            piece = pieces[len(numbers)]
            numbers.append(number)
            glues.append(block.text[at])
            runs, at = runs - len(piece.runs), at + 1 + len(piece.text)
    of_block[:] = numbers
    return glues


def _marks(pieces: Sequence[TextBlock]) -> tuple[NDArray[np.float64], list[int]]:
    """The looks of pieces that are all of one style, and which are centred or hidden: (pieces, MARKS).

    And the numbers of the other pieces, and of those whose size is not its own mean in floating point.
    """
    number: dict[Style, int] = {PLAIN: 0}
    styles = [piece.style for piece in pieces]
    which = [number.setdefault(_MIXED if isinstance(style, list) else style, len(number)) for style in styles]
    looks = np.zeros((len(number), len(MARKS)))
    looks[:, :_LOOKS] = [(bold, italic, underlined, link, size) for bold, italic, underlined, _, size, link in number]
    marks = looks.take(which, axis=0)
    marks[:, _CENTRED] = [piece.scope.centred for piece in pieces]
    marks[:, _HIDDEN] = [piece.hidden for piece in pieces]
    odd = {place for style, place in number.items() if not _is_even(style)}
    return marks, [piece for piece, place in enumerate(which) if place in odd] if odd else []


def _write_headings(layout: ScopeTree, marks: NDArray[np.float64]) -> None:
    """Write the level of the heading element around each line of a layout, 0 for none, among its marks."""
    looks = layout.element_types
    of_look = np.array([_HEADINGS.get(tag, 0) for tag, _ in looks.pairs], dtype=np.int64)
    of_scope = of_look.take(looks.of_scope)
    scope = layout.of_block
    levels = np.zeros(len(scope), dtype=np.int64)
    for _ in _HEADING_LOOK:
        levels = np.where(levels > 0, levels, of_scope.take(scope))
        scope = layout.parent.take(scope)
    marks[:, _HEADING] = levels


def _heading_element(scope: Scope) -> Any:
    at: Scope | None = scope
    for _ in _HEADING_LOOK:
        if at is None:
            break
        if at.tag in _HEADINGS:
            return at.element
        at = at.parent
    return None


def _is_even(style: Style) -> bool:
    """Whether the size of text that is all of one style is its own mean in floating point too."""
    size = style.size
    return size == NORMAL or (size <= _EXACT and size.is_integer())


def _looks(lines: Sequence[str], styles: Sequence[StyledRun]) -> list[tuple[float, float, float, float, float]]:
    """The looks of the lines of one piece, character by character but for white space.

    Shares of bold, italic, underlined and linked characters, and the mean size.
    """
    runs_left = iter(styles)
    count, style = 0, PLAIN  # the last run's characters that no line has had, and its style
    found = []
    for line in lines:
        left = chars = shown(line)
        bold = italic = underlined = link = 0
        size = 0.0
        while left:
            if not count:
                if (after := next(runs_left, None)) is None:
                    break
                count, style = after
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
