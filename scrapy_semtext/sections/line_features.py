"""The features of lines that the section models go by: shape, style, place, and those of the neighbours of each line.

Length, punctuation, tags and the ratio to the next line are those of STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, style and how often it repeats come from what the paper says that readers go by.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.style import NORMAL
from scrapy_semtext.sections.line_scopes import SCOPE_COLUMNS, SIZE_COLUMNS, LineScopes
from scrapy_semtext.sections.line_texts import TEXT_COLUMNS, LineTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sections.lines import Lines

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Ints = NDArray[np.int64]

_STYLE = ("bold", "italic", "underlined", "link", "size", "centred", "hidden", "heading")
_IN_BLOCK = ("at", "of", "alone")
_PAGE = ("position", "log_lines")
_ALIKE = ("log_alike", "alike_words", "alike_prose", "alike_leads")
_AROUND = ("before_core", "core_position", "relative_size", "up", "down")
_REPEATS = ("log_repeats",)
_GROUPS = (TEXT_COLUMNS, _STYLE, SCOPE_COLUMNS, _IN_BLOCK, _PAGE, _ALIKE, _REPEATS, SIZE_COLUMNS, _AROUND)
_OWN = (*chain.from_iterable(_GROUPS),)
# The features of a line that are also features of its neighbours.
_SHARED = (
    "log_words ends_sentence leads_on bold all_caps link size heading tag_p tag_li listed number_depth at in_core "
    "title_name log_alike share_parent"
).split()
_OFFSETS = (-2, -1, 1, 2)
_COMPARED = ("longer", "same_scope", "same_looks", "same_parent")

#: The columns that `line_features` gives, in order.
FEATURES: tuple[str, ...] = (
    *_OWN,
    *(f"{name}{offset:+}" for offset in _OFFSETS for name in _SHARED),
    *(f"{name}{offset:+}" for offset in (-1, 1) for name in _COMPARED),
    "words_to_title_like",
)

_SHARED_COLUMNS = [_OWN.index(name) for name in _SHARED]
_STYLE_SIZE = _STYLE.index("size")
_MOST_COUNTED, _MOST_CHANGE = 20, 9


class _Places:
    """Where the lines of a batch stand in their pages: int64, (lines,) each.

    ``number``: from 0 on in the page; ``count``: how many lines the page has; ``end``: the first line behind it.
    """

    def __init__(self, lines: Lines) -> None:
        starts, ends = lines.page_starts[:-1].take(lines.page), lines.page_starts[1:].take(lines.page)
        self.number: Ints = np.arange(len(lines)) - starts
        self.count: Ints = ends - starts
        self.end: Ints = ends

    def have(self, offset: int) -> NDArray[np.bool_]:
        """Whether each line has another ``offset`` further on in its page; (lines,)."""
        number = self.number + offset
        return (number >= 0) & (number < self.count)


def line_features(lines: Lines, titles: Sequence[str]) -> Floats:
    """Return the features of the lines of a batch of pages; float32, (lines, FEATURES), each column in one piece.

    ``titles``: (pages,), the texts of the <title> of each page. What is said of a line hangs on its own page alone.
    """
    table: Floats = np.full((len(FEATURES), len(lines)), -1.0, dtype=np.float32)
    if not lines:
        return _rows(table)
    places = _Places(lines)
    texts = LineTexts(lines.texts, lines.page, titles, lines.all_caps)
    scopes = LineScopes(lines, texts)
    text, style, scope, in_block, page, alike, repeats, sizes, around = _split(table)
    texts.write(text)
    style[:] = [getattr(lines, name) for name in _STYLE]
    style[_STYLE_SIZE] = lines.size / NORMAL
    scopes.write(scope)
    in_block[:] = (
        lines.line_index,
        np.minimum(lines.line_count, _MOST_COUNTED),
        (lines.line_count == 1) & scopes.is_leaf,
    )
    page[:] = places.number / places.count, np.log1p(places.count)
    alike[:] = _alike(lines.style, texts, places)
    repeats[:] = np.log1p(texts.repeats())
    scopes.write_sizes(sizes)
    around[:] = _around(lines, texts, scopes, places)
    _write_neighbours(table[len(_OWN) :], table[_SHARED_COLUMNS], lines, places)
    _write_compared(table[-1 - 2 * len(_COMPARED) : -1], lines, texts, scopes, places)
    table[-1] = _words_until_alike(lines.style, texts, places)
    return _rows(table)


def _rows(columns: Floats) -> Floats:
    rows: Floats = columns.T
    return rows


def _split(table: Floats) -> list[Floats]:
    """The rows of a table of features that belong to each of _GROUPS."""
    ends = np.cumsum([*map(len, _GROUPS)]).tolist()
    return [table[end - len(group) : end] for group, end in zip(_GROUPS, ends, strict=True)]


def _alike(style: Ints, texts: LineTexts, places: _Places) -> Doubles:
    """Of all lines of the style of each: their number, mean length, shares that end a sentence and precede longer ones.

    The features _ALIKE, (columns, lines).
    """
    words = texts.words
    leads = np.zeros(len(style), dtype=np.bool_)
    leads[:-1] = (style[1:] != style[:-1]) & (words[1:] > 2 * words[:-1])
    leads &= places.have(1)
    count = np.bincount(style)
    means = [np.bincount(style, weights=values) / count for values in (words, texts.ends, leads)]
    table: Doubles = np.stack([np.log1p(count), np.log1p(means[0]), *means[1:]])
    return table.take(style, axis=1)


def _around(lines: Lines, texts: LineTexts, scopes: LineScopes, places: _Places) -> list[NDArray[np.generic]]:
    """The features _AROUND: where lines stand to the core of their page, their size, and how the depth changes."""
    first, last = scopes.core_first, scopes.core_last
    line, depth = np.arange(len(lines)), scopes.depth
    position = (line - first) / (last - first + 1)
    up, down = depth.copy(), -depth
    up[1:] = np.where(places.have(-1)[1:], depth[1:] - depth[:-1], depth[1:])
    down[:-1] = np.where(places.have(1)[:-1], depth[1:] - depth[:-1], -depth[:-1])
    return [
        line < first,
        np.maximum(np.minimum(position, 2.0), -1.0),
        lines.size / _usual_sizes(lines, texts).take(lines.page),
        *(np.maximum(np.minimum(change, _MOST_CHANGE), -_MOST_CHANGE) for change in (up, down)),
    ]


def _usual_sizes(lines: Lines, texts: LineTexts) -> Doubles:
    """The median size of the running text of each page, (pages,), or the size of text without a style."""
    prose = np.flatnonzero(texts.prose)
    page, size = lines.page[prose], lines.size[prose]
    ordered = size[np.lexsort((size, page))]
    counts = np.bincount(page, minlength=len(lines.page_starts) - 1)
    has_prose = counts > 0
    usual = np.full(len(counts), NORMAL)
    usual[has_prose] = ordered[(counts.cumsum() - counts + counts // 2)[has_prose]]
    return np.where(usual == 0, NORMAL, usual)


def _write_neighbours(columns: Floats, shared: Floats, lines: Lines, places: _Places) -> None:
    """Set ``columns``, (columns, lines), to the ``shared`` features of the lines before and behind each in its page."""
    count = len(lines)
    for number, offset in enumerate(_OFFSETS):
        if abs(offset) >= count:
            continue
        part = columns[number * len(shared) : (number + 1) * len(shared)]
        if offset > 0:
            part[:, :-offset] = shared[:, offset:]
        else:
            part[:, -offset:] = shared[:, :offset]
        part[:, ~places.have(offset)] = -1.0


def _write_compared(columns: Floats, lines: Lines, texts: LineTexts, scopes: LineScopes, places: _Places) -> None:
    """Set ``columns``, (2 * _COMPARED, lines), to how each line compares with the one before and the one behind it."""
    before, behind = columns[: len(_COMPARED)], columns[len(_COMPARED) :]
    longer = np.diff(texts.log_chars)
    before[0, 1:], behind[0, :-1] = -longer, longer
    for column, values in enumerate((scopes.scope, lines.style, scopes.parent), 1):
        before[column, 1:] = behind[column, :-1] = values[1:] == values[:-1]
    before[:, ~places.have(-1)] = -1.0
    behind[:, ~places.have(1)] = -1.0


def _words_until_alike(style: Ints, texts: LineTexts, places: _Places) -> Doubles:
    """The logarithm of the words between a line and the next of its style, or the end of the page; (lines,)."""
    order = np.argsort(style, kind="stable")
    are_alike = style[order[1:]] == style[order[:-1]]
    following = places.end.copy()
    following[order[:-1][are_alike]] = order[1:][are_alike]
    behind = np.append(0, texts.words.cumsum())  # the words before each line, and of all
    words: Doubles = np.log1p((behind[following] - behind[1:]).astype(np.float64))
    return words
