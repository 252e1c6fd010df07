"""What a model is told of each line of a page: its shape, its looks, its place, and the same of its neighbours.

Length, punctuation, tags and the ratio to the next line are those of STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, looks and how often they repeat come from what the paper says that readers go by.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sectioning.numbering import KINDS
from scrapy_semtext.sectioning.style import NORMAL
from scrapy_semtext.sectioning.texts import Texts, is_caps

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sectioning.lines import Line
    from scrapy_semtext.segment import Scope

    Floats = NDArray[np.float32]

_NAME = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

# Words in class and id names, in general use on the web, that say what an element is for.
_TITLE_NAMES = frozenset(
    "title head heading header headline subtitle subhead subheading subheader hed caption legend summary term label "
    "question kicker".split()
)
_SMALL_NAMES = frozenset(
    "byline author date time timestamp published updated meta info tag tags credit credits share breadcrumb "
    "breadcrumbs back top print toc note".split()
)
_EDGE_NAMES = frozenset(
    "nav navigation navbar menu footer sidebar widget related share sharing social cookie cookies comment comments "
    "banner breadcrumb breadcrumbs promo advert ad ads subscribe newsletter login modal popup overlay toolbar "
    "copyright skip search".split()
)
_CORE_NAMES = frozenset(
    "content main article post entry body text story document policy terms legal copy prose".split()
)
_NAME_KINDS = (_TITLE_NAMES, _SMALL_NAMES, _EDGE_NAMES, _CORE_NAMES)
_EDGE_TAGS = frozenset("nav footer header aside form button dialog noscript template".split())
_LISTS = frozenset(("ul", "ol", "dl", "table", "li"))
_TAGS = "p div li dd dt td th pre blockquote summary legend caption figcaption address section article body".split()

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
    *(f"tag_{tag}" for tag in _TAGS),
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
_TAG_CODES = {tag: place for place, tag in enumerate(_TAGS)}


def line_features(lines: Sequence[Line], title: str = "") -> Floats:
    """Describe a page's lines by numbers; float32, (lines, FEATURES). ``title`` is the text of its <title>."""
    table = np.full((len(lines), len(FEATURES)), -1.0, dtype=np.float32)
    if not lines:
        return table
    texts = Texts([line.text for line in lines], title)
    looks = _looks(lines, texts)
    scopes = _Scopes(lines, texts)
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


def names_of_small(names: str) -> bool:
    """Whether class and id names say that an element holds a byline, a date or the like."""
    return _signs(names)[1]


def _own(lines: Sequence[Line], texts: Texts, scopes: _Scopes) -> list[NDArray[np.float64]]:
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


class _Scopes:
    """What the elements around lines hold, each looked at once."""

    def __init__(self, lines: Sequence[Line], texts: Texts) -> None:
        self._outer: dict[Scope, tuple[float, float, float]] = {}
        places: dict[Scope, int] = {}
        #: The scopes that hold lines, and the number of that of each line.
        self.which = [places.setdefault(line.scope, len(places)) for line in lines]
        self.holding = list(places)
        self.sizes = _sizes(lines, texts)
        self.prose = max((size[0] for size in self.sizes.values()), default=0.0) or 1.0
        self.core = self._core()
        self._inside: dict[Scope, int] = dict.fromkeys(self.core.ancestry(), 0)

    def _core(self) -> Scope:
        """The innermost scope with most of the page's running text."""
        best = min(self.sizes, key=lambda scope: scope.depth)
        for scope, size in self.sizes.items():
            if size[0] >= 0.7 * self.prose and scope.depth > best.depth:
                best = scope
        return best

    def levels_to_core(self, scope: Scope) -> int:
        """How many scopes outwards the first one is that holds the core."""
        at: Scope | None = scope
        chain = []
        while at is not None and at not in self._inside:
            chain.append(at)
            at = at.parent
        if at is self.core:
            for inner in chain:
                self._inside[inner] = 0
            return 0
        return len(chain) or 1

    def is_in_core(self, scope: Scope) -> bool:
        """Whether a scope is the core or stands in it."""
        while scope.depth > self.core.depth and scope.parent is not None:
            scope = scope.parent
        return scope is self.core

    def own(self) -> NDArray[np.float64]:
        """The numbers of each scope that holds lines: its tag, its names and those around it; (holding, some)."""
        names = [[float(_TAG_CODES.get(scope.tag, -1)), *self._names(scope)] for scope in self.holding]
        table = np.array(names, dtype=np.float64)
        return np.concatenate([table[:, :1] == np.arange(len(_TAGS)), table[:, 1:]], axis=1)

    def _names(self, scope: Scope) -> list[float]:
        title, small, _, _ = _signs(scope.names)
        if scope.parent is not None and scope.parent.children == 1:
            outer_title, outer_small, _, _ = _signs(scope.parent.names)
            title, small = title or outer_title, small or outer_small
        return [title, small, *self._around(scope), _listed(scope)]

    def place(self) -> NDArray[np.float64]:
        """The numbers of each scope that holds lines: what it and those around it hold; (holding, 8)."""
        rows = []
        for scope in self.holding:
            parent = scope.parent or scope
            grandparent = parent.parent or parent
            outer = grandparent.parent or grandparent
            one, two, three = self.sizes[parent], self.sizes[grandparent], self.sizes[outer]
            rows.append(
                [
                    one[0] / self.prose,
                    two[0] / self.prose,
                    three[0] / self.prose,
                    one[2] / (one[1] or 1),
                    two[2] / (two[1] or 1),
                    log1p(one[3]),
                    self.is_in_core(scope),
                    scope.depth,
                ]
            )
        return np.array(rows, dtype=np.float64)

    def _around(self, scope: Scope) -> tuple[float, float, float]:
        """How many scopes from this one outwards have names or tags of the edge of pages, or names of their core."""
        chain = []
        at: Scope | None = scope
        while at is not None and at not in self._outer:
            chain.append(at)
            at = at.parent
        edge, core, tags = (0.0, 0.0, 0.0) if at is None else self._outer[at]
        for inner in reversed(chain):
            _, _, of_edge, of_core = _signs(inner.names)
            edge += of_edge
            core += of_core
            tags += inner.tag in _EDGE_TAGS
            self._outer[inner] = edge, core, tags
        return edge, core, tags


