"""Runs (adjacent segments of one long array), and sets of nodes that are stored as runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.utils.arrays import Floats, Ints


#: Nodes in page order, none inside another.
Candidate = tuple[int, ...]


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
        """Return how many distinct values (numbers from 0 on) each run has, and how often its commonest one occurs."""
        size = int(values.max()) + 1
        keys = np.sort(self.of_item * size + values)
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(begins, append=len(keys))
        kinds = np.bincount(keys[begins] // size)
        commonest = np.maximum.reduceat(counts, kinds.cumsum() - kinds)
        return kinds.astype(np.float64), commonest.astype(np.float64)


@dataclass(frozen=True)
class CandidateSets:
    """Sets of nodes, grouped by page.

    ``page``: the page of each set, ``lengths``: how many nodes it has; int64, (sets,). ``members``: the nodes of all
    sets, one set after the other, each in page order and without nested nodes; int64, (sum of the lengths,).
    """

    page: Ints
    lengths: Ints
    members: Ints

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def runs(self) -> Runs:
        """The sets as runs of their members."""
        return Runs(self.lengths)

    def take(self, which: Ints | NDArray[np.bool_]) -> CandidateSets:
        """Return the sets with these numbers, or the flagged ones, (sets,), in their order."""
        lengths = self.lengths[which]
        return CandidateSets(self.page[which], lengths, self.members[ranges(self.runs.begins[which], lengths)])

    def nodes_of(self, number: int, start: int = 0) -> Candidate:
        """Return the nodes of one set, numbered from ``start``."""
        begin = int(self.runs.begins[number])
        return tuple((self.members[begin : begin + int(self.lengths[number])] - start).tolist())

    def unique(self) -> CandidateSets:
        """Return the distinct sets, each at its first position."""
        data, width = self.members.tobytes(), self.members.itemsize
        begins = (self.runs.begins * width).tolist()
        ends = ((self.runs.begins + self.lengths) * width).tolist()
        keys = [data[begin:end] for begin, end in zip(begins, ends, strict=True)]
        first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        return self.take(np.array(sorted(first.values()), dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[CandidateSets]) -> CandidateSets:
        """Concatenate the sets of several objects page by page, those of a page in the order of the parts."""
        page, lengths, members = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("page", "lengths", "members")
        )
        return cls(page, lengths, members).take(np.argsort(page, kind="stable"))
