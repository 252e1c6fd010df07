"""Features of lines from the elements around them: names, tags, and how much text they hold."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.per_page import first_maximum
from scrapy_semtext.sections.element_kinds import (
    CORE_NAME,
    EDGE_NAME,
    EDGE_TAG,
    LIST_TAG,
    SMALL_NAME,
    TAGS,
    TITLE_NAME,
    tag_places,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.sections.line_texts import LineTexts
    from scrapy_semtext.sections.lines import Lines

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_LIST_LEVELS = 3
# By the place of a tag, from 1 on: 1 in its row.
_TAG_ROWS = np.eye(len(TAGS) + 1, dtype=np.float32)[1:]
_OF_TITLES, _AROUND = np.array([[TITLE_NAME], [SMALL_NAME]]), np.array([[EDGE_NAME], [CORE_NAME], [EDGE_TAG]])
# Counts of the elements around one are added up in one number, so many bits for each.
_FIELD = 20
_SHIFTS = _FIELD * np.arange(3)[:, None]

#: The share of the page's running text that its core holds at least.
CORE = 0.7

#: The features of the element of a line and of those around it, in the order of `LineScopes.write`.
SCOPE_COLUMNS = (
    *(f"tag_{tag}" for tag in TAGS),
    "title_name",
    "small_name",
    "edge_names",
    "core_names",
    "edge_tags",
    "listed",
    "depth",
)
#: Those of how much text they hold, in the order of `LineScopes.write_sizes`.
SIZE_COLUMNS = (
    "share_parent",
    "share_grandparent",
    "share_outer",
    "link_parent",
    "link_grandparent",
    "log_lines_parent",
    "in_core",
    "levels_to_core",
)
_DEEPEST = 10


class LineScopes:
    """The elements around the lines of a batch of pages, at least one line, as a forest with a tree for each page.

    The core of a page is the innermost element that holds CORE of its running text. int64, (lines,): ``scope``, the
    element of each line, ``parent``, the one around it (the number of elements for none), ``depth``; bool, (lines,):
    ``is_leaf``, whether no other element in that of the line holds text; int64, (lines,): ``core_first`` and
    ``core_last``, the first and last line of the core of the page.
    """

    def __init__(self, lines: Lines, texts: LineTexts) -> None:
        self._tree = tree = lines.scope_tree
        self._kinds = lines.element_kinds
        count = len(tree)
        self.scope = scope = tree.of_block
        # the parents of the roots are behind the last element
        self._above = np.append(tree.parent, count)
        self._above[tree.roots] = count
        self._sizes = _totals(lines, texts)
        self._prose = np.maximum(self._sizes[0, tree.roots], 1)  # a page without any has 0
        page = tree.page_of_scope
        holds_most = self._sizes[0] >= CORE * self._prose[page]
        core, _ = first_maximum(np.where(holds_most, tree.depth, -1), page, len(self._prose))
        self._set_core_columns(core[page])
        self._page = page[scope]
        self.core_first, self.core_last = tree.first[core][self._page], tree.last[core][self._page] - 1
        self.parent, self.depth = self._above[scope], tree.depth[scope]
        self.is_leaf = tree.children[scope] == 0

    def _set_core_columns(self, core: Ints) -> None:
        """Set whether each element is in the core of its page, ``core``: (scopes,), and how far outside, (scopes,)."""
        tree = self._tree
        first, last, depth = tree.first, tree.last, tree.depth
        is_outside = (first < first[core]) | (last > last[core]) | (depth < depth[core])
        is_around = (first <= first[core]) & (last >= last[core]) & (depth <= depth[core])
        levels = tree.branches(np.flatnonzero(is_around))[2]
        self._in_core = ~is_outside
        self._levels = np.where(is_outside, np.maximum(levels, 1), 0)

    def write(self, columns: NDArray[np.float32]) -> None:
        """Set ``columns``, (SCOPE_COLUMNS, lines), to the tags, names and depth of the elements."""
        above, tags = self._above, len(TAGS)
        kinds = np.append(self._kinds, 0)
        is_only_child = np.append(self._tree.children == 1, False)[above]
        of_title = kinds | np.where(is_only_child, kinds[above], 0)
        around = ((kinds & _AROUND != 0) << _SHIFTS).sum(0)
        around = _summed_outwards(around, above)[self.scope]
        columns[:tags] = _TAG_ROWS.take(tag_places(kinds[self.scope]), axis=1)
        columns[tags : tags + 2] = of_title[self.scope] & _OF_TITLES != 0
        columns[tags + 2 : tags + 5] = around >> _SHIFTS & (1 << _FIELD) - 1
        is_list, lists, scope = kinds & LIST_TAG != 0, np.zeros(len(self.scope), dtype=np.int64), self.scope
        for _ in range(_LIST_LEVELS + 1):
            lists += is_list[scope]
            scope = above[scope]
        columns[tags + 5] = lists
        columns[tags + 6] = self.depth / 10

    def write_sizes(self, columns: NDArray[np.float32]) -> None:
        """Set ``columns``, (SIZE_COLUMNS, lines), to what the elements hold, and where they stand to the core."""
        parent = self._tree.parent
        one = parent[self.scope]
        two = parent[one]
        prose, chars, links, lines = self._sizes.take(np.stack((one, two, parent[two])), axis=1)
        columns[:3] = prose / self._prose[self._page]
        columns[3:5] = (links / chars)[:2]
        columns[5] = np.log1p(lines[0])
        columns[6] = self._in_core[self.scope]
        columns[7] = np.minimum(self._levels[self.scope], _DEEPEST)


def _totals(lines: Lines, texts: LineTexts) -> Floats:
    """Of each element words of running text, characters, those of them in links, and lines; (4, scopes)."""
    own = np.empty((4, len(lines)))
    own[0] = np.where(texts.prose & (lines.link < 0.5), texts.words, 0)
    own[1], own[2], own[3] = texts.chars, texts.chars * lines.link, 1
    sums = np.zeros((4, len(lines) + 1))
    own.cumsum(axis=1, out=sums[:, 1:])
    tree = lines.scope_tree
    totals: Floats = sums.take(tree.last, axis=1) - sums.take(tree.first, axis=1)
    # shares in links are no whole numbers: summed within each page, so as to be rounded alike in any batch
    starts = tree.block_starts.tolist()
    links = np.zeros(len(lines) + len(starts))
    for page, (begin, end) in enumerate(pairwise(starts)):
        own[2, begin:end].cumsum(out=links[begin + page + 1 : end + page + 1])
    totals[2] = links.take(tree.last + tree.page_of_scope) - links.take(tree.first + tree.page_of_scope)
    return totals


def _summed_outwards(values: Ints, above: Ints) -> Ints:
    """The sums of values over each element and those around it; ``above`` leads to the last value, a 0, in the end."""
    last = len(values) - 1
    while (above != last).any():  # twice as many levels are summed each time
        values = values + values[above]
        above = above[above]
    return values
