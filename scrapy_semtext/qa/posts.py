"""The posts of a page, found by three models in a row: of nodes, of sets of nodes, and of the page.

1. Each node gets the odds that it is the body of a post (`node_features`).
2. Sets of nodes are proposed and ranked (`candidates`, `candidate_features`).
3. From the best set and the words of the page comes the probability that it is a thread or a Q&A page at all.

Most pages are neither, and say so by their words: a fourth model, the gate, spares them the other three.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.candidate_features import candidate_features
from scrapy_semtext.qa.candidates import Candidate, candidates, without_remarks
from scrapy_semtext.qa.node_features import node_features
from scrapy_semtext.qa.page_words import Weights, gate_features, word_features

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.nodes import Floats, PageNodes
    from scrapy_semtext.qa.page_words import PageWords

_AFTER_BEST = 5  # the set whose score is compared with the best one's


@dataclass(frozen=True, slots=True)
class PostModels:
    """The trained models, and the log-odds of words in names and in labels (``weights`` has both).

    The gate lets a page through whose score is at least ``gate_from``.
    """

    node: TreeEnsemble
    candidate: TreeEnsemble
    page: TreeEnsemble
    gate: TreeEnsemble
    gate_from: float
    name_weights: Mapping[str, float]
    label_weights: Mapping[str, float]
    weights: Weights = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the weights ready for being looked up."""
        object.__setattr__(self, "weights", Weights(self.name_weights, self.label_weights))


@dataclass(frozen=True, slots=True)
class Posts:
    """The bodies of a page's posts, nodes in page order, and the probability that the page is made of such posts."""

    bodies: Candidate
    probability: float


def may_have_posts(words: PageWords, models: PostModels) -> bool:
    """Whether the words of a page leave it open that it is a thread or a Q&A page."""
    row = np.array([gate_features(words, models.weights)], dtype=np.float32)
    return float(models.gate.scores(row)[0]) >= models.gate_from


def find_posts(nodes: PageNodes, words: PageWords, models: PostModels) -> Posts | None:
    """Find the posts of a page, whatever it is; None if there are not two nodes that could be posts."""
    scores = node_scores(nodes, models.node)
    proposed = candidates(nodes, scores)
    if not proposed:
        return None
    rows = candidate_features(nodes, scores, proposed)
    ranks = models.candidate.scores(rows)
    best = int(ranks.argmax())
    of_words = word_features(nodes, words, proposed[best], models.weights)
    page = np.array([[*rows[best], *rank_features(ranks), *of_words]], dtype=np.float32)
    return Posts(proposed[best], float(models.page.predict(page)[0]))


def node_scores(nodes: PageNodes, model: TreeEnsemble) -> Floats:
    """Each node's log-odds of being the body of a post, (nodes,)."""
    matrix = node_features(nodes)
    return without_remarks(nodes, model.scores(matrix))


def rank_features(ranks: NDArray[np.float64]) -> list[float]:
    """How clear the choice between the candidates was: the best score, its lead, the mean, their number."""
    ordered = np.sort(ranks)[::-1]
    lead = ordered[0] - ordered[min(_AFTER_BEST, len(ordered) - 1)]
    return [float(ordered[0]), float(lead), float(ordered.mean()), float(len(ordered))]
