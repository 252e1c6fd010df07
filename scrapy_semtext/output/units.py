"""Tables, lists and similar units in the content, which are completed if some of their blocks would be dropped.

A unit is a table, a list, a definition list or a code listing. A unit between two blocks of the content is content too,
unless much of it is links or its blocks are very unlikely to be content. The same applies to text directly in an
element, next to child elements with content. In an expandable element, or one with several children of one type, those
blocks are added that have no links and may be content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.dom.joining import CELLS
from scrapy_semtext.inference.scores import log_odds_of

if TYPE_CHECKING:
    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


# Minimum log-odds of units by tag (means over their words); of a unit at the end of its parent, if the next content is
# in another element, and of text next to elements; and of elements with several children of one type, and each block in
# them. Chosen on generated pages and on held-out domains (research/notes/training-notes.md).
_LEAST_OF_TABLE, _LEAST_OF_LIST, _LEAST_AT_END, _LEAST_ALIKE = -3.0, -2.0, -1.5, -1.0
_LEAST = (
    dict.fromkeys(("table", "dl"), _LEAST_OF_TABLE)
    | dict.fromkeys(("ul", "ol", "dir", "menu", "pre", "listing"), _LEAST_OF_LIST)
    | dict.fromkeys(("div", "section", "details", "amp-accordion"), _LEAST_ALIKE)
)
_OPENING = frozenset(("details", "amp-accordion"))  # units with any content
_MOST_BETWEEN = 2  # non-content blocks between a table and the content, such as a caption or an advertisement
_MOST_LINKS = 0.3  # maximum share of a unit's characters
_MOST_CONTENT = 0.5  # maximum share of the content's words: a table with more is used for layout
_CLOSED = CELLS | {"li", "dt", "dd"}  # text next to elements in these is part of the surrounding unit


def with_units(page: ParsedPage, keep: Bools, probabilities: Floats) -> Bools:
    """Return which blocks of a page are main content, (blocks,), including units between blocks of main content.

    ``keep``: which are main content so far, ``probabilities``: of main content; (blocks,) each. Other units between a
    unit and the content are ignored, so that the second of two tables is found, too. In a thread, units end with their
    post.
    """
    content = np.flatnonzero(keep)
    if not len(content) or content[-1] - content[0] + 1 == len(content):  # nothing between was dropped
        return keep
    tree = page.layout()
    units = _units(tree, keep)
    if not len(units.first):
        return keep
    first, last, parent, least = units
    blocks, words = page.text_blocks, page.word_counts()
    log_odds, weights = log_odds_of(probabilities, 1e-6), words + 0.1
    links = np.array([float(block.link_chars) for block in blocks])
    chars = np.array([float(len(block.text)) for block in blocks])
    sums = np.zeros((5, len(keep) + 1))
    np.stack([log_odds * weights, weights, links, chars, words * keep]).cumsum(axis=1, out=sums[:, 1:])
    odds, weight, linked, size, kept = sums[:, last] - sums[:, first]
    mean = odds / weight
    likely = (mean > least) & (linked < _MOST_LINKS * size) & (kept < _MOST_CONTENT * sums[-1, -1])
    first, last, parent, least, mean = (column[likely] for column in (*units, mean))
    before, behind, most_between = _content_around(keep, first, last)
    between = (before >= tree.first[parent]) & (behind < len(keep))
    between &= (behind < tree.last[parent]) | ((mean > _LEAST_AT_END) & (least != _LEAST_ALIKE))
    between &= most_between <= np.where(least == _LEAST_OF_TABLE, _MOST_BETWEEN, 0)
    if page.posts is not None and page.posts.is_thread:
        stretch = np.append(0, np.diff(page.posts.post) != 0).cumsum()
        between &= stretch[before] == np.append(stretch, -1)[behind]
    alike = least == _LEAST_ALIKE
    whole, in_part = (_covered(first[found], last[found], len(keep)) for found in (between & ~alike, between & alike))
    likely_alone: Bools = (log_odds > _LEAST_ALIKE) & (links == 0)
    return keep | whole | (in_part & likely_alone)


class _Units(NamedTuple):
    """The first block of each unit, the end of its blocks, the element around it and the minimum log-odds; (units,)."""

    first: Ints
    last: Ints
    parent: Ints
    least: Floats


def _units(tree: ScopeTree, keep: Bools) -> _Units:
    """Return the units between the first and the last block of the content that have a dropped block."""
    dropped, content = np.append(0, (~keep).cumsum()), np.append(0, keep.cumsum())
    least, loose = _least(tree), _loose_blocks(tree)
    scopes = np.flatnonzero(least < np.inf)
    first, last = np.append(tree.first[scopes], loose), np.append(tree.last[scopes], loose + 1)
    parent = np.append(tree.parent[tree.widest[scopes]], tree.of_block[loose])
    least = np.append(least[scopes], np.full(len(loose), _LEAST_AT_END))
    wanted = (dropped[first] < dropped[last]) & (content[first] > 0) & (content[last] < content[-1])
    return _Units(first[wanted], last[wanted], parent[wanted], least[wanted])


def _least(tree: ScopeTree) -> Floats:
    """Return the minimum log-odds of each scope that is a unit, (scopes,); infinite for others."""
    types, parent = tree.element_types, tree.parent[1:]
    kind, kinds = types.of_scope[1:], np.full(len(tree), -1)
    kinds[parent] = kind  # of one of the elements inside
    several = (tree.children > 1) & (np.bincount(parent, kind != kinds[parent], len(tree)) == 0)
    least = np.array([_LEAST.get(tag, np.inf) for tag in types.tags])[types.of_scope]
    several |= np.array([tag in _OPENING for tag in types.tags])[types.of_scope]
    return np.where((least == _LEAST_ALIKE) & ~several, np.inf, least)


def _loose_blocks(tree: ScopeTree) -> Ints:
    """Return the blocks directly in an element with child elements, except in cells and items."""
    closed = np.array([tag in _CLOSED for tag in tree.element_types.tags])[tree.element_types.of_scope]
    return np.flatnonzero(((tree.children > 0) & ~closed)[tree.of_block])


def _content_around(keep: Bools, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the last content block before each unit, or -1, and the first one after it, or the number of blocks.

    Also return the greater number of other blocks, in no unit, between on either side; (units,) each.
    """
    count, place = len(keep), np.arange(len(keep))
    before = np.append(np.maximum.accumulate(np.where(keep, place, -1)), -1)[first - 1]
    behind = np.append(np.minimum.accumulate(np.where(keep, place, count)[::-1])[::-1], count)[last]
    other = np.append(0, (~keep & ~_covered(first, last, count)).cumsum())
    return before, behind, np.maximum(other[first] - other[before + 1], other[behind] - other[last])


def _covered(first: Ints, last: Ints, count: int) -> Bools:
    """Return which of ``count`` blocks are in a unit."""
    steps = np.bincount(first, minlength=count + 1) - np.bincount(last, minlength=count + 1)
    covered: Bools = steps.cumsum()[:count] > 0
    return covered
