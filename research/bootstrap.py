"""Confidence intervals by the percentile bootstrap over pages (Efron 1979).

The pages of a set are a sample. How much a score would vary with another sample is estimated by resampling the pages
with replacement many times: the interval contains the middle 95 % of the scores. Two systems are compared by the
difference of their scores on the same resamples, because pages that are hard for one are mostly hard for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scrapy_semtext.utils.arrays import Floats

#: The default number of resamples.
RESAMPLES = 2000
LEVEL = 0.95

# The maximum number of page counts that are computed at a time, which limits memory.
_CHUNK = 2_000_000


class Estimate(NamedTuple):
    """A score and its 95 % interval."""

    value: float
    low: float
    high: float


class Resamples:
    """Resamples of ``pages`` pages; equal seeds give equal resamples, so that systems can be compared on them."""

    def __init__(self, pages: int, resamples: int = RESAMPLES, seed: int = 0) -> None:
        self.pages = pages
        self.resamples = resamples
        self.seed = seed

    def mean(self, values: Floats) -> Floats:
        """Return means of columns, (pages, columns), over all pages and each resample: (1 + resamples, columns)."""
        return self._each(lambda counts: counts @ values / self.pages)

    def pooled(self, counts: Floats) -> Floats:
        """Return precision, recall and F1 of counts summed over all pages and over each resample: (1 + resamples, 3).

        ``counts``: (pages, 3), hits, predicted and expected, as in BlockCounts.
        """
        return self._each(lambda sampled: _prf(sampled @ counts))

    def _each(self, score: Callable[[Floats], Floats]) -> Floats:
        rng = np.random.default_rng(self.seed)
        rows = [score(np.ones((1, self.pages)))]
        left = self.resamples
        while left:
            size = min(left, max(_CHUNK // self.pages, 1))
            rows.append(score(_sample(rng, size, self.pages)))
            left -= size
        return np.concatenate(rows)


def estimate(scores: Floats) -> Estimate:
    """Return the score of all pages, the first of ``scores``, (1 + resamples,), with the interval from the others."""
    low, high = np.quantile(scores[1:], ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Estimate(float(scores[0]), float(low), float(high))


def interval(value: Estimate) -> str:
    """Return an estimate in percent, with its interval in brackets."""
    return f"{100 * value.value:.1f} [{100 * value.low:.1f}, {100 * value.high:.1f}]"


def _sample(rng: np.random.Generator, resamples: int, pages: int) -> Floats:
    """Return how often each page is in each resample, (resamples, pages)."""
    places = rng.integers(pages, size=(resamples, pages)) + pages * np.arange(resamples)[:, None]
    return np.bincount(places.ravel(), minlength=resamples * pages).reshape(resamples, pages).astype(np.float64)


def _prf(sums: Floats) -> Floats:
    """Return precision, recall and F1 of rows of hits, predicted and expected; all 1 if both sides are empty."""
    hits, predicted, expected = sums.T
    both = predicted + expected
    empty = both == 0
    precision = np.where(empty, 1.0, hits / np.maximum(predicted, 1))
    recall = np.where(empty, 1.0, hits / np.maximum(expected, 1))
    return np.stack([precision, recall, np.where(empty, 1.0, 2 * hits / np.maximum(both, 1))], axis=1)
