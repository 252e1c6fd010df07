"""Sets of nodes that may be the posts of a page; the candidate model ranks them (see `posts`).

Single nodes are scored first. On pages of a forum engine that the model never saw, scores are often in the right order
but too low. Therefore sets are proposed at many thresholds, and also from groups of similar nodes regardless of score.

All pages of a batch are searched at once. Pages follow one another and elements are nested, so a node is inside one of
several earlier nodes exactly if its first block comes before the greatest last block of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import ranges
from scrapy_semtext.qa.node_features import group_mean
from scrapy_semtext.qa.runs import CandidateSets
from scrapy_semtext.text.words import attribute_words
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.qa.node_table import NodeTable
    from scrapy_semtext.utils.arrays import Floats, Ints

_THRESHOLDS = (2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0)
_BELOW_BEST = (0.5, 1.0, 1.5, 2.0, 3.0)
_GROUPS, _LOWEST_MEAN = 25, -8.0
_LOWEST_OPENER = -5.0
_MOST_POSTS = 10_000  # on one page; larger groups are lists of something else
_PAIRED = 12  # the number of best nodes that are proposed in pairs, for pages with a single answer

_COMMENT = frozenset(("comment", "comments"))
_ANSWERED = frozenset(("answer", "question"))
_NEVER = -50.0  # the score of excluded nodes


def smoothed(nodes: NodeTable, scores: Floats) -> Floats:
    """Return each node's score averaged with the mean of its group."""
    mean = group_mean(nodes.signatures, scores)[nodes.signatures]
    result: Floats = (scores + mean) / 2
    return result


def exclude_comments(nodes: NodeTable, scores: Floats) -> Floats:
    """Exclude nodes that cannot be posts: hidden nodes, and (by name) comments inside questions or answers."""
    types = nodes.element_types
    named = np.array([_named(names) for _, names in types.pairs])[types.of_scope]
    never = ((named & 1 > 0) & nodes.is_inside(named & 2 > 0)) | nodes.closed
    if not never.any():
        return scores
    result: Floats = np.where(never | nodes.is_inside(never), _NEVER, scores)
    return result


@remembered(1 << 14)
def _named(names: str) -> int:
    """Return what an attribute names: 1 for a comment, 2 for a question or an answer, 3 for both, 0 for neither."""
    words = attribute_words(names).every
    return (not _COMMENT.isdisjoint(words)) + 2 * (not _ANSWERED.isdisjoint(words))


def candidates(nodes: NodeTable, scores: Floats) -> CandidateSets:
    """Propose distinct sets of two to 10,000 posts for each page from the nodes' scores (log-odds, (nodes,))."""
    smooth = smoothed(nodes, scores)
    best = np.maximum.reduceat(smooth, nodes.node_starts[:-1])
    thresholds = np.concatenate([np.tile(_THRESHOLDS, (len(best), 1)), best[:, None] - np.array(_BELOW_BEST)], axis=1)
    openers = _Openers(nodes, smooth)
    grouped = (
        nodes.signatures,
        nodes.tag_paths,
        nodes.own_signatures,
        nodes.near_signatures,
        nodes.ordinal_signatures,
    )
    found = CandidateSets.joined(
        [
            best_disjoint(nodes, smooth[:, None] - thresholds[nodes.page]),
            *(_of_groups(nodes, groups, scores, openers) for groups in grouped),
            _two_of_the_best(nodes, smooth),
        ]
    )
    return found.take((found.lengths > 1) & (found.lengths <= _MOST_POSTS)).unique()


class _Openers:
    """Finds the best-scored node that ends before a given block of its page; of equal scores, the first node wins."""

    def __init__(self, nodes: NodeTable, smooth: Floats) -> None:
        self._nodes, self._scores = nodes, smooth
        self._order = np.lexsort((-np.arange(len(smooth)), smooth))
        rank = np.empty(len(smooth), dtype=np.int64)
        rank[self._order] = np.arange(len(smooth))
        self._best = np.full(len(nodes.blocks) + 1, -1, dtype=np.int64)
        # nodes of a later page outrank those of all earlier pages
        np.maximum.at(self._best, nodes.last, nodes.page * len(smooth) + rank)
        np.maximum.accumulate(self._best, out=self._best)

    def before(self, node: Ints) -> Ints:
        """Return the opener before each node, -1 if no node scores high enough to open a thread; (nodes given,)."""
        page, rank = np.divmod(self._best[self._nodes.first[node]], len(self._scores))
        opener = self._order[rank]
        is_good = (page == self._nodes.page[node]) & (self._scores[opener] > _LOWEST_OPENER)
        return np.where(is_good, opener, -1)


