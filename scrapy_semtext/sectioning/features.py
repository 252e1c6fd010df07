"""What a model is told of each line of a page: its shape, its looks, its place, and the same of its neighbours.

Length, punctuation, tags and the ratio to the next line are those of STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, looks and how often they repeat come from what the paper says that readers go by.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sectioning.numbering import KINDS, Numbering, has_bullet, numbering
from scrapy_semtext.sectioning.style import NORMAL

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sectioning.lines import Line
    from scrapy_semtext.segment import Scope

    Floats = NDArray[np.float32]

#: The end of a sentence, behind it perhaps a bracket, a quotation mark or a footnote.
SENTENCE_END = re.compile(r"[.!?。！？…]['\"“”‘’«»)\]】」]*(?:\[\d+\])?$")
_LEADS_ON = re.compile(r"[:：]\s*$")
_PUNCTUATION = re.compile(r"[^\w\s]")
_COMMAS = re.compile(r"[,;、，；،]")
_DIGITS = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LOOK = 400

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

#: Words from which on a line that ends like a sentence counts as running text.
_PROSE_WORDS = 10


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the text of a line says by itself."""

    words: int
    ends: bool
    number: Numbering

    @property
    def is_prose(self) -> bool:
        return self.ends and self.words >= _PROSE_WORDS


def line_features(lines: Sequence[Line], title: str = "") -> Floats:
    """Describe a page's lines by numbers; float32, (lines, FEATURES). ``title`` is the text of its <title>."""
    if not lines:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    shapes = [_shape(line.text) for line in lines]
    looks = [looks_of(line) for line in lines]
    scopes = _Scopes(lines, shapes)
    follows = _follows(shapes)
    named = frozenset(_WORD.findall(title.lower()))
    own = [
        [
            *_own(line, shape, follow, named),
            *scopes.names(line.scope),
            float(line.scope.depth) / 10,
            line.at,
            min(line.of, 20),
            float(line.of == 1 and line.scope.children == 0),
        ]
        for line, shape, follow in zip(lines, shapes, follows, strict=True)
    ]
    table = np.array([a + b for a, b in zip(own, _place(lines, shapes, looks, scopes), strict=True)], dtype=np.float32)
    shared = [(*_OWN, *_PLACE).index(name) for name in _SHARED]
    parts = [table]
    parts += [_shifted(table[:, shared], offset) for offset in _OFFSETS]
    parts.append(_beside(lines, looks))
    parts.append(_runs_until_like(shapes, looks))
    return np.concatenate(parts, axis=1)


def looks_of(line: Line) -> Hashable:
    """What lines of one kind have in common: element, names, heading level, and looks."""
    return (
        line.scope.tag if not line.heading else "h",
        line.scope.element.get("class"),  # not its id, which no other element has
        line.heading,
        line.bold > 0.8,
        line.italic > 0.8,
        line.underlined > 0.8,
        line.centred,
        round(line.size),
        _is_caps(line.text),
    )


def is_prose(text: str) -> bool:
    """Whether a line is running text by its shape alone: a sentence of some length."""
    return _shape(text).is_prose


def names_of_small(names: str) -> bool:
    """Whether class and id names say that an element holds a byline, a date or the like."""
    return not _words(names).isdisjoint(_SMALL_NAMES)


