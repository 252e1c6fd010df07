"""From probabilities to labels: which blocks to keep so that the expected F1 is highest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

#: How labels are chosen: for the highest expected F1, or as the best label sequence of the CRF (the paper).
Decision = Literal["expected-f1", "viterbi"]
DECISIONS: tuple[Decision, ...] = ("expected-f1", "viterbi")

_WORD = re.compile(r"\w+")


def word_counts(texts: Sequence[str]) -> NDArray[np.float64]:
    """How many words each text has, as the word F1 counts them: runs of letters, digits and underscores."""
    return np.array([len(_WORD.findall(text)) for text in texts], dtype=np.float64)


def expected_f1_choice(probabilities: ArrayLike, weights: ArrayLike) -> NDArray[np.bool_]:
    """Which blocks to keep, (blocks,), for the highest expected F1 over words.

    With p a block's probability of being main content and w its words, the k most probable blocks are kept for which
    2 * sum(p w over kept) / (sum(w over kept) + sum(p w over all)) is highest. F1 is approximated by the ratio of
    the expectations; for it the best set is always one of the most probable (after Jansche 2007, "A maximum expected
    utility framework for binary sequence labeling").
    """
    p = np.asarray(probabilities, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    keep = np.zeros(len(p), dtype=np.bool_)
    hits = p * w
    if not hits.sum() > 0:
        return keep
    order = np.argsort(-p, kind="stable")
    expected = 2 * np.cumsum(hits[order]) / (np.cumsum(w[order]) + hits.sum())
    keep[order[: int(np.argmax(expected)) + 1]] = True
    return keep
