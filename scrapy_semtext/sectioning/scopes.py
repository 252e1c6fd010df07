"""What the elements around the lines of a page say of them: names, tags, and how much text they hold."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.structure.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sectioning.lines import Line
    from scrapy_semtext.sectioning.texts import Texts

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

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
_LISTS, _LIST_LEVELS = frozenset(("ul", "ol", "dl", "table", "li")), 3
#: The tags that `Scopes.own` tells apart, in the order of its columns.
TAGS = "p div li dd dt td th pre blockquote summary legend caption figcaption address section article body".split()
_TAG_CODES = {tag: place for place, tag in enumerate(TAGS)}

# The share of the page's running text that its core holds at least.
_CORE = 0.7


class Scopes:
    """The elements around a page's lines, at least one, each looked at once.

    ``which``: int64, (lines,), the place of the element of each line in the tables of `own` and `place`; ``parent``:
    int64, (lines,), a number for the element around that one. ``depth``: int64, (lines,). ``in_core``: bool, (lines,),
    whether a line stands in the innermost element with most of the page's running text, its core; ``levels``: int64,
    (lines,), how many elements outwards from that of a line the first one is that holds the core, 0 in the core.
    """

    def __init__(self, lines: Sequence[Line], texts: Texts) -> None:
        self._layout = layout = Layout(lines)
        self._holding, self.which = np.unique(layout.of_block, return_inverse=True)
        # what the root stands in is behind the last scope
        self._above = np.append(np.where(layout.depth == 0, len(layout), layout.parent), len(layout))
        self._sizes = layout.totals(_sizes_of_lines(lines, texts))
        self._prose = self._sizes[0, 0] or 1.0
        core = int(np.argmax(np.where(self._sizes[:, 0] >= _CORE * self._prose, layout.depth, -1)))
        first, last, depth = layout.first, layout.last, layout.depth
        in_core = (first >= first[core]) & (last <= last[core]) & (depth >= depth[core])
        levels = np.where(in_core, 0, np.maximum(layout.branches(layout.path_to(core))[2], 1))
        self.parent = self._above[layout.of_block]
        self.depth, self.in_core, self.levels = (values[layout.of_block] for values in (depth, in_core, levels))

    def own(self) -> Floats:
        """The tags and names of the elements that hold lines, and of those around them; (holding, some)."""
        at, above = self._holding, self._above
        scopes = self._layout.scopes
        signs = np.array([_signs(scope.names) for scope in scopes] + [(False,) * 4], dtype=np.float64)
        tags = np.array([_TAG_CODES.get(scope.tag, -1) for scope in scopes])
        alone = np.array([scope.children == 1 for scope in scopes] + [False])
        of_title = np.maximum(signs[at, :2], np.where(alone[above[at], None], signs[above[at], :2], 0))
        edges = np.array([scope.tag in _EDGE_TAGS for scope in scopes])
        around = self._outwards(np.column_stack([signs[:-1, 2:], edges]))[at]
        lists = np.array([scope.tag in _LISTS for scope in scopes] + [False])
        listed, level = lists[at].astype(np.float64), at
        for _ in range(_LIST_LEVELS):
            level = above[level]
            listed += lists[level]
        return np.column_stack([tags[at, None] == np.arange(len(TAGS)), of_title, around, listed])

    def place(self) -> Floats:
        """How much the elements around those that hold lines hold, and whether these are in the core; (holding, 7)."""
        parent = self._layout.parent[self._holding]
        outer = self._layout.parent[parent]
        one, two, three = self._sizes[parent].T, self._sizes[outer].T, self._sizes[self._layout.parent[outer]].T
        in_core = np.zeros(len(self._holding))
        in_core[self.which] = self.in_core
        prose = [sizes[0] / self._prose for sizes in (one, two, three)]
        return np.stack([*prose, one[2] / one[1], two[2] / two[1], np.log1p(one[3]), in_core], axis=1)

    def _outwards(self, columns: Floats) -> Floats:
        """The sums of columns, (scopes, some), over each scope and those around it."""
        sums: Floats = columns.copy()
        depth = self._layout.depth
        for level in range(1, int(depth.max(initial=0)) + 1):
            scopes = np.flatnonzero(depth == level)
            sums[scopes] += sums[self._layout.parent[scopes]]
        return sums


def names_of_small(names: str) -> bool:
    """Whether class and id names say that an element holds a byline, a date or the like."""
    return _signs(names)[1]


@lru_cache(maxsize=4096)
def _signs(names: str) -> tuple[bool, bool, bool, bool]:
    """Whether class and id names have words of titles, of small print, of the edge of pages, of their core."""
    if not names:
        return False, False, False, False
    small = names.lower()
    words = _NAME.findall(small if small == names else _CAMEL.sub(" ", names).lower())
    title, print_, edge, core = (not known.isdisjoint(words) for known in _NAME_KINDS)
    return title, print_, edge, core


def _sizes_of_lines(lines: Sequence[Line], texts: Texts) -> Floats:
    """Of each line: its words of running text, its characters, those of them in links, and 1; (lines, 4)."""
    link = np.array([line.link for line in lines])
    chars = np.array(texts.chars, dtype=np.float64)
    words = np.where(np.array(texts.prose) & (link < 0.5), texts.words, 0)
    return np.stack([words, chars, chars * link, np.ones(len(lines))], axis=1)
