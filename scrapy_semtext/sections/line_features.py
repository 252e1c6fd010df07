"""What a model is told of each line of a page: its shape, its looks, its place, and the same of its neighbours.

Length, punctuation, tags and the ratio to the next line are those of STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, looks and how often they repeat come from what the paper says that readers go by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import numbered
from scrapy_semtext.dom.style import NORMAL
from scrapy_semtext.sections.line_scopes import TAGS, Scopes
from scrapy_semtext.sections.line_texts import Texts, is_caps
from scrapy_semtext.sections.lines import MARKS
from scrapy_semtext.sections.numbering import KINDS

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from scrapy_semtext.sections.lines import Line, Lines

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Ints = NDArray[np.int64]

_OWN = (
    "log_chars",
    "log_words",
    "ends_sentence",
    "leads_on",
    "log_punctuation",
    "log_commas",
    "upper_start",
    "capitalised",
    "all_caps",
    "digits",
    "year",
    "mean_word",
    "in_title",
    "bullet",
    *(f"number_{kind}" for kind in KINDS[1:]),
    "number_depth",
    "number_follows",
    "bold",
    "italic",
    "underlined",
    "link",
    "size",
    "centred",
    "hidden",
    "heading",
    *(f"tag_{tag}" for tag in TAGS),
    "title_name",
    "small_name",
    "edge_names",
    "core_names",
    "edge_tags",
    "listed",
    "depth",
    "at",
    "of",
    "alone",
)
_PLACE = (
    "position",
    "log_lines",
    "log_alike",
    "alike_words",
    "alike_prose",
    "alike_leads",
    "log_repeats",
    "share_parent",
    "share_grandparent",
    "share_outer",
    "link_parent",
    "link_grandparent",
    "log_lines_parent",
    "in_core",
    "levels_to_core",
    "before_core",
    "core_position",
    "relative_size",
    "up",
    "down",
)
# What a line is told of its neighbours.
_SHARED = (
    "log_words ends_sentence leads_on bold all_caps link size heading tag_p tag_li listed number_depth at in_core "
    "title_name log_alike share_parent"
).split()
_OFFSETS = (-2, -1, 1, 2)

#: The columns that `line_features` gives, in order.
FEATURES: tuple[str, ...] = (
    *_OWN,
    *_PLACE,
    *(f"{name}{offset:+}" for offset in _OFFSETS for name in _SHARED),
    *(f"{what}{offset:+}" for offset in (-1, 1) for what in ("longer", "same_scope", "same_looks", "same_parent")),
    "words_to_title_like",
)

_PLACED = len(_OWN) + len(_PLACE)
_SHARED_AT = [FEATURES.index(name) for name in _SHARED]
_SHARED_PLACES = np.array(_SHARED_AT, dtype=np.int64)
# All marks but the last two stand in this order in FEATURES.
_BOLD, _ITALIC, _UNDERLINED, _LINK, _SIZE, _CENTRED, _HIDDEN, _HEADING, _AT, _OF = range(len(MARKS))
_MARKS_AT, _TAGS_AT, _DEPTH_AT = (FEATURES.index(name) for name in ("bold", f"tag_{TAGS[0]}", "depth"))
# A line looks bold if this share of it and more is; so with the others.
_MOST = 0.8


def line_features(lines: Lines, title: str = "") -> Floats:
    """Describe a page's lines by numbers; float32, (lines, FEATURES). ``title`` is the text of the page's <title>."""
    if not lines:
        return np.empty((0, len(FEATURES)), dtype=np.float32)
    texts = Texts(lines.texts, title)
    table = np.full((len(lines), len(FEATURES)), -1.0, dtype=np.float32)
    marks = lines.marks
    scopes = Scopes(lines.layout, texts, marks[:, _LINK])
    looks = _looks(marks, texts, scopes)
    _own(table[:, : len(_OWN)], marks, texts, scopes)
    _place(table[:, len(_OWN) : _PLACED], marks, texts, looks, scopes)
    at, shared = _PLACED, table.take(_SHARED_AT, axis=1)
    for offset in _OFFSETS:
        _shift(table[:, at : at + len(_SHARED)], shared, offset)
        at += len(_SHARED)
    _beside(table[:, at:-1], texts, looks, scopes)
    table[:, -1] = _runs_until_like(texts, looks)
    return table


def style_key(line: Line) -> Hashable:
    """What lines of one kind have in common: element, names, heading level, and looks."""
    return (
        line.scope.tag if not line.heading else "h",
        line.scope.classes,  # not the element's id, which no other element has
        line.heading,
        line.bold > _MOST,
        line.italic > _MOST,
        line.underlined > _MOST,
        line.centred,
        round(line.size),
        is_caps(line.text),
    )


def _looks(marks: Doubles, texts: Texts, scopes: Scopes) -> Ints:
    """A number for each line, the same for those of which `style_key` says the same; from 0 on without a gap."""
    heading = marks[:, _HEADING]
    kinds = np.where(heading > 0, scopes.of_class, scopes.of_tag_and_class)
    bold, italic, underlined = (marks[:, : _UNDERLINED + 1] > _MOST).T
    signs = bold + 2 * italic + 4 * underlined + 8 * marks[:, _CENTRED] + 16 * texts.caps
    packed = kinds * 512 + heading.astype(np.int64) * 64 + signs.astype(np.int64)
    return numbered(zip(packed.tolist(), marks[:, _SIZE].round().tolist(), strict=True))


def _own(result: Floats, marks: Doubles, texts: Texts, scopes: Scopes) -> None:
    """Set ``result`` to the numbers of the lines' own texts, looks and elements, (lines, _OWN)."""
    texts.write(result[:, :_MARKS_AT])
    result[:, _MARKS_AT:_TAGS_AT] = marks[:, : _HEADING + 1]
    result[:, _MARKS_AT + _SIZE] = marks[:, _SIZE] / NORMAL
    scopes.write_own(result[:, _TAGS_AT:_DEPTH_AT])
    result[:, _DEPTH_AT] = scopes.depth / 10
    result[:, _DEPTH_AT + 1] = marks[:, _AT]
    result[:, _DEPTH_AT + 2] = np.minimum(marks[:, _OF], 20)
    result[:, _DEPTH_AT + 3] = (marks[:, _OF] == 1) & scopes.is_leaf


