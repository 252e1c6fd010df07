"""Sets of nodes that may be the posts of a page; the thread model ranks them (see `posts`).

Single nodes are scored first. That a score is right for one page and too shy for a page of an engine never seen is the
rule, so sets are proposed at many thresholds, and also from the groups of like nodes whatever their scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.questions.node_features import group_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_semtext.questions.nodes import Floats, Ints, PageNodes

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
    answered = np.zeros(len(nodes), dtype=bool)
    remark = np.zeros(len(nodes), dtype=bool)
    for node, (words, parent) in enumerate(zip(nodes.names, nodes.parent.tolist(), strict=True)):
        inside = parent >= 0 and bool(answered[parent])
        answered[node] = inside or not _ANSWERED.isdisjoint(words)
        remark[node] = (parent >= 0 and remark[parent]) or (inside and not _COMMENT.isdisjoint(words))
    result: Floats = np.where(remark, _NEVER, scores)
    return result


def candidates(nodes: PageNodes, scores: Floats) -> list[Candidate]:
    """Propose sets of two to 3,000 posts, each set once, from the scores of the nodes (log-odds, (nodes,))."""
    smooth = smoothed(nodes, scores)
    return list(dict.fromkeys(found for found in _all(nodes, scores, smooth) if 1 < len(found) <= _MOST_POSTS))


def _all(nodes: PageNodes, scores: Floats, smooth: Floats) -> Iterator[Candidate]:
    for threshold in _THRESHOLDS:
        yield best_disjoint(nodes, smooth - threshold)
    for below in _BELOW_BEST:
        yield best_disjoint(nodes, smooth - (smooth.max() - below))
    for groups in (
        nodes.signatures,
        nodes.tag_paths,
        nodes.own_signatures,
        nodes.near_signatures,
        nodes.ordinal_signatures,
    ):
        yield from _of_groups(nodes, groups, scores, smooth)
    best = np.argsort(-smooth)[:_PAIRED].tolist()
    for one in best:
        yield from ((one, two) for two in best if nodes.last[one] <= nodes.first[two])


def _of_groups(nodes: PageNodes, groups: Ints, scores: Floats, smooth: Floats) -> Iterator[Candidate]:
    """The groups with the best mean scores, each by itself and with the likeliest opening post before it."""
    mean = np.where(np.bincount(groups) > 1, group_mean(groups, scores), -np.inf)
    best = [group for group in np.argsort(-mean)[:_GROUPS].tolist() if mean[group] >= _LOWEST_MEAN]
    hopeful = np.flatnonzero(scores > _NEVER)
    order = hopeful[np.argsort(groups[hopeful], kind="stable")]
    edges = np.searchsorted(groups[order], np.arange(len(mean) + 1))
    for group in best:
        found = _disjoint(nodes, order[edges[group] : edges[group + 1]].tolist())
        if not found:
            continue
        yield found
        before = np.flatnonzero(nodes.last <= nodes.first[found[0]])
        if len(before):
            opener = int(before[np.argmax(smooth[before])])
            if smooth[opener] > _LOWEST_OPENER:
                yield (opener, *found)


def _disjoint(nodes: PageNodes, members: Iterable[int]) -> Candidate:
    """Those of the nodes, in page order, that are not inside one before."""
    found, covered = [], 0
    for node in members:
        if nodes.first[node] >= covered:
            found.append(node)
            covered = int(nodes.last[node])
    return tuple(found)


def best_disjoint(nodes: PageNodes, values: Floats) -> Candidate:
    """The nodes, none inside another, whose values have the greatest sum; one pass up the tree, one down."""
    inner = [0.0] * len(nodes)  # the best sum below each node
    taken = [False] * len(nodes)
    parents, own = nodes.parent.tolist(), values.tolist()
    for node in range(len(nodes) - 1, -1, -1):
        taken[node] = own[node] > 0 and own[node] >= inner[node]
        if parents[node] >= 0:
            inner[parents[node]] += own[node] if taken[node] else inner[node]
    return _disjoint(nodes, (node for node, is_taken in enumerate(taken) if is_taken))
