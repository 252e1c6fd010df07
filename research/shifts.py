"""Labels by a threshold of the log-odds, for a measure in which blocks have equal weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.scoring import prf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.labelers.registry import Labeler

#: The thresholds that are tried.
SHIFTS = tuple(float(shift) for shift in np.arange(-2.5, 1.25, 0.25))

_LEAST = 1e-9


class Choice(NamedTuple):
    """A threshold, and its F1 of blocks: the mean of the pooled F1 and of the mean over pages."""

    shift: float
    f1: float


def best_shift(
    odds: Sequence[NDArray[np.float64]], labels: Sequence[NDArray[np.bool_]], words: Sequence[NDArray[np.float64]]
) -> Choice:
    """The best of SHIFTS for some pages, each with the log-odds, the true labels and the words of its blocks.

    The mean over pages is included since a single page may have a large share of all blocks.
    """
    choices = []
    for shift in SHIFTS:
        keeps = [kept(own, counts, shift) for own, counts in zip(odds, words, strict=True)]
        choices.append(Choice(shift, _f1(keeps, labels)))
    return max(choices, key=lambda choice: choice.f1)


def kept(odds: NDArray[np.float64], words: NDArray[np.float64], shift: float) -> NDArray[np.bool_]:
    """The blocks, (blocks,) bool, that have words and log-odds above the threshold."""
    keep: NDArray[np.bool_] = (odds > shift) & (words > 0)
    return keep


class Shifted:
    """A labeler whose own labels (`Scores.viterbi`) are the blocks with log-odds above a threshold."""

    def __init__(self, labeler: Labeler, shift: float) -> None:
        self.labeler = labeler
        self.shift = shift

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """The scores of the labeler, with these labels."""
        return [
            Scores(
                scores.probabilities,
                kept(log_odds(scores.probabilities), word_counts([b.text for b in page.text_blocks]), self.shift),
            )
            for page, scores in zip(pages, self.labeler.score(pages), strict=True)
        ]


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log-odds of probabilities, none infinite."""
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    odds: NDArray[np.float64] = np.log(p) - np.log1p(-p)
    return odds


def _f1(keeps: Sequence[NDArray[np.bool_]], labels: Sequence[NDArray[np.bool_]]) -> float:
    counts = [(float((k & t).sum()), float(k.sum()), float(t.sum())) for k, t in zip(keeps, labels, strict=True)]
    pooled = prf(*(sum(column) for column in zip(*counts, strict=True))).f1
    return (pooled + sum(prf(*count).f1 for count in counts) / len(counts)) / 2
