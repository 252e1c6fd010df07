"""The features of lines that the section models go by: shape, style, place, and those of the neighbours of each line.

Length, punctuation, tags and the ratio to the next line are those of STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, style and how often it repeats come from what the paper says that readers go by.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.dom.style import NORMAL
from scrapy_semtext.features.block_table import first_maximum
from scrapy_semtext.sections.line_texts import TEXT_COLUMNS, LineTexts
from scrapy_semtext.sections.lines import (
    CORE_NAME,
    EDGE_NAME,
    EDGE_TAG,
    LIST_TAG,
    SMALL_NAME,
    TAGS,
    TITLE_NAME,
    Lines,
    tag_places,
)
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

_LIST_LEVELS = 3
# By the place of a tag, from 1 on: 1 in its row.
_TAG_ROWS = np.eye(len(TAGS) + 1, dtype=np.float32)[1:]
_OF_TITLES, _AROUND_IT = np.array([[TITLE_NAME], [SMALL_NAME]]), np.array([[EDGE_NAME], [CORE_NAME], [EDGE_TAG]])
# Counts of the elements around one are added up in one number, so many bits for each.
_FIELD = 20
_SHIFTS = _FIELD * np.arange(3)[:, None]

#: The share of the page's running text that its core holds at least.
CORE = 0.7

#: The features of the element of a line and of those around it, in the order of `LineScopes.write`.
SCOPE_COLUMNS = (
    *(f"tag_{tag}" for tag in TAGS),
    *"title_name small_name edge_names core_names edge_tags listed depth".split(),
)
#: Those of how much text they hold, in the order of `LineScopes.write_sizes`.
SIZE_COLUMNS = (
    "share_parent share_grandparent share_outer link_parent link_grandparent log_lines_parent in_core levels_to_core"
).split()
_DEEPEST = 10

_STYLE = ("bold", "italic", "underlined", "link", "size", "centred", "hidden", "heading")
_IN_BLOCK = ("at", "of", "alone")
_PAGE = ("position", "log_lines")
_ALIKE = ("log_alike", "alike_words", "alike_prose", "alike_leads")
_AROUND = ("before_core", "core_position", "relative_size", "up", "down")
_REPEATS = ("log_repeats",)
_GROUPS = (TEXT_COLUMNS, _STYLE, SCOPE_COLUMNS, _IN_BLOCK, _PAGE, _ALIKE, _REPEATS, SIZE_COLUMNS, _AROUND)
_OWN = (*chain.from_iterable(_GROUPS),)
_ENDS = [*accumulate(map(len, _GROUPS))]
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


class _LinePlaces:
    """Where the lines of a batch stand in their pages: int64, (lines,) each.

    ``number``: from 0 on in the page; ``count``: how many lines the page has; ``end``: the first line behind it.
    """

    def __init__(self, lines: Lines) -> None:
        starts, ends = lines.page_starts[:-1].take(lines.page), lines.page_starts[1:].take(lines.page)
        self.number: Ints = np.arange(len(lines)) - starts
        self.count: Ints = ends - starts
        self.end: Ints = ends

    def have(self, offset: int) -> Bools:
        """Whether each line has another ``offset`` further on in its page; (lines,)."""
        number = self.number + offset
        return (number >= 0) & (number < self.count)


def line_features(lines: Lines, titles: Sequence[str]) -> Singles:
    """Return the features of the lines of a batch of pages; float32, (lines, FEATURES), each column in one piece.

    ``titles``: (pages,), the texts of the <title> of each page. What is said of a line hangs on its own page only.
    """
    table: Singles = np.full((len(FEATURES), len(lines)), -1.0, dtype=np.float32)
    if not lines:
        return _rows(table)
    places = _LinePlaces(lines)
    texts = LineTexts(lines.texts, lines.page, titles, lines.all_caps)
    scopes = LineScopes(lines, texts)
    text, style, scope, in_block, page, alike, repeats, sizes, around, _ = np.split(table, _ENDS)
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


def _rows(columns: Singles) -> Singles:
    rows: Singles = columns.T
    return rows


def _alike(style: Ints, texts: LineTexts, places: _LinePlaces) -> Floats:
    """Of all lines of the style of each: their number, mean length, shares that end a sentence and precede longer ones.

    The features _ALIKE, (columns, lines).
    """
    words = texts.words
    leads = np.zeros(len(style), dtype=np.bool_)
    leads[:-1] = (style[1:] != style[:-1]) & (words[1:] > 2 * words[:-1])
    leads &= places.have(1)
    count = np.bincount(style)
    means = [np.bincount(style, weights=values) / count for values in (words, texts.ends, leads)]
    table: Floats = np.stack([np.log1p(count), np.log1p(means[0]), *means[1:]])
    return table.take(style, axis=1)


def _around(lines: Lines, texts: LineTexts, scopes: LineScopes, places: _LinePlaces) -> list[NDArray[np.generic]]:
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


def _usual_sizes(lines: Lines, texts: LineTexts) -> Floats:
    """The median size of the running text of each page, (pages,), or the size of text without a style."""
    prose = np.flatnonzero(texts.prose)
    page, size = lines.page[prose], lines.size[prose]
    ordered = size[np.lexsort((size, page))]
    counts = np.bincount(page, minlength=len(lines.page_starts) - 1)
    has_prose = counts > 0
    usual = np.full(len(counts), NORMAL)
    usual[has_prose] = ordered[(counts.cumsum() - counts + counts // 2)[has_prose]]
    return np.where(usual == 0, NORMAL, usual)


def _write_neighbours(columns: Singles, shared: Singles, lines: Lines, places: _LinePlaces) -> None:
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


def _write_compared(columns: Singles, lines: Lines, texts: LineTexts, scopes: LineScopes, places: _LinePlaces) -> None:
    """Set ``columns``, (2 * _COMPARED, lines), to how each line compares with the one before and the one behind it."""
    before, behind = columns[: len(_COMPARED)], columns[len(_COMPARED) :]
    longer = np.diff(texts.log_chars)
    before[0, 1:], behind[0, :-1] = -longer, longer
    for column, values in enumerate((scopes.scope, lines.style, scopes.parent), 1):
        before[column, 1:] = behind[column, :-1] = values[1:] == values[:-1]
    before[:, ~places.have(-1)] = -1.0
    behind[:, ~places.have(1)] = -1.0


def _words_until_alike(style: Ints, texts: LineTexts, places: _LinePlaces) -> Floats:
    """The logarithm of the words between a line and the next of its style, or the end of the page; (lines,)."""
    order = np.argsort(style, kind="stable")
    are_alike = style[order[1:]] == style[order[:-1]]
    following = places.end.copy()
    following[order[:-1][are_alike]] = order[1:][are_alike]
    behind = np.append(0, texts.words.cumsum())  # the words before each line, and of all
    words: Floats = np.log1p((behind[following] - behind[1:]).astype(np.float64))
    return words


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

    def write(self, columns: Singles) -> None:
        """Set ``columns``, (SCOPE_COLUMNS, lines), to the tags, names and depth of the elements."""
        above, tags = self._above, len(TAGS)
        kinds = np.append(self._kinds, 0)
        is_only_child = np.append(self._tree.children == 1, False)[above]
        of_title = kinds | np.where(is_only_child, kinds[above], 0)
        around = ((kinds & _AROUND_IT != 0) << _SHIFTS).sum(0)
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

    def write_sizes(self, columns: Singles) -> None:
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
