"""How much of each line is bold, italic, underlined or a link, and the mean size of its text, for a batch of pages.

Most raw blocks are of one style, which is that of all of their lines. Of the others the runs of characters and the
lines are laid along one axis, and each stretch of it that belongs to one run and one line adds to that line.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.segmentation import shown
from scrapy_semtext.dom.style import PLAIN

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
    runs: list[list[StyledRun]] = []
    mixed: list[int] = []
    styles: list[Style] = []
    for at, block in enumerate(raw_blocks):
        style = block.style
        if isinstance(style, list):
            runs.append(style)
            mixed.append(at)
            style = PLAIN  # replaced below
        styles.append(style)
    columns: Floats = _columns_of(styles).repeat(line_counts, axis=1)
    if not mixed:
        return columns
    ends = line_counts.cumsum()
    counts = line_counts[mixed]
    lines = _ranges((ends - line_counts)[mixed], counts)
    columns[:, lines] = _mixed_styles(runs, [texts[at] for at in lines.tolist()], counts)
    return columns


def _columns_of(styles: Sequence[Style]) -> Floats:
    """The STYLE_COLUMNS of styles: (columns, styles)."""
    # segmentation shares them, so that there are few
    identities = np.fromiter(map(id, styles), dtype=np.uint64, count=len(styles))
    _, first, place = np.unique(identities, return_index=True, return_inverse=True)
    known = [styles[at] for at in first.tolist()]
    rows = [(bold, italic, underlined, link, size) for bold, italic, underlined, _, size, link in known]
    columns: Floats = np.array(rows, dtype=np.float64).reshape(-1, len(STYLE_COLUMNS)).T
    return columns.take(place.reshape(-1), axis=1)


def _mixed_styles(runs: Sequence[Sequence[StyledRun]], texts: Sequence[str], line_counts: Ints) -> Floats:
    """The STYLE_COLUMNS, (columns, lines), of the lines of blocks that consist of runs of several styles."""
    counts, styles = zip(*chain.from_iterable(runs), strict=True)
    run_block = np.arange(len(runs)).repeat([*map(len, runs)])
    line_block = np.arange(len(runs)).repeat(line_counts)
    run_chars = np.array(counts, dtype=np.int64)
    block_chars = np.bincount(run_block, weights=run_chars).astype(np.int64)
    line_chars = block_chars.take(line_block)
    for line in np.flatnonzero(line_counts.take(line_block) > 1).tolist():
        line_chars[line] = shown(texts[line])
    run_begins, line_begins = (
        _along_axis(chars, block, block_chars) for chars, block in ((run_chars, run_block), (line_chars, line_block))
    )
    edges = np.unique(np.concatenate((run_begins, line_begins, block_chars.sum(keepdims=True))))
    run = run_begins.searchsorted(edges[:-1], side="right") - 1
    line = line_begins.searchsorted(edges[:-1], side="right") - 1
    values = _columns_of(styles).take(run, axis=1) * np.diff(edges)
    sums: Floats = np.stack([np.bincount(line, weights=row, minlength=len(texts)) for row in values])
    return sums / np.maximum(line_chars, 1)


def _along_axis(chars: Ints, block: Ints, block_chars: Ints) -> Ints:
    """Where the runs or lines of blocks begin on one axis for all characters of the blocks; each has so many ``chars``.

    All but the first of a block begin behind the one before, and none behind the end of its block.
    """
    block_ends = block_chars.cumsum()
    begins = chars.cumsum() - chars
    is_first = np.append(True, block[1:] != block[:-1])
    own: Ints = begins - begins[is_first].take(block)
    own += (block_ends - block_chars).take(block)
    limited: Ints = np.minimum(own, block_ends.take(block))
    return limited


def _ranges(begins: Ints, counts: Ints) -> Ints:
    """The numbers from each beginning on, as many as ``counts`` says, one range behind the other."""
    ends = counts.cumsum()
    ranges: Ints = np.arange(ends[-1]) + (begins - ends + counts).repeat(counts)
    return ranges
