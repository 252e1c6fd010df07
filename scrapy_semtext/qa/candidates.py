"""Sets of nodes that may be the posts of a page; the thread model ranks them (see `posts`).

Single nodes are scored first. That a score is right for one page and too shy for a page of an engine never seen is the
rule, so sets are proposed at many thresholds, and also from the groups of like nodes whatever their scores.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.node_features import group_mean
from scrapy_semtext.qa.nodes import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.qa.nodes import Floats, Ints, PageNodes

#: Nodes in page order, none inside another.
Candidate = tuple[int, ...]

_THRESHOLDS = (2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0)
_BELOW_BEST = (0.5, 1.0, 1.5, 2.0, 3.0)
_GROUPS, _LOWEST_MEAN = 25, -8.0
_LOWEST_OPENER = -5.0
_MOST_POSTS = 3000  # on one page; larger groups are lists of something else
_PAIRED = 12  # nodes of which each two are proposed, for pages with one answer

_COMMENT = frozenset(("comment", "comments"))
_ANSWERED = frozenset(("answer", "question"))
_NEVER = -50.0  # the score of what is no post for sure


def smoothed(nodes: PageNodes, scores: Floats) -> Floats:
    """Scores half-way to the mean of each node's group."""
    mean = group_mean(nodes.signatures, scores)[nodes.signatures]
    result: Floats = (scores + mean) / 2
    return result


def without_remarks(nodes: PageNodes, scores: Floats) -> Floats:
    """Scores without hope for what is named a comment inside what is named a question or an answer: it is neither."""
    if _COMMENT.isdisjoint(nodes.words):
        return scores
    looks = nodes.layout.element_types
    words = [words.every for words in looks.words]
    answers, comments = ([not kind.isdisjoint(each) for each in words] for kind in (_ANSWERED, _COMMENT))
    answered: list[bool] = []
    remark: list[bool] = []
    for look, parent in zip(looks.of_scope.tolist(), nodes.parents, strict=True):
        inside = parent >= 0 and answered[parent]
        answered.append(inside or answers[look])
        remark.append((parent >= 0 and remark[parent]) or (inside and comments[look]))
    result: Floats = np.where(remark, _NEVER, scores)
    return result


def candidates(nodes: PageNodes, scores: Floats) -> list[Candidate]:
    """Propose sets of two to 3,000 posts, each set once, from the scores of the nodes (log-odds, (nodes,))."""
    smooth = smoothed(nodes, scores)
    return [found for found in dict.fromkeys(_all(nodes, scores, smooth)) if 1 < len(found) <= _MOST_POSTS]


def _all(nodes: PageNodes, scores: Floats, smooth: Floats) -> Iterator[Candidate]:
    best_score = smooth.max()
    thresholds = np.array([*_THRESHOLDS, *(best_score - below for below in _BELOW_BEST)])
    yield from best_disjoint(nodes, smooth[:, None] - thresholds)
    openers = _openers(nodes, smooth)
    for groups in (
        nodes.signatures,
        nodes.tag_paths,
        nodes.own_signatures,
        nodes.near_signatures,
        nodes.ordinal_signatures,
    ):
        yield from _of_groups(nodes, groups, scores, openers)
    best = np.argsort(-smooth)[:_PAIRED]
    ranges = list(zip(best.tolist(), nodes.first[best].tolist(), nodes.last[best].tolist(), strict=True))
    for one, _, last in ranges:
        yield from [(one, two) for two, first, _ in ranges if last <= first]


def _openers(nodes: PageNodes, smooth: Floats) -> Ints:
    """For each block the node with the best score that ends before it, if that is good enough to open a thread, or -1.

    (blocks + 1,); of equal scores the first node counts.
    """
    best = [-1] * (len(nodes.blocks) + 1)
    scores = smooth.tolist()
    for node, last in enumerate(nodes.lasts):
        if best[last] < 0 or scores[node] > scores[best[last]]:
            best[last] = node
    for block in range(1, len(best)):
        before, here = best[block - 1], best[block]
        if before >= 0 and (here < 0 or (-scores[before], before) < (-scores[here], here)):
            best[block] = before
    return np.array([node if node >= 0 and scores[node] > _LOWEST_OPENER else -1 for node in best], dtype=np.int64)


def _of_groups(nodes: PageNodes, groups: Ints, scores: Floats, openers: Ints) -> Iterator[Candidate]:
    """The groups with the best mean scores, each by itself and with the likeliest opening post before it."""
    mean = np.where(np.bincount(groups) > 1, group_mean(groups, scores), -np.inf)
    best = np.argsort(-mean)[:_GROUPS]
    hopeful = np.flatnonzero(scores > _NEVER)
    order = hopeful[np.argsort(groups[hopeful], kind="stable")]
    edges = np.searchsorted(groups[order], np.arange(len(mean) + 1)).tolist()
    members = order.tolist()
    for group in best[mean[best] >= _LOWEST_MEAN].tolist():
        found = disjoint(members[edges[group] : edges[group + 1]], nodes.first, nodes.last)
        if not found:
            continue
        yield found
        opener = int(openers[nodes.first[found[0]]])
        if opener >= 0:
            yield (opener, *found)


def best_disjoint(nodes: PageNodes, values: Floats) -> Iterator[Candidate]:
    """The nodes, none inside another, whose values have the greatest sum, for each column of (nodes, columns).

    One pass up the tree, level by level, in which each node hands the better of its own value and the best sum below
    it to its parent; one pass down for each column.
    """
    inner = np.zeros_like(values)  # the best sums below each node
    order = np.argsort(-nodes.depth, kind="stable")
    edges = np.flatnonzero(np.diff(nodes.depth[order], prepend=-1, append=-1))
    for begin, end in pairwise(edges.tolist()):
        level = order[begin:end][::-1]  # children last to first, as sums of floats depend on their order
        if nodes.parents[level[0]] >= 0:
            np.add.at(inner, nodes.parent[level], np.maximum(values[level], inner[level]))
    taken = (values > 0) & (values >= inner)
    for column in range(values.shape[1]):
        yield disjoint(np.flatnonzero(taken[:, column]).tolist(), nodes.first, nodes.last)