@lru_cache(maxsize=4096)
def _signs(names: str) -> tuple[bool, bool, bool, bool]:
    """Whether class and id names have words of titles, of small print, of the edge of pages, of their core."""
    if not names:
        return False, False, False, False
    small = names.lower()
    words = _NAME.findall(small if small == names else _CAMEL.sub(" ", names).lower())
    title, print_, edge, core = (not known.isdisjoint(words) for known in _NAME_KINDS)
    return title, print_, edge, core


def _listed(scope: Scope) -> int:
    """How many of a scope and the three around it are parts of lists or tables."""
    at: Scope | None = scope
    found, left = 0, 4
    while at is not None and left:
        found += at.tag in _LISTS
        at, left = at.parent, left - 1
    return found


def _sizes(lines: Sequence[Line], texts: Texts) -> dict[Scope, list[float]]:
    """Of each scope around lines: its words of running text, its characters, those of them in links, its lines."""
    sizes: dict[Scope, list[float]] = {}
    for line, words, prose, chars in zip(lines, texts.words, texts.prose, texts.chars, strict=True):
        scope: Scope | None = line.scope
        while scope is not None and scope not in sizes:
            sizes[scope] = [0.0, 0.0, 0.0, 0.0]
            scope = scope.parent
        size = sizes[line.scope]
        if prose and line.link < 0.5:
            size[0] += words
        size[1] += chars
        size[2] += chars * line.link
        size[3] += 1
    for scope in sorted(sizes, key=lambda scope: -scope.depth):
        if scope.parent is not None:
            outer, inner = sizes[scope.parent], sizes[scope]
            outer[0] += inner[0]
            outer[1] += inner[1]
            outer[2] += inner[2]
            outer[3] += inner[3]
    return sizes


def _place(lines: Sequence[Line], texts: Texts, looks: Sequence[int], scopes: _Scopes) -> list[NDArray[np.float64]]:
    """Numbers of the lines' places in the page and of the lines that look like them, (lines, some) each."""
    count, at = len(lines), np.arange(len(lines))
    around = scopes.place()[scopes.which]
    inside, depths = np.flatnonzero(around[:, 6]), around[:, 7]
    first, last = (inside[0], inside[-1]) if len(inside) else (0, count - 1)
    sizes = sorted([line.size for line, prose in zip(lines, texts.prose, strict=True) if prose])
    usual = (sizes[len(sizes) // 2] if sizes else NORMAL) or NORMAL
    before = [at / count, np.full(count, log1p(count))]
    # by line and in order: the number of a scope's first line is not that of its others
    levels = [min(scopes.levels_to_core(line.scope), 10) for line in lines]
    behind = [
        np.array(levels, dtype=np.float64),
        at < first,
        np.clip((at - first) / (last - first + 1), -1.0, 2.0),
        np.array([line.size for line in lines]) / usual,
        np.clip(np.diff(depths, prepend=0), -9, 9),
        np.clip(np.diff(depths, append=0), -9, 9),
    ]
    repeats = np.log1p(texts.repeats())[:, None]
    return [np.stack(before, axis=1), _alike(texts, looks), repeats, around[:, :7], np.stack(behind, axis=1)]


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


def _beside(result: Floats, texts: Texts, looks: Sequence[int], scopes: _Scopes) -> None:
    """Set ``result``, (lines, 8), to how each line compares with the one before and the one behind it."""
    parents = {id(scope.parent): place for place, scope in enumerate(scopes.holding)}
    scope, look = np.array(scopes.which), np.array(looks)
    parent = np.array([parents[id(scope.parent)] for scope in scopes.holding])[scope]
    longer = np.diff(texts.log_chars)
    result[1:, 0], result[:-1, 4] = -longer, longer
    for column, values in enumerate((scope, look, parent), 1):
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