def _of_groups(nodes: NodeTable, groups: Ints, scores: Floats, openers: _Openers) -> CandidateSets:
    """Propose the groups with the best mean scores, each on its own and with the likeliest opening post before it."""
    order = np.argsort(groups, kind="stable")
    counts = np.bincount(groups)
    one = order[counts.cumsum() - counts]  # the first node of each group
    best = _best_groups(nodes, np.where(counts > 1, group_mean(groups, scores), -np.inf), one)
    order = order[scores[order] > _NEVER]
    counts = np.bincount(groups[order], minlength=len(counts))
    members = order[ranges((counts.cumsum() - counts)[best], counts[best])]
    of_group = np.repeat(np.arange(len(best)), counts[best])
    size = len(nodes.blocks) + 1
    covered = np.maximum.accumulate(of_group * size + nodes.last[members])
    kept = of_group * size + nodes.first[members] >= np.append(0, covered[:-1])
    lengths = np.bincount(of_group[kept], minlength=len(best))
    found = CandidateSets(nodes.page[one[best]], lengths, members[kept]).take(lengths > 0)
    return _with_openers(found, openers)


def _best_groups(nodes: NodeTable, mean: Floats, first: Ints) -> Ints:
    """Return the 25 groups with the best means of each page, best first; ``first``: a node of each, to break ties."""
    hopeful = np.flatnonzero(mean >= _LOWEST_MEAN)
    page = nodes.page[first[hopeful]]
    order = np.lexsort((first[hopeful], -mean[hopeful], page))
    counts = np.bincount(page, minlength=len(nodes.block_counts))
    rank = np.arange(len(order)) - (counts.cumsum() - counts)[page[order]]
    return hopeful[order[rank < _GROUPS]]


def _with_openers(found: CandidateSets, openers: _Openers) -> CandidateSets:
    """Return each set, followed by the same set with its opener if it has one."""
    begins = found.runs.begins
    opener = openers.before(found.members[begins])
    has = opener >= 0
    opened = CandidateSets(found.page, found.lengths + has, np.insert(found.members, begins[has], opener[has]))
    both = CandidateSets(*(np.append(getattr(found, n), getattr(opened, n)) for n in ("page", "lengths", "members")))
    return both.take(np.arange(len(both)).reshape(2, -1).T[np.stack([np.ones_like(has), has], axis=1)])


def _two_of_the_best(nodes: NodeTable, smooth: Floats) -> CandidateSets:
    """Propose each pair of the 12 best nodes of each page, unless one contains the other."""
    starts = nodes.node_starts
    rank = np.arange(_PAIRED)
    best = np.lexsort((-smooth, nodes.page))[np.minimum(starts[:-1, None] + rank, len(smooth) - 1)]
    exists = rank < np.diff(starts)[:, None]
    first, last = nodes.first[best], nodes.last[best]
    apart = (last[:, :, None] <= first[:, None, :]) & exists[:, :, None] & exists[:, None, :]
    page, one, two = np.nonzero(apart)
    members = np.stack([best[page, one], best[page, two]], axis=1).ravel()
    return CandidateSets(page, np.full(len(page), 2), members)


def best_disjoint(nodes: NodeTable, values: Floats) -> CandidateSets:
    """Return, for each column of (nodes, columns), the disjoint nodes of each page that have the greatest sum.

    One pass goes up the trees level by level: each node passes the greater of its own value and the best sum below it
    to its parent. Of the nodes that are better than what is below them, the outermost are then chosen.
    """
    inner = np.zeros_like(values)  # the best sums below each node
    for level, parents, starts in _levels(nodes):
        inner[parents] = np.add.reduceat(np.maximum(values[level], inner[level]), starts, axis=0)
    taken = ((values > 0) & (values >= inner)).T
    covered = np.maximum.accumulate(np.where(taken, nodes.last, 0), axis=1)
    taken[:, 1:] &= nodes.first[1:] >= covered[:, :-1]
    column, members = np.nonzero(taken)
    pages = len(nodes.block_counts)
    lengths = np.bincount(column * pages + nodes.page[members], minlength=len(taken) * pages)
    return CandidateSets(np.tile(np.arange(pages), len(taken)), lengths, members)


def _levels(nodes: NodeTable) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield the nodes of each depth with their parents, the deepest level first, without the roots.

    Children of one parent are adjacent, the last child first, because sums of floats depend on the order; ``starts``
    marks where the children of each parent begin.
    """
    order = np.lexsort((-np.arange(len(nodes)), -nodes.depth))
    depth, parent = nodes.depth[order], nodes.parent[order]
    starts = np.flatnonzero(np.diff(parent, prepend=-1) | np.diff(depth, prepend=-1))
    edges = np.append(np.flatnonzero(np.diff(depth[starts], prepend=-1)), len(starts))
    bounds = np.append(starts, len(order))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if depth[starts[begin]] > 0:
            level = slice(int(bounds[begin]), int(bounds[end]))
            yield order[level], parent[starts[begin:end]], starts[begin:end] - starts[begin]
