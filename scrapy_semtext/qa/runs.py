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
        self.ends = self.lengths.cumsum()
        self.begins = self.ends - self.lengths
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
        """How many different values, numbers from 0 on, each run has, and how often it has its commonest one."""
        size = int(values.max()) + 1
        keys = np.sort(self.of_item * size + values)
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(begins, append=len(keys))
        kinds = np.bincount(keys[begins] // size)
        commonest = np.maximum.reduceat(counts, kinds.cumsum() - kinds)
        return kinds.astype(np.float64), commonest.astype(np.float64)
