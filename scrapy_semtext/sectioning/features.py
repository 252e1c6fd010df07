"""What a model is told of each line of a page: its shape, its looks, its place, and the same of its neighbours.

Length, punctuation, tags and the ratio to the next line are those of STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, looks and how often they repeat come from what the paper says that readers go by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sectioning.numbering import KINDS
from scrapy_semtext.sectioning.scopes import TAGS, Scopes
from scrapy_semtext.sectioning.style import NORMAL
from scrapy_semtext.sectioning.texts import Texts, is_caps

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sectioning.lines import Line
    from scrapy_semtext.segment import Scope

    Floats = NDArray[np.float32]

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


def line_features(lines: Sequence[Line], title: str = "") -> Floats:
    """Describe a page's lines by numbers; float32, (lines, FEATURES). ``title`` is the text of its <title>."""
    table = np.full((len(lines), len(FEATURES)), -1.0, dtype=np.float32)
    if not lines:
        return table
    texts = Texts([line.text for line in lines], title)
    looks = _looks(lines, texts)
    scopes = Scopes(lines, texts)
    table[:, : len(_OWN)] = np.concatenate(_own(lines, texts, scopes), axis=1)
    table[:, len(_OWN) : _PLACED] = np.concatenate(_place(lines, texts, looks, scopes), axis=1)
    at = _PLACED
    for offset in _OFFSETS:
        _shift(table[:, at : at + len(_SHARED)], table[:, _SHARED_AT], offset)
        at += len(_SHARED)
    _beside(table[:, at:-1], texts, looks, scopes)
    table[:, -1] = _runs_until_like(texts, looks)
    return table


def looks_of(line: Line) -> Hashable:
    """What lines of one kind have in common: element, names, heading level, and looks."""
    # not the element's id, which no other element has
    return _looks_of(line, line.scope.element.get("class"), is_caps(line.text))


def _looks_of(line: Line, classes: str | None, caps: bool) -> Hashable:
    return (
        line.scope.tag if not line.heading else "h",
        classes,
        line.heading,
        line.bold > 0.8,
        line.italic > 0.8,
        line.underlined > 0.8,
        line.centred,
        round(line.size),
        caps,
    )


def _looks(lines: Sequence[Line], texts: Texts) -> list[int]:
    """A number for each line, the same for lines that look alike; from 0 on without a gap."""
    classes: dict[Scope, str | None] = {}
    numbers: dict[Hashable, int] = {}
    found = []
    for line, caps in zip(lines, texts.caps, strict=True):
        scope = line.scope
        if scope not in classes:
            classes[scope] = scope.element.get("class")
        found.append(numbers.setdefault(_looks_of(line, classes[scope], caps), len(numbers)))
    return found


def _own(lines: Sequence[Line], texts: Texts, scopes: Scopes) -> list[NDArray[np.float64]]:
    """Numbers of the lines' own texts, looks and elements, (lines, some) each."""
    looks = np.array(
        [(line.bold, line.italic, line.underlined, line.link, line.size / NORMAL) for line in lines], dtype=np.float64
    )
    signs = np.array([(line.centred, line.hidden, line.heading) for line in lines], dtype=np.float64)
    place = np.array(
        [
            (line.scope.depth / 10, line.at, min(line.of, 20), line.of == 1 and line.scope.children == 0)
            for line in lines
        ],
        dtype=np.float64,
    )
    return [texts.columns(), looks, signs, scopes.own()[scopes.which], place]


def _place(lines: Sequence[Line], texts: Texts, looks: Sequence[int], scopes: Scopes) -> list[NDArray[np.float64]]:
    """Numbers of the lines' places in the page and of the lines that look like them, (lines, some) each."""
    count, at = len(lines), np.arange(len(lines))
    inside = np.flatnonzero(scopes.in_core)
    first, last = (inside[0], inside[-1]) if len(inside) else (0, count - 1)
    sizes = sorted([line.size for line, prose in zip(lines, texts.prose, strict=True) if prose])
    usual = (sizes[len(sizes) // 2] if sizes else NORMAL) or NORMAL
    before = [at / count, np.full(count, np.log1p(count))]
    behind = [
        np.minimum(scopes.levels, 10),
        at < first,
        np.clip((at - first) / (last - first + 1), -1.0, 2.0),
        np.array([line.size for line in lines]) / usual,
        np.clip(np.diff(scopes.depth, prepend=0), -9, 9),
        np.clip(np.diff(scopes.depth, append=0), -9, 9),
    ]
    repeats = np.log1p(texts.repeats())[:, None]
    return [
        np.stack(before, axis=1),
        _alike(texts, looks),
        repeats,
        scopes.place()[scopes.which],
        np.stack(behind, axis=1),
    ]


def _alike(texts: Texts, looks: Sequence[int]) -> NDArray[np.float64]:
    """Of the lines that look like each: how many, their mean length, how many end a sentence, stand before longer."""
    words, look = np.array(texts.words), np.array(looks)
    leads = np.zeros(len(looks))
    leads[:-1] = (look[1:] != look[:-1]) & (words[1:] > 2 * words[:-1])
    count = np.bincount(look)
    totals = [np.bincount(look, weights=values) / count for values in (words, np.array(texts.ends), leads)]
    table: NDArray[np.float64] = np.stack([np.log1p(count), np.log1p(totals[0]), *totals[1:]], axis=1)
    found: NDArray[np.float64] = table[look]
    return found


def _shift(result: Floats, table: Floats, offset: int) -> None:
    """Set ``result`` to the rows of the lines ``offset`` further on, where there are any."""
    if abs(offset) < len(table):
        if offset > 0:
            result[:-offset] = table[offset:]
        else:
            result[-offset:] = table[:offset]


def _beside(result: Floats, texts: Texts, looks: Sequence[int], scopes: Scopes) -> None:
    """Set ``result``, (lines, 8), to how each line compares with the one before and the one behind it."""
    longer = np.diff(texts.log_chars)
    result[1:, 0], result[:-1, 4] = -longer, longer
    for column, values in enumerate((scopes.which, np.array(looks), scopes.parent), 1):
        result[1:, column] = result[:-1, 4 + column] = values[1:] == values[:-1]


def _runs_until_like(texts: Texts, looks: Sequence[int]) -> NDArray[np.float64]:
    """How many words stand between a line and the next that looks like it (or the end), as a logarithm; (lines,)."""
    next_at: dict[int, int] = {}
    behind, runs = 0, []
    for words, look in zip(reversed(texts.words), reversed(looks), strict=True):
        runs.append(behind - next_at.get(look, 0))
        behind += words
        next_at[look] = behind
    return np.log1p(np.array(runs[::-1], dtype=np.float64))
