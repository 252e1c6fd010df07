"""Repetition on pages: siblings of one element type, and linked blocks of one kind anywhere on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import group_ids
from scrapy_semtext.features.block_table import CHARS, LINKS, first_maximum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.utils.arrays import Floats


#: The number of groups of siblings that are described, and their features.
GROUPS = 3
GROUP = "log_count chars links log_mean_chars prose headings blocks images linked".split()

#: The features of the linked blocks of one kind.
TEASERS = "log_count mean_chars chars gap first last distinct".split()

_LEAST = 3
# The number of leading columns of totals that are summed.
_SUMMED = 5
# The number of members of a group that are searched for images.
_FIRST_MEMBERS = 8
# The maximum and minimum number of characters of a link that counts as a teaser.
_MOST_CHARS, _LEAST_CHARS = 80, 15
# Links whose average distance is smaller than this are a menu, and get this weight.
_MENU_GAP, _MENU_WEIGHT = 1.5, 0.3


def groups(tree: ScopeTree, totals: Floats) -> Floats:
    """Describe the groups of similar siblings with the most text (teasers, posts, products), none nested.

    ``totals``: (columns, scopes), of which the first five are characters, link characters, blocks, prose characters,
    headings. Returns (GROUPS * len(GROUP), pages), 0 for missing groups.
    """
    pages, group = len(tree.roots), tree.sibling_groups
    count = np.bincount(group)
    sums = np.stack([np.bincount(group, column) for column in totals[:_SUMMED]])
    linked = np.bincount(group, totals[LINKS] > 0)
    members = np.argsort(group, kind="stable")
    ends = count.cumsum()
    page = tree.page_of_scope[members[ends - count]]
    first, last = tree.first[members[ends - count]], tree.last[members[ends - 1]]
    weights = np.where(count < _LEAST, 0.0, sums[CHARS])
    found = np.zeros((GROUPS, len(GROUP), pages))
    for out in found:
        best, weight = first_maximum(weights, page, pages)
        has = np.flatnonzero(weight > 0)
        own = best[has]
        chars, links, blocks, prose, headings = sums[:, own]
        out[:, has] = [
            np.log1p(count[own]),
            chars / totals[CHARS, tree.roots[has]],
            links / chars,
            np.log1p(chars / count[own]),
            prose / chars,
            headings / count[own],
            blocks / count[own],
            [_share_with_images(tree, members[ends[each] - count[each] : ends[each]]) for each in own.tolist()],
            linked[own] / count[own],
        ]
        weights[(weight > 0)[page] & (last > first[best][page]) & (first < last[best][page])] = 0
    return found.reshape(-1, pages)


def _share_with_images(tree: ScopeTree, members: NDArray[np.int64]) -> float:
    """Return the share of the first members of a group that contain an image."""
    elements = [tree.scopes[scope].element for scope in members[:_FIRST_MEMBERS].tolist()]
    return sum(next(element.iter("img"), None) is not None for element in elements) / len(elements)


def teasers(tree: ScopeTree, ids: NDArray[np.int64], chars: Floats, linked: NDArray[np.bool_]) -> Floats:
    """Describe the linked blocks of the kind with the most text; consecutive ones (menus) count less.

    Blocks are of one kind if they agree in the element types of their element and its parent. ``ids``: (blocks,), see
    `text_ids`; ``chars``: (blocks,); ``linked``: (blocks,), whether most of a block is in links. Returns (len(TEASERS),
    pages), 0 for pages without such blocks.
    """
    pages, places = len(tree.roots), np.flatnonzero(linked)
    page, scopes, types = tree.page_of_block[places], tree.of_block[places], tree.element_types
    codes = types.of_scope[scopes] * len(types.pairs) + types.of_scope[tree.parent[scopes]]
    kind = group_ids(codes * pages + page)
    count, length = np.bincount(kind), chars[places]
    members, ends = places[np.argsort(kind, kind="stable")], count.cumsum()
    first, last = members[ends - count], members[ends - 1]
    gap = (last - first) / np.maximum(count - 1, 1)
    weights = np.bincount(kind, np.where(length > _LEAST_CHARS, np.minimum(length, _MOST_CHARS), 0.0))
    weights = weights * np.where(count < _LEAST, 0.0, np.where(gap > _MENU_GAP, 1.0, _MENU_WEIGHT))
    best, weight = first_maximum(weights, tree.page_of_block[first], pages)
    has = np.flatnonzero(weight > 0)
    own = best[has]
    chosen = places[kind == best[page]]
    distinct = np.bincount(tree.page_of_block[chosen[np.unique(ids[chosen], return_index=True)[1]]], minlength=pages)
    held, blocks = np.bincount(kind, length)[own], np.diff(tree.block_starts)[has]
    found = np.zeros((len(TEASERS), pages))
    found[:, has] = [
        np.log1p(count[own]),
        held / count[own],
        held / np.add.reduceat(chars, tree.block_starts[:-1])[has],
        gap[own],
        tree.place[first[own]] / blocks,
        tree.place[last[own]] / blocks,
        distinct[has] / count[own],
    ]
    return found
