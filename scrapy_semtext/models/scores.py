"""The scores of the blocks of a page, as returned by every labeler, and the decisions based on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from scrapy_semtext.utils.arrays import Bools, Floats, Ints

#: How labels are chosen: by maximal expected F1, or as the best label sequence of the CRF (as in the paper).
Decision = Literal["expected-f1", "viterbi"]
DECISIONS: tuple[Decision, ...] = ("expected-f1", "viterbi")

#: The standard deviation, in log-odds, of how generous annotators are between pages. On held-out domains 1 and 2 were
#: both better than 0, and 1 was better on all page sets (research/notes/training-notes.md).
LOGIT_SHIFT_STD = 1.0

# Five-point quadrature of a normal distribution (Gauss-Hermite).
_SHIFTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
_SHARES = _WEIGHTS / _WEIGHTS.sum()


@dataclass(slots=True)
class Scores:
    """The scores of one page.

    ``probabilities``: (blocks,), of being main content; ``viterbi``: (blocks,), bool, the labeler's own labels (for a
    CRF, the best sequence). ``flattening``: how blocks are weighted for expected F1, from 0 (by words) to 1 (equal).
    """

    probabilities: Floats
    viterbi: Bools
    flattening: float = 0.0

    def labels(self, decision: Decision, words: ArrayLike) -> Bools:
        """Return which blocks are main content, (blocks,); ``words``: (blocks,), the number of words of each."""
        if decision == "viterbi":
            return self.viterbi
        return expected_f1_choice(
            self.probabilities, flattened_weights(words, self.flattening) if self.flattening else words
        )


def flattened_weights(words: ArrayLike, flattening: float) -> Floats:
    """Return weights of blocks, (blocks,): their words to the power of one minus ``flattening``, 0 without words."""
    counts = np.asarray(words, dtype=np.float64)
    result: Floats = np.where(counts > 0, np.maximum(counts, 1.0) ** (1 - flattening), 0.0)
    return result


def probabilities_of(log_odds: Floats) -> Floats:
    """Convert log-odds to probabilities."""
    result: Floats = 1 / (1 + np.exp(-log_odds))
    return result


def log_odds_of(probabilities: Floats, least: float) -> Floats:
    """Convert probabilities to log-odds, clipping them to the distance ``least`` from 0 and 1."""
    p = np.clip(probabilities, least, 1 - least)
    result: Floats = np.log(p) - np.log1p(-p)
    return result


def expected_f1_choice(probabilities: ArrayLike, weights: ArrayLike, logit_shift_std: float = LOGIT_SHIFT_STD) -> Bools:
    """Return which blocks to keep, (blocks,), for the highest expected F1 over words.

    With p a block's probability of being main content and w its words, the k most probable blocks are kept that
    maximize 2 * sum(p w over kept) / (sum(w over kept) + sum(p w over all)). F1 is approximated by the ratio of the
    expectations; for this ratio, the best set always consists of the most probable blocks (after Jansche 2007, "A
    maximum expected utility framework for binary sequence labeling").

    This assumes independent blocks, but an annotator may be strict or generous with all blocks of a page. Therefore,
    the ratio is averaged over a shift of all log-odds of the page, normally distributed with standard deviation
    ``logit_shift_std``; 0 means no averaging.
    """
    keep: Bools = np.zeros(len(np.asarray(probabilities)), dtype=np.bool_)
    order, expected = _expected_f1_by_count(probabilities, weights, logit_shift_std)
    if len(expected):
        keep[order[: int(expected.argmax()) + 1]] = True
    return keep


def highest_expected_f1(probabilities: ArrayLike, weights: ArrayLike) -> float:
    """Return the expected F1 of the blocks that `expected_f1_choice` keeps, 0 to 1; 1 if no block can be kept."""
    _, expected = _expected_f1_by_count(probabilities, weights, LOGIT_SHIFT_STD)
    return float(expected.max(initial=0.0)) if len(expected) else 1.0


def _expected_f1_by_count(probabilities: ArrayLike, weights: ArrayLike, logit_shift_std: float) -> tuple[Ints, Floats]:
    """Return the blocks by falling probability, and the expected F1 of keeping so many of the first; (blocks,) each.

    Both are empty if there is nothing to keep.
    """
    p = np.asarray(probabilities, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    if not (p * w).sum() > 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    order: Ints = (-p).argsort(kind="stable")
    p, w = p.take(order), w.take(order)
    hits = shifted(p, _SHIFTS[:, None] * logit_shift_std)  # (shifts, blocks)
    hits *= w
    ratios = 2 * _SHARES[:, None] * hits.cumsum(axis=1)
    ratios /= w.cumsum() + hits.sum(axis=1, keepdims=True)
    return order, ratios.sum(axis=0)


def shifted(p: Floats, shift: float | Floats) -> Floats:
    """Add ``shift`` to the log-odds of probabilities, (blocks,); returns (shifts, blocks) for (shifts, 1)."""
    more: Floats = p * np.exp(shift)
    return more / (more + 1 - p)
