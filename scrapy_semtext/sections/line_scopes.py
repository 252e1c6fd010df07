"""What the elements around the lines of a page say of them: names, tags, and how much text they hold."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import ScopeTree, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.sections.line_texts import Texts

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
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
#: The tags that `Scopes.write_own` tells apart, in the order of its columns.
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
_TAG_ROWS = np.eye(len(TAGS) + 1, dtype=np.float32)[:, 1:]
_OF_TITLES, _AROUND = np.array([[_TITLE], [_SMALL]]), np.array([_EDGE, _CORE_NAME, _EDGE_TAG])
# Sums over the elements around one are added up in one number, so many bits for each.
_FIELD = 20
_PLACES = _FIELD * np.arange(3)[:, None]
_FIELDS = (1 << _PLACES)[:, 0]

#: The share of the page's running text that its core holds at least.
CORE = 0.7


class Scopes:
    """The elements around a page's lines, at least one, each looked at once.

    ``which``: int64, (lines,), the element of each line; ``parent``:
    int64, (lines,), a number for the element around that one. ``depth``: int64, (lines,). ``in_core``: bool, (lines,),
    whether a line stands in the innermost element with most of the page's running text, its core; ``levels``: int64,
    (lines,), how many elements outwards from that of a line the first one is that holds the core, 0 in the core.
    ``is_leaf``: bool, (lines,), whether no other element in that of a line holds text. ``of_class`` and
    ``of_tag_and_class``: int64, (lines,), a number for the class, and for the tag and class, of that element.
    """

    def __init__(self, layout: ScopeTree, texts: Texts, link: Floats) -> None:
        """``layout`` is that of the lines; ``link``: (lines,), the share of each line that is in links."""
        self._layout = layout
        self.which = layout.of_block
        # what the root stands in is behind the last scope
        self._above = np.append(np.where(layout.depth == 0, len(layout), layout.parent), len(layout))
        self._sizes = layout.totals(_sizes_of_lines(texts, link))
        self._prose = self._sizes[0, 0] or 1.0
        core = int(np.argmax(np.where(self._sizes[:, 0] >= CORE * self._prose, layout.depth, -1)))
        first, last, depth = layout.first, layout.last, layout.depth
        in_core = (first >= first[core]) & (last <= last[core]) & (depth >= depth[core])
        levels = np.where(in_core, 0, np.maximum(layout.branches(layout.path_to(core))[2], 1))
        self.parent, self.depth = self._above[self.which], depth[self.which]
        self.in_core, self.levels = in_core[self.which], levels[self.which]
        self._children = layout.children
        self.is_leaf = self._children[self.which] == 0
        numbers = np.zeros((2, len(layout)), dtype=np.int64)
        holding = np.flatnonzero(np.bincount(self.which))
        held = [layout.scopes[at] for at in holding.tolist()]
        classes = [scope.classes for scope in held]
        numbers[0, holding] = numbered(classes)
        numbers[1, holding] = numbered(zip([scope.tag for scope in held], classes, strict=True))
        self.of_class, self.of_tag_and_class = numbers.take(self.which, axis=1)

    def write_own(self, result: Singles) -> None:
        """Set ``result``, (lines, TAGS and 6), to the tags and names of the elements and of those around them."""
        above, looks = self._above, self._layout.element_types
        signs = np.append(signs_of(looks.pairs).take(looks.of_scope), 0)
        alone = np.append(self._children == 1, False)
        of_title = signs | np.where(alone[above], signs[above], 0)
        around = _summed_outwards(self._layout.parent, (signs[:-1, None] & _AROUND != 0) @ _FIELDS)
        listed, level = (signs & _LIST != 0).astype(np.int64), self.which
        tags, found = len(TAGS), np.zeros((6, len(level)), dtype=np.int64)
        found[:2] = of_title[level] & _OF_TITLES != 0
        found[2:5] = around[level] >> _PLACES & (1 << _FIELD) - 1
        result[:, :tags] = _TAG_ROWS.take(signs[level] >> _TAG, axis=0)
        for _ in range(_LIST_LEVELS + 1):
            found[5] += listed[level]
            level = above[level]
        result[:, tags:] = found.T

    def write_place(self, result: Singles) -> None:
        """Set ``result``, (lines, 7), to how much the elements around hold, and whether that right around is core."""
        one = self._layout.parent[self.which]
        two = self._layout.parent[one]
        sizes = self._sizes.take(np.stack((one, two, self._layout.parent[two])), axis=0)
        result[:, :3] = (sizes[:, :, 0] / self._prose).T
        result[:, 3:5] = (sizes[:2, :, 2] / sizes[:2, :, 1]).T
        result[:, 5] = np.log1p(sizes[0, :, 3])
        result[:, 6] = self.in_core


def names_of_small(names: str) -> bool:
    """Whether class and id names say that an element holds a byline, a date or the like."""
    return _signs(names) & _SMALL != 0


def signs_of(looks: list[tuple[str, str]]) -> Places:
    """What tags and names say, (looks,)."""
    return np.array([_signs(names) | _OF_TAG.get(tag, 0) for tag, names in looks], dtype=np.int64)


def _summed_outwards(parent: Places, values: Places) -> Places:
    """The sums of values over each scope and those around it, (scopes,)."""
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