def _shape(text: str) -> _Shape:
    words = text.count(" ") + 1
    if not text.isascii() and words < _PROSE_WORDS:  # scripts without spaces: two characters are about a word
        words = max(words, sum("\u3040" <= char <= "\u9fff" for char in text[:_LOOK]) // 2)
    return _Shape(words, SENTENCE_END.search(text[-20:]) is not None, numbering(text))


def _own(line: Line, shape: _Shape, follows: bool, title: frozenset[str]) -> list[float]:
    """Numbers of a line's own text and looks; ``title`` holds the words of the page's title."""
    text = line.text[:_LOOK]
    words = _WORD.findall(text.lower())
    core = text[shape.number.width :].split() or text.split()
    letters = [word for word in core if word[0].isalpha()]
    kind = shape.number.kind
    return [
        log1p(len(line.text)),
        log1p(shape.words),
        float(shape.ends),
        float(_LEADS_ON.search(line.text[-5:]) is not None),
        log1p(len(_PUNCTUATION.findall(text))),
        log1p(len(_COMMAS.findall(text))),
        float(bool(core) and core[0][:1].isupper()),
        sum(word[0].isupper() for word in letters) / (len(letters) or 1),
        float(_is_caps(text)),
        len(_DIGITS.findall(text)) / len(text),
        float(_YEAR.search(text) is not None),
        min(len(text) / (text.count(" ") + 1), 30.0),
        sum(word in title for word in words) / (len(words) or 1),
        float(has_bullet(text)),
        *(float(kind == known) for known in KINDS[1:]),
        float(shape.number.depth),
        float(follows),
        line.bold,
        line.italic,
        line.underlined,
        line.link,
        line.size / NORMAL,
        float(line.centred),
        float(line.hidden),
        float(line.heading),
        *(float(line.scope.tag == tag) for tag in _TAGS),
    ]


def _follows(shapes: Sequence[_Shape]) -> list[bool]:
    """For each line whether its number is the next one after that of an earlier line of its kind and depth."""
    last: dict[tuple[str, int], int] = {}
    found = []
    for _, _, number in ((shape.words, shape.ends, shape.number) for shape in shapes):
        key = number.kind, number.depth
        found.append(number.kind != "none" and number.value > 0 and last.get(key, 0) + 1 == number.value)
        if number.kind != "none":
            last[key] = number.value
    return found


class _Scopes:
    """What the elements around lines hold, each looked at once."""

    def __init__(self, lines: Sequence[Line], shapes: Sequence[_Shape]) -> None:
        self._names: dict[Scope, list[float]] = {}
        self._outer: dict[Scope, tuple[float, float, float]] = {}
        own: dict[Scope, list[float]] = {}
        for line, shape in zip(lines, shapes, strict=True):
            scope: Scope | None = line.scope
            while scope is not None and scope not in own:
                own[scope] = [0.0, 0.0, 0.0, 0.0]
                scope = scope.parent
            size = own[line.scope]
            size[0] += shape.words * (shape.is_prose and line.link < 0.5)
            size[1] += len(line.text)
            size[2] += len(line.text) * line.link
            size[3] += 1
        for scope in sorted(own, key=lambda scope: -scope.depth):
            if scope.parent is not None:
                outer = own[scope.parent]
                for column in range(4):
                    outer[column] += own[scope][column]
        self.sizes = own
        self.prose = max((size[0] for size in own.values()), default=0.0) or 1.0
        self.core = self._core()
        self._inside: dict[Scope, int] = {}

    def _core(self) -> Scope:
        """The innermost scope with most of the page's running text."""
        best = min(self.sizes, key=lambda scope: scope.depth)
        for scope, size in self.sizes.items():
            if size[0] >= 0.7 * self.prose and scope.depth > best.depth:
                best = scope
        return best

    def levels_to_core(self, scope: Scope) -> int:
        """How many scopes outwards the first one is that holds the core."""
        if not self._inside:
            self._inside = dict.fromkeys(self.core.ancestry(), 0)
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

    def names(self, scope: Scope) -> list[float]:
        """The numbers of a scope that its names and those around it give."""
        known = self._names.get(scope)
        if known is None:
            near = _words(scope.names)
            if scope.parent is not None and scope.parent.children == 1:
                near |= _words(scope.parent.names)
            listed = sum(outer.tag in _LISTS for outer in islice(scope.ancestry(), 4))
            known = [float(bool(near & _TITLE_NAMES)), float(bool(near & _SMALL_NAMES)), *self._around(scope), listed]
            self._names[scope] = known
        return known

    def _around(self, scope: Scope) -> tuple[float, float, float]:
        """How many scopes from this one outwards have names or tags of the edge of pages, or names of their core."""
        chain = []
        at: Scope | None = scope
        while at is not None and at not in self._outer:
            chain.append(at)
            at = at.parent
        edge, core, tags = (0.0, 0.0, 0.0) if at is None else self._outer[at]
        for inner in reversed(chain):
            words = _words(inner.names)
            edge += bool(words & _EDGE_NAMES)
            core += bool(words & _CORE_NAMES)
            tags += inner.tag in _EDGE_TAGS
            self._outer[inner] = edge, core, tags
        return edge, core, tags


@lru_cache(maxsize=4096)
def _words(names: str) -> frozenset[str]:
    return frozenset(_NAME.findall(_CAMEL.sub(" ", names).lower())) if names else frozenset()


def _place(
    lines: Sequence[Line], shapes: Sequence[_Shape], looks: Sequence[Hashable], scopes: _Scopes
) -> list[list[float]]:
    """Numbers of a line's place in the page and of the lines that look like it."""
    alike = _alike(shapes, looks)
    repeats = Counter(line.text for line in lines)
    inside = [scopes.is_in_core(line.scope) for line in lines]
    first = inside.index(True) if True in inside else 0
    last = len(lines) - 1 - inside[::-1].index(True) if True in inside else len(lines) - 1
    sizes = sorted(line.size for line, shape in zip(lines, shapes, strict=True) if shape.is_prose)
    usual = (sizes[len(sizes) // 2] if sizes else NORMAL) or NORMAL
    rows = []
    for index, line in enumerate(lines):
        parent = line.scope.parent or line.scope
        grandparent = parent.parent or parent
        outer = grandparent.parent or grandparent
        one, two, three = scopes.sizes[parent], scopes.sizes[grandparent], scopes.sizes[outer]
        rows.append(
            [
                index / len(lines),
                log1p(len(lines)),
                *alike[looks[index]],
                log1p(repeats[line.text]),
                one[0] / scopes.prose,
                two[0] / scopes.prose,
                three[0] / scopes.prose,
                one[2] / (one[1] or 1),
                two[2] / (two[1] or 1),
                log1p(one[3]),
                float(inside[index]),
                float(min(scopes.levels_to_core(line.scope), 10)),
                float(index < first),
                min(max((index - first) / (last - first + 1), -1.0), 2.0),
                line.size / usual,
                *(_levels(lines, index)),
            ]
        )
    return rows


def _alike(shapes: Sequence[_Shape], looks: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    """Of the lines that look alike: how many, their mean length, how many are prose, how many stand before longer."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for index, look in enumerate(looks):
        found[look].append(index)
    result = {}
    for look, places in found.items():
        words = sum(shapes[index].words for index in places)
        prose = sum(shapes[index].ends for index in places)
        leads = sum(
            index + 1 < len(shapes) and looks[index + 1] != look and shapes[index + 1].words > 2 * shapes[index].words
            for index in places
        )
        count = len(places)
        result[look] = [log1p(count), log1p(words / count), prose / count, leads / count]
    return result


def _levels(lines: Sequence[Line], index: int) -> tuple[float, float]:
    """How much deeper the line stands than the one before it, and the next one than it."""
    depth = lines[index].scope.depth
    before = lines[index - 1].scope.depth if index else 0
    behind = lines[index + 1].scope.depth if index + 1 < len(lines) else 0
    return float(max(-9, min(9, depth - before))), float(max(-9, min(9, behind - depth)))


def _shifted(table: Floats, offset: int) -> Floats:
    """The rows of the lines ``offset`` further on; -1 where there is none."""
    result = np.full_like(table, -1.0)
    if abs(offset) < len(table):
        if offset > 0:
            result[:-offset] = table[offset:]
        else:
            result[-offset:] = table[:offset]
    return result


def _beside(lines: Sequence[Line], looks: Sequence[Hashable]) -> Floats:
    """How a line compares with the one before and the one behind it."""
    result = np.full((len(lines), 8), -1.0, dtype=np.float32)
    for index, line in enumerate(lines):
        for half, other in enumerate((index - 1, index + 1)):
            if 0 <= other < len(lines):
                result[index, 4 * half : 4 * half + 4] = (
                    log1p(len(lines[other].text)) - log1p(len(line.text)),
                    float(lines[other].scope is line.scope),
                    float(looks[other] == looks[index]),
                    float(lines[other].scope.parent is line.scope.parent),
                )
    return result


def _runs_until_like(shapes: Sequence[_Shape], looks: Sequence[Hashable]) -> Floats:
    """How many words stand between a line and the next that looks like it (or the end), as a logarithm; (lines, 1)."""
    result = np.zeros((len(shapes), 1), dtype=np.float32)
    next_at: dict[Hashable, int] = {}
    behind = 0
    for index in range(len(shapes) - 1, -1, -1):
        result[index, 0] = log1p(behind - next_at.get(looks[index], 0))
        behind += shapes[index].words
        next_at[looks[index]] = behind
    return result


def _is_caps(text: str) -> bool:
    return text[:_LOOK].isupper()
