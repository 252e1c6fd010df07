"""Sets of nodes of a batch of pages, laid end to end in one array."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.node_table import Ints

#: Nodes in page order, none inside another.
Candidate = tuple[int, ...]


@dataclass(frozen=True)
class CandidateSets:
    """Sets of nodes, those of each page together.

    ``page``: the page of each set, ``lengths``: how many nodes it has; int64, (sets,). ``members``: the nodes of all
    sets, those of each in page order, none inside another; int64, (sum of the lengths,).
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
        """The sets of these numbers, or those that are flagged, (sets,), in their order."""
        lengths = self.lengths[which]
        return CandidateSets(self.page[which], lengths, self.members[spread(self.runs.begins[which], lengths)])

    def nodes_of(self, number: int, start: int = 0) -> Candidate:
        """The nodes of one set, numbered from ``start`` on."""
        begin = int(self.runs.begins[number])
        return tuple((self.members[begin : begin + int(self.lengths[number])] - start).tolist())

    def unique(self) -> CandidateSets:
        """Each set once, where it stands first."""
        data, width = self.members.tobytes(), self.members.itemsize
        begins = (self.runs.begins * width).tolist()
        ends = ((self.runs.begins + self.lengths) * width).tolist()
        keys = [data[begin:end] for begin, end in zip(begins, ends, strict=True)]
        first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        return self.take(np.array(sorted(first.values()), dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[CandidateSets]) -> CandidateSets:
        """The sets of several of these, page by page, those of a page in the order of the parts."""
        page, lengths, members = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("page", "lengths", "members")
        )
        return cls(page, lengths, members).take(np.argsort(page, kind="stable"))


def spread(begins: Ints, lengths: Ints) -> Ints:
    """The numbers from each of ``begins`` on, as many as ``lengths`` says, one after the other."""
    ends = lengths.cumsum()
    numbers: Ints = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - ends + lengths, lengths)
    return numbers
