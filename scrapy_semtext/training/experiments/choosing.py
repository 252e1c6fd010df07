"""Labels for a measure in which every block counts the same: blocks whose log-odds are above a shift."""

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
    from scrapy_semtext.labelers.base import Labeler

#: The shifts that are tried.
SHIFTS = tuple(float(shift) for shift in np.arange(-2.5, 1.25, 0.25))

_LEAST = 1e-9


class Choice(NamedTuple):
    """A shift, and the F1 of blocks by it: half of all blocks together, half the mean over pages."""

    shift: float
    f1: float


def best_shift(
    odds: Sequence[NDArray[np.float64]], labels: Sequence[NDArray[np.bool_]], words: Sequence[NDArray[np.float64]]
) -> Choice:
    """The best of SHIFTS for some pages, each with the log-odds, the true labels and the words of its blocks.

    One page may hold a good part of all blocks, so that F1 over all of them would choose for that page; hence the mean
    over pages beside it.
    """
    choices = []
    for shift in SHIFTS:
        keeps = [kept(own, counts, shift) for own, counts in zip(odds, words, strict=True)]
        choices.append(Choice(shift, _f1(keeps, labels)))
    return max(choices, key=lambda choice: choice.f1)


def kept(odds: NDArray[np.float64], words: NDArray[np.float64], shift: float) -> NDArray[np.bool_]:
    """Which blocks, (blocks,), are likelier main content than the shift asks for, and have words."""
    keep: NDArray[np.bool_] = (odds > shift) & (words > 0)
    return keep


class Shifted:
    """A labeller whose own labels (`Scores.viterbi`) are the blocks with log-odds above a shift."""

    def __init__(self, labeller: Labeler, shift: float) -> None:
        self.labeller = labeller
        self.shift = shift

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """As the labeller, but for the labels."""
        return [
            Scores(
                scores.probabilities,
                kept(log_odds(scores.probabilities), word_counts([b.text for b in page.text_blocks]), self.shift),
            )
            for page, scores in zip(pages, self.labeller.score(pages), strict=True)
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
