"""How much of each line is bold, italic, underlined or a link, and the mean size of its text, for a batch of pages.

Most raw blocks are of one style, which is that of all of their lines. Of the others the runs of characters and the lines
are laid along one axis, and each stretch of it that belongs to one run and one line adds to that line.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.segmentation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import StyledRun, TextBlock
    from scrapy_semtext.dom.style import Style

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: What `line_styles` gives of each line, in order.
STYLE_COLUMNS = ("bold", "italic", "underlined", "link", "size")


def line_styles(raw_blocks: Sequence[TextBlock], texts: Sequence[str], line_counts: Ints) -> Floats:
    """Return the STYLE_COLUMNS of lines, float64, (columns, lines): shares of their characters (0 to 1), and pixels.

    ``texts`` are those of the lines, of which each raw block has as many as ``line_counts``, (raw blocks,), says. White
    space does not count.
    """
    styles = [block.style for block in raw_blocks]
    mixed = [at for at, style in enumerate(styles) if isinstance(style, list)]
    if not mixed:
        return _columns_of(styles).repeat(line_counts, axis=1)
    runs: list[list[StyledRun]] = [styles[at] for at in mixed]  # type: ignore[misc]
    for at in mixed:
        styles[at] = runs[0][0][1]  # replaced below
    columns = _columns_of(styles).repeat(line_counts, axis=1)
    ends = line_counts.cumsum()
    counts = line_counts[mixed]
    lines = _ranges((ends - line_counts)[mixed], counts)
    columns[:, lines] = _mixed_styles(runs, [texts[at] for at in lines.tolist()], counts)
    return columns


def _columns_of(styles: Sequence[Style]) -> Floats:
    """The STYLE_COLUMNS of styles: (columns, styles)."""
    known = dict(zip(map(id, styles), styles, strict=True))  # few, as segmentation shares them
    place = dict(zip(known, range(len(known)), strict=True))
    rows = [(bold, italic, underlined, link, size) for bold, italic, underlined, _, size, link in known.values()]
    columns: Floats = np.array(rows, dtype=np.float64).reshape(-1, len(STYLE_COLUMNS)).T
    return columns.take([place[id(style)] for style in styles], axis=1)


def _mixed_styles(runs: Sequence[Sequence[StyledRun]], texts: Sequence[str], line_counts: Ints) -> Floats:
    """The STYLE_COLUMNS, (columns, lines), of the lines of blocks that consist of runs of several styles."""
    flat = [*chain.from_iterable(runs)]
    run_block = np.arange(len(runs)).repeat([*map(len, runs)])
    line_block = np.arange(len(runs)).repeat(line_counts)
    run_chars = np.array([count for count, _ in flat], dtype=np.int64)
    line_chars = np.array([*map(shown, texts)], dtype=np.int64)
    # a block takes as much of the axis as its runs or its lines need; usually that is the same
    lengths = np.maximum(*(np.bincount(block, weights=chars) for block, chars in ((run_block, run_chars), (line_block, line_chars))))
    block_begins = lengths.astype(np.int64).cumsum() - lengths.astype(np.int64)
    run_begins, run_ends = _along_axis(run_chars, run_block, block_begins)
    line_begins, line_ends = _along_axis(line_chars, line_block, block_begins)
    edges = np.unique(np.concatenate((run_begins, run_ends, line_begins, line_ends)))
    run = run_begins.searchsorted(edges[:-1], side="right") - 1
    line = line_begins.searchsorted(edges[:-1], side="right") - 1
    covered = np.flatnonzero((edges[:-1] < run_ends[run]) & (edges[:-1] < line_ends[line]))
    stretches = np.diff(edges)[covered]
    values = _columns_of([style for _, style in flat]).take(run[covered], axis=1) * stretches
    sums = np.stack([np.bincount(line[covered], weights=row, minlength=len(texts)) for row in values])
    return sums / np.maximum(line_chars, 1)


def _along_axis(chars: Ints, block: Ints, block_begins: Ints) -> tuple[Ints, Ints]:
    """Where runs or lines of so many characters begin and end, those of each block from its beginning on."""
    ends = chars.cumsum()
    first = np.append(True, block[1:] != block[:-1])
    shift = (block_begins[block[first]] - (ends - chars)[first])[first.cumsum() - 1]
    return ends - chars + shift, ends + shift


def _ranges(begins: Ints, counts: Ints) -> Ints:
    """The numbers from each beginning on, as many as ``counts`` says, one range behind the other."""
    ends = counts.cumsum()
    ranges: Ints = np.arange(ends[-1]) + (begins - ends + counts).repeat(counts)
    return ranges
