"""The structure trees as a labeller, alone and averaged with the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.post_features import post_logit_adjustment
from scrapy_semtext.inference.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.features.post_features import PostEvidence
    from scrapy_semtext.inference.scores import Labeler
    from scrapy_semtext.labelers.structure_trees import StructureTrees

#: How much the structure trees count in the mean of log-odds. Between 0.45 and 0.6 the word F1 on domains kept out
#: differs by less than a thousandth, and in languages that are rare in training less is better (docs/training.md).
TREES_SHARE = 0.45

#: How much alike blocks count when labels are chosen on a page that is a thread for certain (`Scores.evenness`). Labels
#: of short lines are too low on threads whose engine no model knew; more of these is kept where they count. Chosen on
#: such threads and on others (docs/research/paper-experiments.md).
THREAD_EVENNESS = 0.85

#: Log-odds that a block loses for each time that it is e times as long as ten words, up to 300. Labels overrate long
#: blocks, on every kind of page but threads. Chosen in the five folds and on sets that nothing was learned from
#: (docs/training.md).
LENGTH_DISCOUNT = 0.2
_DISCOUNTED = (10.0, 300.0)

_LEAST = 1e-6  # probabilities nearer to 0 or 1 than this count as this near


class TreesLabeler:
    """Labels blocks by the structure trees alone: no words of the text, no torch.

    Its own labels (`Scores.viterbi`) are the blocks that are more likely main content than not.
    """

    def __init__(self, trees: StructureTrees) -> None:
        self.trees = trees

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each by itself; a page without blocks gets empty scores."""
        odds = [self.trees.log_odds(page) for page in pages]
        return [Scores(_probability(each), each > 0) for each in odds]


class AveragedLabeler:
    """Averages the log-odds of another labeller, such as the network, with those of the structure trees.

    The two err on different pages: the one reads words in their order, the other weighs subtrees, repetition and the
    page's address. The posts found on a page, of which the trees are told too, count once more, and let blocks count
    more alike. Own labels (Viterbi) are those of the other labeller.
    """

    def __init__(self, labeller: Labeler, trees: StructureTrees, share: float = TREES_SHARE) -> None:
        self.labeller = labeller
        self.trees = trees
        self.share = share

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each by itself; a page without blocks gets empty scores."""
        return [self._averaged(scores, page) for scores, page in zip(self.labeller.score(pages), pages, strict=True)]

    def _averaged(self, scores: Scores, page: ParsedPage) -> Scores:
        odds = averaged(scores.probabilities, self.trees.log_odds(page), page.word_counts(), page.posts, self.share)
        evenness = 0.0 if page.posts is None else THREAD_EVENNESS * page.posts.probability
        return Scores(_probability(odds), scores.viterbi, evenness)


def averaged(
    probabilities: NDArray[np.float64],
    odds_of_trees: NDArray[np.float64],
    words: NDArray[np.float64],
    posts: PostEvidence | None,
    share: float = TREES_SHARE,
) -> NDArray[np.float64]:
    """The mean log-odds, (blocks,), of probabilities and, counting ``share``, of trees.

    Blocks of many ``words``, (blocks,), lose some, the less the more the page is a thread for certain; ``posts`` add
    theirs.
    """
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    odds: NDArray[np.float64] = (1 - share) * (np.log(p) - np.log1p(-p)) + share * odds_of_trees
    if posts is None:
        return odds - _length_discount(words)
    odds = odds - (1 - posts.probability) * _length_discount(words)
    return odds + post_logit_adjustment(posts, _probability(odds))


def _length_discount(words: NDArray[np.float64]) -> NDArray[np.float64]:
    discount: NDArray[np.float64] = LENGTH_DISCOUNT * np.log(np.clip(words, *_DISCOUNTED) / _DISCOUNTED[0])
    return discount


def _probability(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return result