def _place(result: Floats, marks: Doubles, texts: Texts, looks: Ints, scopes: Scopes) -> None:
    """Set ``result``, (lines, _PLACE), to the lines' places in the page, and what is said of lines that look alike."""
    count, at = len(marks), np.arange(len(marks))
    inside = np.flatnonzero(scopes.in_core)
    first, last = (inside[0], inside[-1]) if len(inside) else (0, count - 1)
    sizes = np.sort(marks[texts.prose, _SIZE])
    usual = (sizes[len(sizes) // 2] if len(sizes) else NORMAL) or NORMAL
    depth, changes = scopes.depth, np.zeros((2, count))
    changes[0, 1:] = changes[1, :-1] = depth[1:] - depth[:-1]
    changes[0, 0], changes[1, -1] = depth[0], -depth[-1]
    result[:, 0] = at / count
    result[:, 1] = np.log1p(count)
    result[:, 2:6] = _alike(texts, looks)
    result[:, 6] = np.log1p(texts.repeats())
    scopes.write_place(result[:, 7:14])
    result[:, 14] = np.minimum(scopes.levels, 10)
    result[:, 15] = at < first
    result[:, 16] = np.maximum(np.minimum((at - first) / (last - first + 1), 2.0), -1.0)
    result[:, 17] = marks[:, _SIZE] / usual
    result[:, 18:] = np.maximum(np.minimum(changes, 9), -9).T


def _alike(texts: Texts, looks: Ints) -> Doubles:
    """Of the lines that look like each: how many, their mean length, how many end a sentence, stand before longer."""
    words = texts.words
    leads = np.zeros(len(looks))
    leads[:-1] = (looks[1:] != looks[:-1]) & (words[1:] > 2 * words[:-1])
    count = np.bincount(looks)
    totals = [np.bincount(looks, weights=values) / count for values in (words, texts.ends, leads)]
    table: Doubles = np.stack([np.log1p(count), np.log1p(totals[0]), *totals[1:]], axis=1)
    found: Doubles = table.take(looks, axis=0)
    return found


def _shift(result: Floats, table: Floats, offset: int) -> None:
    """Set ``result`` to the rows of the lines ``offset`` further on, where there are any."""
    if abs(offset) < len(table):
        if offset > 0:
            result[:-offset] = table[offset:]
        else:
            result[-offset:] = table[:offset]


def _beside(result: Floats, texts: Texts, looks: Ints, scopes: Scopes) -> None:
    """Set ``result``, (lines, 8), to how each line compares with the one before and the one behind it."""
    longer = np.diff(texts.log_chars)
    result[1:, 0], result[:-1, 4] = -longer, longer
    for column, values in enumerate((scopes.which, looks, scopes.parent), 1):
        result[1:, column] = result[:-1, 4 + column] = values[1:] == values[:-1]


def _runs_until_like(texts: Texts, looks: Ints) -> Doubles:
    """How many words stand between a line and the next that looks like it (or the end), as a logarithm; (lines,)."""
    order = np.argsort(looks, kind="stable")
    are_alike = looks[order[1:]] == looks[order[:-1]]
    following = np.full(len(looks), len(looks))
    following[order[:-1][are_alike]] = order[1:][are_alike]
    behind = np.append(0, texts.words.cumsum())  # the words before each line, and of all
    found: Doubles = np.log1p((behind[following] - behind[1:]).astype(np.float64))
    return found
