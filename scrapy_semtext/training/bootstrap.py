"""Confidence intervals by the bootstrap over pages, and of the difference of two systems on the same pages.

The pages of a set are one draw of the pages there are. How much a score would differ with another draw is seen by
drawing as many pages from the set, with replacement, many times (Efron 1979, "Bootstrap methods: another look at the
jackknife"); the interval holds the middle 95 % of the scores of these draws. Two systems are compared by the difference
of their scores on the same draws, as pages that are hard for one are mostly hard for the other, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

#: How many times pages are drawn.
DRAWS = 2000
LEVEL = 0.95

# Draws of so many pages at a time are in memory.
_PORTION = 2_000_000


class Estimate(NamedTuple):
    """A score of some pages, and the interval that 95 % of the scores of draws from them lie in."""

    value: float
    low: float
    high: float


class Draws:
    """Draws of pages, the same for everything that is to be compared.

    ``pages``: how many there are; the same ``seed`` gives the same draws.
    """

    def __init__(self, pages: int, draws: int = DRAWS, seed: int = 0) -> None:
        self.pages = pages
        self.draws = draws
        self.seed = seed

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of columns, (pages, columns), over all pages and over each draw: (1 + draws, columns)."""
        return self._each(lambda counts: counts @ values / self.pages)

    def pooled(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Precision, recall and F1 of counts that are summed over pages: (1 + draws, 3).

        ``counts``: (pages, 3), hits, predicted and expected, as BlockCounts.
        """
        return self._each(lambda drawn: _prf(drawn @ counts))

    def _each(self, score: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> NDArray[np.float64]:
        rng = np.random.default_rng(self.seed)
        rows = [score(np.ones((1, self.pages)))]
        left = self.draws
        while left:
            size = min(left, max(_PORTION // self.pages, 1))
            rows.append(score(_drawn(rng, size, self.pages)))
            left -= size
        return np.concatenate(rows)


def estimate(scores: NDArray[np.float64]) -> Estimate:
    """The score of all pages, which comes first in ``scores``, (1 + draws,), and the interval of the others."""
    low, high = np.quantile(scores[1:], ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Estimate(float(scores[0]), float(low), float(high))


def _drawn(rng: np.random.Generator, draws: int, pages: int) -> NDArray[np.float64]:
    """How often each page is drawn, (draws, pages), when as many pages as there are are drawn with replacement."""
    places = rng.integers(pages, size=(draws, pages)) + pages * np.arange(draws)[:, None]
    return np.bincount(places.ravel(), minlength=draws * pages).reshape(draws, pages).astype(np.float64)


def _prf(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Precision, recall and F1 of rows of hits, predicted and expected; two empty sides agree, as in scoring.prf."""
    hits, predicted, expected = sums.T
    both = predicted + expected
    empty = both == 0
    precision = np.where(empty, 1.0, hits / np.maximum(predicted, 1))
    recall = np.where(empty, 1.0, hits / np.maximum(expected, 1))
    return np.stack([precision, recall, np.where(empty, 1.0, 2 * hits / np.maximum(both, 1))], axis=1)
