"""The readers' comments on pages that are no threads, found by models of their own.

They are trained as those of posts, on articles with comments as well: the models of threads take an article for the
opening post, and its comments for the answers. The features of sets and the names around them tell comments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.qa.candidate_features import candidate_features, prose_before
from scrapy_semtext.qa.candidate_sets import CandidateSets
from scrapy_semtext.qa.nodes import share_table
from scrapy_semtext.qa.page_words import comment_names, word_features
from scrapy_semtext.qa.post_sets import propose_sets, rank_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.candidate_sets import Candidate
    from scrapy_semtext.qa.node_table import Floats, NodeTable
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.post_sets import SetModels

#: The probability from which a set counts as comments. Chosen out-of-fold (docs/research/comments.md).
ARE_COMMENTS = 0.3


@dataclass(frozen=True, slots=True)
class CommentModels:
    """The models that propose sets, and the one that tells whether a set is made of comments."""

    sets: SetModels
    page: TreeEnsemble


class FoundComments(NamedTuple):
    """The likeliest comments of a page, nodes in page order, and the probability that they are comments."""

    bodies: Candidate
    probability: float


def search_comments(pages: Sequence[PageNodes], gate: Floats, models: CommentModels) -> list[FoundComments | None]:
    """Find the likeliest comments of each page; ``gate``: the pages' `gate_features`."""
    found: list[FoundComments | None] = [None] * len(pages)
    nodes = share_table(pages)
    proposed = propose_sets(nodes, models.sets)
    if proposed is None:
        return found
    best, _ = rank_features(proposed.ranks, proposed.sets.page)
    sets = comment_sets(proposed.sets.take(best))
    rows = candidate_features(nodes, proposed.nodes, sets)
    features = comment_features(nodes, sets, rows, models.sets.candidate.scores(rows), gate[sets.page])
    probabilities = models.page.predict(features)
    order = np.lexsort((-probabilities, sets.page))
    for number in order[np.flatnonzero(np.diff(sets.page[order], prepend=-1))].tolist():
        page = int(sets.page[number])
        bodies = sets.nodes_of(number, int(nodes.node_starts[page]))
        found[page] = FoundComments(bodies, float(probabilities[number]))
    return found


def comment_sets(chosen: CandidateSets) -> CandidateSets:
    """The best set of each page, and behind it the same without its first node where two others are left.

    The text that comments are about may be taken for the first of them.
    """
    longer = chosen.take(chosen.lengths > 2)
    begins = longer.runs.begins
    without_first = CandidateSets(longer.page, longer.lengths - 1, np.delete(longer.members, begins))
    return CandidateSets.joined([chosen, without_first])


def comment_features(
    nodes: NodeTable, sets: CandidateSets, rows: NDArray[np.float32], ranks: Floats, gate: Floats
) -> NDArray[np.float32]:
    """The features that tell comments, for sets; (sets, features).

    ``rows``: their `candidate_features`, ``ranks``: their scores, ``gate``: the `gate_features` of their pages.
    """
    own = np.stack([ranks, comment_names(nodes, sets), prose_before(nodes, sets)], axis=1)
    return np.concatenate([rows, own, word_features(gate, nodes, sets)], axis=1).astype(np.float32)
