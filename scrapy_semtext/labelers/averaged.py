"""The structure trees as a labeller, alone and averaged with the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.page_table import PageTable
from scrapy_semtext.features.post_features import post_logit_adjustment
from scrapy_semtext.inference.scores import Scores, log_odds_of, probabilities_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.features.post_features import PostEvidence
    from scrapy_semtext.labelers.registry import Labeler
    from scrapy_semtext.labelers.structure_trees import StructureTrees

#: The weight of the structure trees in the mean of log-odds. Between 0.45 and 0.6 the word F1 on domains kept out of
#: training differs by less than 0.001, and in languages that are rare in training less is better
#: (docs/research/training-notes.md).
TREES_SHARE = 0.45

#: `Scores.evenness` of a page that is certainly a thread. On threads of engines that are not in the training data the
#: probabilities of short lines are too low; with more weight, more of them are kept. Chosen on such threads and on
#: others (docs/research/paper-experiments.md).
THREAD_EVENNESS = 0.85

#: What is subtracted from the log-odds of a block, times the logarithm of its words divided by ten (from 10 to 300
#: words). Long blocks are overrated on every kind of page but threads. Chosen by cross-validation and on page sets that
#: are not in the training data (docs/research/training-notes.md).
LENGTH_DISCOUNT = 0.2
_DISCOUNTED = (10.0, 300.0)

_MIN_PROBABILITY = 1e-6  # probabilities are clipped to this distance from 0 and 1


class TreesLabeler:
    """Labels blocks by the structure trees alone, without the words of the text.

    Its own labels (`Scores.viterbi`) are those of positive log-odds.
    """

    def __init__(self, trees: StructureTrees) -> None:
        self.trees = trees

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        return [Scores(probabilities_of(odds), odds > 0) for odds in self.trees.log_odds(pages)]


class AveragedLabeler:
    """Averages the log-odds of another labeller, such as the network, with those of the structure trees.

    Their errors differ: the network sees the words in their order, the trees see subtrees, repetition and the URL. The
    posts found on a page, which are features of the trees, also adjust the mean and the weights of blocks
    (`Scores.evenness`). The own labels (Viterbi) are those of the other labeller.
    """

    def __init__(self, labeller: Labeler, trees: StructureTrees, share: float = TREES_SHARE) -> None:
        self.labeller = labeller
        self.trees = trees
        self.share = share

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        table = PageTable.of(pages)
        odds = self.trees.log_odds(table)  # first, as it computes features of all pages at once that the other uses
        return [*map(self._averaged, self.labeller.score(table), odds, table)]

    def _averaged(self, scores: Scores, odds_of_trees: NDArray[np.float64], page: ParsedPage) -> Scores:
        log_odds = averaged(scores.probabilities, odds_of_trees, page.word_counts(), page.posts, self.share)
        evenness = 0.0 if page.posts is None else THREAD_EVENNESS * page.posts.probability
        return Scores(probabilities_of(log_odds), scores.viterbi, evenness)


def averaged(
    probabilities: NDArray[np.float64],
    tree_log_odds: NDArray[np.float64],
    words: NDArray[np.float64],
    posts: PostEvidence | None,
    share: float = TREES_SHARE,
) -> NDArray[np.float64]:
    """The mean of the log-odds of ``probabilities`` and, with weight ``share``, ``tree_log_odds``, (blocks,) each.

    The length discount for the ``words``, (blocks,), of blocks is subtracted, in proportion to the probability that
    the page is no thread, and the adjustment for ``posts`` is added.
    """
    log_odds = (1 - share) * log_odds_of(probabilities, _MIN_PROBABILITY) + share * tree_log_odds
    if posts is None:
        return log_odds - _length_discount(words)
    log_odds = log_odds - (1 - posts.probability) * _length_discount(words)
    return log_odds + post_logit_adjustment(posts, probabilities_of(log_odds))


def _length_discount(words: NDArray[np.float64]) -> NDArray[np.float64]:
    discount: NDArray[np.float64] = LENGTH_DISCOUNT * np.log(np.clip(words, *_DISCOUNTED) / _DISCOUNTED[0])
    return discount
