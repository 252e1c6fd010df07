"""The scores of the blocks of a page, as every labeller returns them, and probabilities as log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.inference.decision import expected_f1_choice

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from scrapy_semtext.inference.decision import Decision


@dataclass(slots=True)
class Scores:
    """The scores of one page.

    ``probabilities``: (blocks,), of being main content; ``viterbi``: (blocks,), bool, the labeller's own labels (of a
    CRF the best sequence). ``evenness``: how evenly blocks are weighted in the choice by expected F1, from 0, by their
    number of words, to 1, all the same.
    """

    probabilities: NDArray[np.float64]
    viterbi: NDArray[np.bool_]
    evenness: float = 0.0

    def labels(self, decision: Decision, words: ArrayLike) -> NDArray[np.bool_]:
        """Which blocks are main content, (blocks,); ``words``: (blocks,), the number of words of each."""
        if decision == "viterbi":
            return self.viterbi
        return expected_f1_choice(self.probabilities, evened(words, self.evenness) if self.evenness else words)


def evened(words: ArrayLike, evenness: float) -> NDArray[np.float64]:
    """Weights of blocks, (blocks,): their words to the power of one minus ``evenness``, 0 without words."""
    counts = np.asarray(words, dtype=np.float64)
    result: NDArray[np.float64] = np.where(counts > 0, np.maximum(counts, 1.0) ** (1 - evenness), 0.0)
    return result


def probabilities_of(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probabilities of log-odds."""
    result: NDArray[np.float64] = 1 / (1 + np.exp(-log_odds))
    return result


def log_odds_of(probabilities: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """The log-odds of probabilities, which are clipped to the distance ``least`` from 0 and 1."""
    p = np.clip(probabilities, least, 1 - least)
    result: NDArray[np.float64] = np.log(p) - np.log1p(-p)
    return result
