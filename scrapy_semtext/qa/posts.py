"""The posts of pages, found by models in a row: of pages, of nodes, of sets of nodes, and of pages again.

1. The gate reads the words of a page: most pages are neither threads nor Q&A pages, and are left here at little cost,
   unless names on the page are those of readers' comments.
2. Each node gets the odds that it is the body of a post (`node_features`).
3. Sets of nodes are proposed and ranked (`candidates`, `candidate_features`).
4. From the best set and the words of the page come the probabilities that it is a thread or a Q&A page at all, and
   that it is something else with readers' comments, which the set is made of.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.candidate_features import candidate_features
from scrapy_semtext.qa.candidate_sets import CandidateSets
from scrapy_semtext.qa.candidates import candidates, exclude_comments
from scrapy_semtext.qa.node_features import node_features
from scrapy_semtext.qa.nodes import share_table
from scrapy_semtext.qa.page_words import Weights, comment_names, gate_features, word_features

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.candidate_sets import Candidate
    from scrapy_semtext.qa.node_table import Floats, Ints, NodeTable
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.page_words import PageWords

#: The probability from which a page counts as a thread or a Q&A page. It is low because pages of forum engines that the
#: models never saw get low probabilities; pages without posts rarely reach it (see docs/research/qa-pairs.md).
IS_THREAD = 0.115

#: The probability from which posts count as comments: the least at which, out-of-fold, fewer than 3 % of the pages
#: without comments and 2 % of threads have some (see docs/research/comments.md).
ARE_COMMENTS = 0.3

_AFTER_BEST = 5  # the set whose score is compared with the best one's
_MOST_NODES = 8_000  # of the pages in one table, if there are several: their features take about a kilobyte a node


@dataclass(frozen=True, slots=True)
class PostModels:
    """The trained models, and the log-odds of words in names and in labels (``weights`` has both).

    The gate lets a page through whose score is at least ``gate_from``.
    """

    node: TreeEnsemble
    candidate: TreeEnsemble
    page: TreeEnsemble
    comments: TreeEnsemble
    gate: TreeEnsemble
    gate_from: float
    name_weights: Mapping[str, float]
    label_weights: Mapping[str, float]
    weights: Weights = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Put the weights together."""
        object.__setattr__(self, "weights", Weights(self.name_weights, self.label_weights))


@dataclass(frozen=True, slots=True)
class Posts:
    """The bodies of a page's posts, nodes in page order, and what they are.

    ``probability``: that the page is made of such posts; ``comments``: that they are readers' comments on what else is
    on the page.
    """

    bodies: Candidate
    probability: float
    comments: float = 0.0

    @property
    def is_thread(self) -> bool:
        """Whether the page is taken for a thread or a Q&A page."""
        return self.probability >= IS_THREAD and not self.are_comments

    @property
    def are_comments(self) -> bool:
        """Whether the posts are taken for comments on what else is on the page.

        Both probabilities are compared with the least that counts.
        """
        return self.comments >= ARE_COMMENTS and self.comments / ARE_COMMENTS > self.probability / IS_THREAD


def posts_of_pages(pages: Sequence[PageNodes], words: Sequence[PageWords], models: PostModels) -> list[Posts | None]:
    """Find the posts of each page, one with at least one block; None where there are none.

    That is for pages that the gate leaves, and for those without two nodes that could be posts. What is found on a page
    does not depend on the others.
    """
    found: list[Posts | None] = [None] * len(pages)
    if not pages:
        return found
    gate = gate_features(words, models.weights)
    commented = np.array([page.names_comments for page in words])
    passing = np.flatnonzero(passes_gate(gate, models) | commented)
    for some in _tables(passing, [len(page) for page in pages]):
        for place, posts in zip(some.tolist(), search_posts([pages[p] for p in some], gate[some], models), strict=True):
            found[place] = posts
    return found


