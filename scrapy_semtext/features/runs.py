"""Sums and other statistics of runs: adjacent segments of one array, such as the blocks of each page of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


class Runs:
    """Runs of the given lengths, each at least 1; every method takes an array (items,) and returns (runs,)."""

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
        deviations = values.astype(np.float64) - self.mean(values)[self.of_item]
        result: Floats = np.sqrt(self.mean(deviations**2))
        return result

    def least(self, values: NDArray[Any]) -> Floats:
        """The smallest value of each run."""
        result: Floats = np.minimum.reduceat(values, self.begins)
        return result

    def most(self, values: NDArray[Any]) -> Floats:
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

    def marked(self, flags: Bools) -> tuple[Ints, Ints]:
        """Return the first and the last marked item of each run, -1 in runs without any; (runs,) each."""
        items = np.arange(len(flags))
        first = np.minimum.reduceat(np.where(flags, items, len(flags)), self.begins)
        last = np.maximum.reduceat(np.where(flags, items, -1), self.begins)
        return np.where(last < 0, -1, first), last

    def shifted(self, values: NDArray[Any], step: int, missing: float = 0) -> NDArray[Any]:
        """Return the values, (..., items), of the items ``step`` further on, or ``missing`` outside their run."""
        leading, trailing = slice(None, -abs(step)), slice(abs(step), None)
        source, target = (trailing, leading) if step > 0 else (leading, trailing)
        shifted = np.full_like(values, missing)
        np.copyto(shifted[..., target], values[..., source], where=self.of_item[source] == self.of_item[target])
        return shifted

    def different(self, values: Ints) -> tuple[Floats, Floats]:
        """Return how many distinct values (numbers from 0 on) each run has, and how often its commonest one occurs."""
        size = int(values.max()) + 1
        keys = np.sort(self.of_item * size + values)
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(begins, append=len(keys))
        kinds = np.bincount(keys[begins] // size)
        commonest = np.maximum.reduceat(counts, kinds.cumsum() - kinds)
        return kinds.astype(np.float64), commonest.astype(np.float64)


def first_maximum(values: NDArray[Any], page: Ints, pages: int) -> tuple[Ints, Floats]:
    """Return the index of the first greatest value of each page, and that value; (pages,) each.

    ``page``: (values,), the page of each value. Pages without values get -1 and minus infinity.
    """
    maximum = np.full(pages, -np.inf)
    np.maximum.at(maximum, page, values)
    indexes = np.flatnonzero(values == maximum[page])[::-1]
    first = np.full(pages, -1)
    first[page[indexes]] = indexes  # if an index occurs several times, numpy keeps the last value
    return first, maximum
