"""Sets of nodes that may be the posts of pages, or the comments: proposed and ranked by two models in a row.

Each node gets the odds that it is the body of a post (`node_features`); sets of nodes are proposed from these, and get
a score each (`candidates`, `candidate_features`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.qa.candidate_features import candidate_features
from scrapy_semtext.qa.candidates import candidates, exclude_comments
from scrapy_semtext.qa.node_features import node_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.node_table import Floats, Ints, NodeTable
    from scrapy_semtext.qa.runs import CandidateSets

_AFTER_BEST = 5  # the set whose score is compared with the best one's


@dataclass(frozen=True, slots=True)
class SetModels:
    """The models of nodes and of sets of nodes."""

    node: TreeEnsemble
    candidate: TreeEnsemble


class ProposedSets(NamedTuple):
    """The sets of a batch of pages.

    ``nodes``: the scores of all nodes, (nodes,); ``rows``: the `candidate_features` of the sets, ``ranks``: their
    scores, (sets,).
    """

    nodes: Floats
    sets: CandidateSets
    rows: NDArray[np.float32]
    ranks: Floats


def propose_sets(nodes: NodeTable, models: SetModels) -> ProposedSets | None:
    """Propose sets for pages; None if no page has two nodes that could be posts."""
    scores = exclude_comments(nodes, models.node.scores(node_features(nodes)))
    sets = candidates(nodes, scores)
    if not len(sets):
        return None
    rows = candidate_features(nodes, scores, sets)
    return ProposedSets(scores, sets, rows, models.candidate.scores(rows))


def rank_features(ranks: Floats, page: Ints) -> tuple[Ints, Floats]:
    """The best candidate of each page that has any, (pages,), and how clear the choice was; (pages, 4).

    Its score, its lead, the mean score, the number of candidates. ``ranks``, ``page``: the candidates' scores and
    pages, those of a page together; (candidates,).
    """
    order = np.lexsort((np.arange(len(ranks)), -ranks, page))
    starts = np.flatnonzero(np.diff(page, prepend=-1))
    counts = np.diff(starts, append=len(page))
    ordered = ranks[order]
    best = ordered[starts]
    lead = best - ordered[starts + np.minimum(_AFTER_BEST, counts - 1)]
    return order[starts], np.stack([best, lead, np.add.reduceat(ordered, starts) / counts, counts], axis=1)
