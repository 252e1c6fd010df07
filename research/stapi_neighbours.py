"""Features for a second model: the outputs of a first model for the lines near a line and for similar lines.

The first model classifies each line separately. Some labels follow only from several lines: if ten lines of the same
style are titles, so is the eleventh, and a paragraph amid irrelevant text is rarely prose. For each line, the second
model gets the outputs of the first for the line, for nearby and similar lines, and for the whole page (stacked
sequential learning, Cohen & Carvalho 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import Scope
    from scrapy_semtext.sections.lines import Lines

    Floats = NDArray[np.float64]

# Up to which distance neighbouring lines are described one by one, and over how many lines per side they are averaged.
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_WINDOWS = (3, 8, 25)
# The log-odds of all classes where there is no line.
_NOTHING = -12.0


class Line(NamedTuple):
    """A line of a page with its block, its element, and a number that lines of the same style share."""

    text: str
    block: int
    scope: Scope
    style: int


def each_line(lines: Lines) -> list[Line]:
    """Return the lines of a page one by one."""
    scopes = [lines.scope_tree.scopes[at] for at in lines.scope_tree.of_block.tolist()]
    return list(map(Line, lines.texts, lines.block.tolist(), scopes, lines.style.tolist()))


def _style_of(line: Line) -> Hashable:
    return line.style


def _tags_of(line: Line) -> Hashable:
    return tuple(scope.tag for scope in line.scope.ancestry())


def _text_of(line: Line) -> Hashable:
    return line.text.lower()


# In what lines can be like each other.
_LIKENESSES: tuple[Callable[[Line], Hashable], ...] = (_style_of, _tags_of, _text_of)


def likenesses(lines: Sequence[Line]) -> list[NDArray[np.int64]]:
    """Number a page's lines so that similar ones share a number: by style, by tag path, by text; (lines,) each."""
    found = []
    for key in _LIKENESSES:
        numbers: dict[Hashable, int] = {}
        found.append(np.array([numbers.setdefault(key(line), len(numbers)) for line in lines], dtype=np.int64))
    return found


def around(shares: Floats, words: Floats, alike: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
    """Describe the lines of a page by the outputs of the first model; float32, (lines, columns).

    ``shares``: (lines, classes), the first model's output for each class, the last being irrelevance; ``words``:
    (lines,), the number of words, at least 1; ``alike``: the result of `likenesses`. All pages have the same columns.
    """
    odds = np.log(shares + 1e-4) - np.log(1 - shares + 1e-4)
    relevant = 1 - shares[:, -1]
    columns = [odds, *(_shifted(odds, offset) for offset in _OFFSETS), *(_windowed(shares, size) for size in _WINDOWS)]
    columns += [np.broadcast_to(mean, shares.shape) for mean in (shares.mean(0), words @ shares / words.sum())]
    columns += [(np.cumsum(mass) / mass.sum())[:, None] for mass in (relevant * words, relevant)]
    for numbers in alike:
        counts = np.bincount(numbers)
        means = np.stack([np.bincount(numbers, weights=column) / counts for column in shares.T], axis=1)
        columns += [means[numbers], counts[numbers][:, None]]
    return np.concatenate(columns, axis=1).astype(np.float32)


def _shifted(table: Floats, offset: int) -> Floats:
    """The rows of the lines ``offset`` further on."""
    result = np.full_like(table, _NOTHING)
    if abs(offset) < len(table):
        if offset > 0:
            result[:-offset] = table[offset:]
        else:
            result[-offset:] = table[:offset]
    return result


def _windowed(table: Floats, size: int) -> Floats:
    """The mean of the rows up to ``size`` lines away, the line's own among them."""
    sums = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, axis=0)])
    at = np.arange(len(table))
    begin, end = np.maximum(at - size, 0), np.minimum(at + size + 1, len(table))
    result: Floats = (sums[end] - sums[begin]) / (end - begin)[:, None]
    return result