def passes_gate(gate: Floats, models: PostModels) -> NDArray[np.bool_]:
    """Whether each page may be a thread or a Q&A page, (pages,), by the values of `gate_features`."""
    result: NDArray[np.bool_] = models.gate.scores(gate.astype(np.float32)) >= models.gate_from
    return result


def _tables(pages: Ints, sizes: Sequence[int]) -> Iterator[Ints]:
    """Divide the numbers of pages into those that share a table; ``sizes``: how many nodes each page has."""
    begin = total = 0
    for place, page in enumerate(pages.tolist()):
        if place > begin and total + sizes[page] > _MOST_NODES:
            yield pages[begin:place]
            begin, total = place, 0
        total += sizes[page]
    if begin < len(pages):
        yield pages[begin:]


def search_posts(pages: Sequence[PageNodes], gate: Floats, models: PostModels) -> list[Posts | None]:
    """Find the posts of pages, whatever these are; ``gate``: their `gate_features`."""
    nodes = share_table(pages)
    scores = exclude_comments(nodes, models.node.scores(node_features(nodes)))
    proposed = candidates(nodes, scores)
    if not len(proposed):
        return [None] * len(pages)
    rows = candidate_features(nodes, scores, proposed)
    ranks = models.candidate.scores(rows)
    best, of_ranks = rank_features(ranks, proposed.page)
    chosen = proposed.take(best)
    of_words = word_features(gate[chosen.page], nodes, chosen)
    probabilities = models.page.predict(page_features(rows[best], of_ranks, of_words)).tolist()
    of_comments, likeliest = _likeliest_comments(nodes, scores, chosen, gate, models)
    found: list[Posts | None] = [None] * len(pages)
    for number, page in enumerate(chosen.page.tolist()):
        start = int(nodes.node_starts[page])
        posts = Posts(chosen.nodes_of(number, start), probabilities[number], likeliest[number])
        found[page] = replace(posts, bodies=of_comments.nodes_of(number, start)) if posts.are_comments else posts
    return found


def _likeliest_comments(
    nodes: NodeTable, scores: Floats, chosen: CandidateSets, gate: Floats, models: PostModels
) -> tuple[CandidateSets, list[float]]:
    """Which of `comment_sets` are likeliest to be comments, one for each page, and their probabilities."""
    sets = comment_sets(chosen)
    rows = candidate_features(nodes, scores, sets)
    features = comment_features(nodes, sets, rows, models.candidate.scores(rows), gate[sets.page])
    probabilities = models.comments.predict(features)
    order = np.lexsort((-probabilities, sets.page))
    first = order[np.flatnonzero(np.diff(sets.page[order], prepend=-1))]
    return sets.take(first), probabilities[first].tolist()


def comment_sets(chosen: CandidateSets) -> CandidateSets:
    """The best set of each page, and behind it the same without its first node where two others are left.

    The text that comments are about is often taken for the opening post of a thread.
    """
    longer = chosen.take(chosen.lengths > 2)
    begins = longer.runs.begins
    without_first = CandidateSets(longer.page, longer.lengths - 1, np.delete(longer.members, begins))
    return CandidateSets.joined([chosen, without_first])


def comment_features(
    nodes: NodeTable, sets: CandidateSets, rows: NDArray[np.float32], ranks: Floats, gate: Floats
) -> NDArray[np.float32]:
    """The features of the comment model for sets, (sets, features).

    ``rows``: their `candidate_features`, ``ranks``: their scores, ``gate``: the `gate_features` of their pages.
    """
    words, names = word_features(gate, nodes, sets), comment_names(nodes, sets)
    return np.concatenate([rows, ranks[:, None], words, names[:, None]], axis=1).astype(np.float32)


def page_features(candidate: NDArray[np.float32], ranks: Floats, words: Floats) -> NDArray[np.float32]:
    """The features of the page model, (pages, features), of three parts: `candidate_features` and those below."""
    return np.concatenate([candidate, ranks, words], axis=1).astype(np.float32)


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
