"""What the elements around the lines of a page say of them: names, tags, and how much text they hold."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.compiled import lines
from scrapy_semtext.structure.layout import Layout, numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sectioning.texts import Texts
    from scrapy_semtext.segment import Scope

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
_EDGE_TAGS = frozenset("nav footer header aside form button dialog noscript template".split())
_LISTS, _LIST_LEVELS = frozenset(("ul", "ol", "dl", "table", "li")), 3
#: The tags that `Scopes.own` tells apart, in the order of its columns.
TAGS = "p div li dd dt td th pre blockquote summary legend caption figcaption address section article body".split()

# What an element's names and tag say, as bits of one number; above them the place of its tag in TAGS, from 1 on.
_TITLE, _SMALL, _EDGE, _CORE_NAME, _EDGE_TAG, _LIST = (1 << bit for bit in range(6))
_TAG = 6
_NAME_KINDS = {_TITLE: _TITLE_NAMES, _SMALL: _SMALL_NAMES, _EDGE: _EDGE_NAMES, _CORE_NAME: _CORE_NAMES}
_OF_NAME = {
    name: sum(kind for kind, names in _NAME_KINDS.items() if name in names)
    for name in set().union(*_NAME_KINDS.values())
}
_OF_TAG = {
    tag: _EDGE_TAG * (tag in _EDGE_TAGS) + _LIST * (tag in _LISTS) + (TAGS.index(tag) + 1 << _TAG if tag in TAGS else 0)
    for tag in {*TAGS, *_EDGE_TAGS, *_LISTS}
}
# By the place of a tag, 1 in its column.
_TAG_ROWS = np.eye(len(TAGS) + 1)[:, 1:]
# Sums over the elements around one are added up in one number, so many bits for each.
_FIELD = 20

# The share of the page's running text that its core holds at least.
_CORE = 0.7


class Scopes:
    """The elements around a page's lines, at least one, each looked at once.

    ``which``: int64, (lines,), the place of the element of each line in the tables of `own` and `place`; ``parent``:
    int64, (lines,), a number for the element around that one. ``depth``: int64, (lines,). ``in_core``: bool, (lines,),
    whether a line stands in the innermost element with most of the page's running text, its core; ``levels``: int64,
    (lines,), how many elements outwards from that of a line the first one is that holds the core, 0 in the core.
    ``is_leaf``: bool, (lines,), whether no other element in that of a line holds text. ``of_class`` and
    ``of_tag_and_class``: int64, (lines,), a number for the class, and for the tag and class, of that element.
    """

    def __init__(self, layout: Layout, texts: Texts, link: Floats) -> None:
        """``layout`` is that of the lines; ``link``: (lines,), the share of each line that is in links."""
        self._layout = layout
        self.which = layout.of_block
        # what the root stands in is behind the last scope
        self._above = np.append(np.where(layout.depth == 0, len(layout), layout.parent), len(layout))
        self._sizes = layout.totals(_sizes_of_lines(texts, link))
        self._prose = self._sizes[0, 0] or 1.0
        core = int(np.argmax(np.where(self._sizes[:, 0] >= _CORE * self._prose, layout.depth, -1)))
        first, last, depth = layout.first, layout.last, layout.depth
        self._in_core = (first >= first[core]) & (last <= last[core]) & (depth >= depth[core])
        levels = np.where(self._in_core, 0, np.maximum(layout.levels_to(layout.path_to(core)), 1))
        self.parent, self.depth = self._above[self.which], depth[self.which]
        self.in_core, self.levels = self._in_core[self.which], levels[self.which]
        self._children = np.array([scope.children for scope in layout.scopes])
        self.is_leaf = self._children[self.which] == 0
        holding, which = np.unique(self.which, return_inverse=True)
        classes = [layout.scopes[at].element.get("class") for at in holding.tolist()]
        tags = [layout.scopes[at].tag for at in holding.tolist()]
        self.of_class = numbered(classes)[which]
        self.of_tag_and_class = numbered(zip(tags, classes, strict=True))[which]

    def own(self) -> Floats:
        """The tags and names of the elements, and of those around them; (scopes, some)."""
        scopes, above = self._layout.scopes, self._above
        signs = np.append(_signs_of(scopes), 0)
        alone = np.append(self._children == 1, False)
        of_title = signs | np.where(alone[above], signs[above], 0)
        listed, level = (signs & _LIST != 0).astype(np.int64), above
        lists = listed.copy()
        for _ in range(_LIST_LEVELS):
            listed += lists[level]
            level = above[level]
        titles = [of_title[:-1] & kind != 0 for kind in (_TITLE, _SMALL)]
        around = self._outwards([signs[:-1] & kind != 0 for kind in (_EDGE, _CORE_NAME, _EDGE_TAG)])
        found = np.empty((len(scopes), len(TAGS) + 6))
        found[:, : len(TAGS)] = _TAG_ROWS.take(signs[:-1] >> _TAG, axis=0)
        found[:, len(TAGS) :] = np.array([*titles, *around, listed[:-1]]).T
        return found

    def place(self) -> Floats:
        """How much the elements around each hold, and whether it is in the core; (scopes, 7)."""
        parent = self._layout.parent
        outer = parent[parent]
        one, two, three = self._sizes[parent].T, self._sizes[outer].T, self._sizes[parent[outer]].T
        prose = [sizes[0] / self._prose for sizes in (one, two, three)]
        return np.stack([*prose, one[2] / one[1], two[2] / two[1], np.log1p(one[3]), self._in_core], axis=1)

    def _outwards(self, columns: Sequence[NDArray[np.bool_]]) -> list[Places]:
        """How many of each scope and those around it have what each column tells, (scopes,) each."""
        packed = sum((column.astype(np.int64) << _FIELD * place for place, column in enumerate(columns)), np.int64(0))
        found = _summed_outwards(self._layout.parent, packed)
        return [found >> _FIELD * place & (1 << _FIELD) - 1 for place in range(len(columns))]


def names_of_small(names: str) -> bool:
    """Whether class and id names say that an element holds a byline, a date or the like."""
    return _signs(names) & _SMALL != 0


def _signs_of(scopes: list[Scope]) -> Places:
    """What the names and tags of scopes say, (scopes,)."""
    if lines is None:
        return np.array([_signs(scope.names) | _OF_TAG.get(scope.tag, 0) for scope in scopes], dtype=np.int64)
    found: Places = np.empty(len(scopes), dtype=np.int64)
    lines.signs_of_scopes(scopes, _OF_NAME, _OF_TAG, _signs, found)
    return found


def _summed_outwards(parent: Places, values: Places) -> Places:
    """The sums of values over each scope and those around it, (scopes,)."""
    if lines is not None:
        found: Places = values.copy()
        lines.add_outwards(parent, found)
        return found
    sums: list[int] = values.tolist()
    for at, above in enumerate(parent[1:].tolist(), 1):
        sums[at] += sums[above]
    return np.array(sums, dtype=np.int64)


@lru_cache(maxsize=4096)
def _signs(names: str) -> int:
    """Whether class and id names have words of titles, of small print, of the edge of pages, of their core; as bits."""
    if not names:
        return 0
    small = names.lower()
    signs = 0
    for word in _NAME.findall(small if small == names else _CAMEL.sub(" ", names).lower()):
        signs |= _OF_NAME.get(word, 0)
    return signs


def _sizes_of_lines(texts: Texts, link: Floats) -> Floats:
    """Of each line: its words of running text, its characters, those of them in links, and 1; (lines, 4)."""
    words = np.where(texts.prose & (link < 0.5), texts.words, 0)
    return np.stack([words, texts.chars, texts.chars * link, np.ones(len(link))], axis=1)
