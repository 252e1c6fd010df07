"""Features of lines for the section models: shape, style and position of each line and of its neighbors.

Length, punctuation, tags and the ratio to the next line follow STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, style and the frequency of a style follow the paper's description of the cues that readers use.
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
# One-hot rows for the indexes of tags, which start at 1.
_TAG_ROWS = np.eye(len(TAGS) + 1, dtype=np.float32)[1:]
_OF_TITLES, _AROUND_IT = np.array([[TITLE_NAME], [SMALL_NAME]]), np.array([[EDGE_NAME], [CORE_NAME], [EDGE_TAG]])
# Several counts of surrounding elements are packed into one integer, with this many bits for each.
_FIELD = 20
_SHIFTS = _FIELD * np.arange(3)[:, None]

#: The minimum share of the page's running text that its core contains.
CORE = 0.7

#: Features of a line's element and of its ancestors, in the order of `LineScopes.write`.
SCOPE_COLUMNS = (
    *(f"tag_{tag}" for tag in TAGS),
    *"title_name small_name edge_names core_names edge_tags listed depth".split(),
)
#: Features of how much text these contain, in the order of `LineScopes.write_sizes`.
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
# The features of a line that are repeated as features of its neighbors.
_SHARED = (
    "log_words ends_sentence leads_on bold all_caps link size heading tag_p tag_li listed number_depth at in_core "
    "title_name log_alike share_parent"
).split()
_OFFSETS = (-2, -1, 1, 2)
_COMPARED = ("longer", "same_scope", "same_looks", "same_parent")

#: The columns of `line_features`, in order.
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
    """The positions of the lines of a batch in their pages: int64, (lines,) each.

    ``number``: the index of the line in its page; ``count``: lines in the page; ``end``: the first line after the page.
    """

    def __init__(self, lines: Lines) -> None:
        starts, ends = lines.page_starts[:-1].take(lines.page), lines.page_starts[1:].take(lines.page)
        self.number: Ints = np.arange(len(lines)) - starts
        self.count: Ints = ends - starts
        self.end: Ints = ends

    def have(self, offset: int) -> Bools:
        """Return whether the page of each line also has a line ``offset`` lines further on; (lines,)."""
        number = self.number + offset
        return (number >= 0) & (number < self.count)


def line_features(lines: Lines, titles: Sequence[str]) -> Singles:
    """Return the features of the lines of a batch of pages; float32, (lines, FEATURES), with contiguous columns.

    ``titles``: (pages,), the <title> texts of the pages. The features of a line depend only on its own page.
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
    """Return the features _ALIKE of the lines that share each line's style; (columns, lines).

    They are the number of lines, their mean length, and the shares that end a sentence and precede longer lines.
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
    """Return the features _AROUND: the position of lines to the page's core, their size and changes in depth."""
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
    """Return the median size of the running text of each page, (pages,), or the size of text without a style."""
    prose = np.flatnonzero(texts.prose)
    page, size = lines.page[prose], lines.size[prose]
    ordered = size[np.lexsort((size, page))]
    counts = np.bincount(page, minlength=len(lines.page_starts) - 1)
    has_prose = counts > 0
    usual = np.full(len(counts), NORMAL)
    usual[has_prose] = ordered[(counts.cumsum() - counts + counts // 2)[has_prose]]
    return np.where(usual == 0, NORMAL, usual)


def _write_neighbours(columns: Singles, shared: Singles, lines: Lines, places: _LinePlaces) -> None:
    """Set ``columns``, (columns, lines), to the ``shared`` features of the previous and next lines in the page."""
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
    """Set ``columns``, (2 * _COMPARED, lines), to comparisons of each line with the previous and the next one."""
    before, behind = columns[: len(_COMPARED)], columns[len(_COMPARED) :]
    longer = np.diff(texts.log_chars)
    before[0, 1:], behind[0, :-1] = -longer, longer
    for column, values in enumerate((scopes.scope, lines.style, scopes.parent), 1):
        before[column, 1:] = behind[column, :-1] = values[1:] == values[:-1]
    before[:, ~places.have(-1)] = -1.0
    behind[:, ~places.have(1)] = -1.0


def _words_until_alike(style: Ints, texts: LineTexts, places: _LinePlaces) -> Floats:
    """Return the log of the number of words between a line and the next of its style or the page's end; (lines,)."""
    order = np.argsort(style, kind="stable")
    are_alike = style[order[1:]] == style[order[:-1]]
    following = places.end.copy()
    following[order[:-1][are_alike]] = order[1:][are_alike]
    behind = np.append(0, texts.words.cumsum())  # the words before each line, then the total
    words: Floats = np.log1p((behind[following] - behind[1:]).astype(np.float64))
    return words


class LineScopes:
    """The elements around the lines of a batch of pages (at least one line), as a forest with one tree per page.

    The core of a page is the innermost element that contains CORE of its running text. int64, (lines,): ``scope``, the
    element of each line, ``parent``, its parent (the number of elements if it has none), ``depth``; bool, (lines,):
    ``is_leaf``, whether no other element inside that of the line contains text; int64, (lines,): ``core_first`` and
    ``core_last``, the first and last line of the page's core.
    """

    def __init__(self, lines: Lines, texts: LineTexts) -> None:
        self._tree = tree = lines.scope_tree
        self._kinds = lines.element_kinds
        count = len(tree)
        self.scope = scope = tree.of_block
        # the parents of the roots come after the last element
        self._above = np.append(tree.parent, count)
        self._above[tree.roots] = count
        self._sizes = _totals(lines, texts)
        self._prose = np.maximum(self._sizes[0, tree.roots], 1)  # avoids 0 for a page without running text
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
        """Set ``columns``, (SCOPE_COLUMNS, lines), from the tags, names and depths of the elements."""
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
        """Set ``columns``, (SIZE_COLUMNS, lines), from the text in the elements and their position to the core."""
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
    """Return the words of running text, characters, link characters and lines of each element; (4, scopes)."""
    own = np.empty((4, len(lines)))
    own[0] = np.where(texts.prose & (lines.link < 0.5), texts.words, 0)
    own[1], own[2], own[3] = texts.chars, texts.chars * lines.link, 1
    sums = np.zeros((4, len(lines) + 1))
    own.cumsum(axis=1, out=sums[:, 1:])
    tree = lines.scope_tree
    totals: Floats = sums.take(tree.last, axis=1) - sums.take(tree.first, axis=1)
    # shares in links are not integers: they are summed per page, so that rounding does not depend on the batch
    starts = tree.block_starts.tolist()
    links = np.zeros(len(lines) + len(starts))
    for page, (begin, end) in enumerate(pairwise(starts)):
        own[2, begin:end].cumsum(out=links[begin + page + 1 : end + page + 1])
    totals[2] = links.take(tree.last + tree.page_of_scope) - links.take(tree.first + tree.page_of_scope)
    return totals


def _summed_outwards(values: Ints, above: Ints) -> Ints:
    """Return the sums of values over each element and its ancestors; ``above`` ends at the last value, which is 0."""
    last = len(values) - 1
    while (above != last).any():  # each iteration doubles the number of levels summed
        values = values + values[above]
        above = above[above]
    return values
