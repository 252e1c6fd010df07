"""Sums, means and the like over runs: neighbouring stretches of one long array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Runs:
    """Runs of given lengths, each at least 1; every method takes (all items,) and gives (runs,)."""

    def __init__(self, lengths: Sequence[int] | Ints) -> None:
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self.begins = np.concatenate([[0], self.lengths.cumsum()[:-1]]).astype(np.int64)
        self.of_item = np.repeat(np.arange(len(self.lengths)), self.lengths)

    def sum(self, values: NDArray[np.generic]) -> Floats:
        """The sum of each run."""
        result: Floats = np.add.reduceat(values.astype(np.float64), self.begins)
        return result

    def mean(self, values: NDArray[np.generic]) -> Floats:
        """The mean of each run."""
        return self.sum(values) / self.lengths

    def spread(self, values: NDArray[np.generic]) -> Floats:
        """The standard deviation of each run."""
        off = values.astype(np.float64) - self.mean(values)[self.of_item]
        result: Floats = np.sqrt(self.mean(off**2))
        return result

    def least(self, values: Floats) -> Floats:
        """The smallest value of each run."""
        result: Floats = np.minimum.reduceat(values, self.begins)
        return result

    def most(self, values: Floats) -> Floats:
        """The greatest value of each run."""
        result: Floats = np.maximum.reduceat(values, self.begins)
        return result

    def first(self, values: NDArray[np.generic]) -> Floats:
        """The first value of each run."""
        result: Floats = values[self.begins].astype(np.float64)
        return result

    def last(self, values: NDArray[np.generic]) -> Floats:
        """The last value of each run."""
        result: Floats = values[self.begins + self.lengths - 1].astype(np.float64)
        return result

    def median(self, values: Floats) -> Floats:
        """The median of each run."""
        ordered = values[np.lexsort((values, self.of_item))]
        low, high = self.begins + (self.lengths - 1) // 2, self.begins + self.lengths // 2
        result: Floats = (ordered[low] + ordered[high]) / 2
        return result

    def different(self, values: Ints) -> tuple[Floats, Floats]:
        """How many different values each run has, and how often it has its commonest one.

        Room is taken for as many numbers as there are between the least value and the greatest.
        """
        order = np.lexsort((values, self.of_item))
        ordered, runs = values[order], self.of_item[order]
        new = np.concatenate([[True], (ordered[1:] != ordered[:-1]) | (runs[1:] != runs[:-1])])
        begins = np.flatnonzero(new)
        counts = np.diff(np.append(begins, len(values)))
        kinds = np.bincount(runs[begins], minlength=len(self.lengths)).astype(np.float64)
        commonest = np.zeros(len(self.lengths))
        np.maximum.at(commonest, runs[begins], counts)
        return kinds, commonest
