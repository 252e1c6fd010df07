"""Gradient-boosted trees as arrays: read from safetensors and evaluated with numpy, without the library that fits them.

A tree is walked from its root: at an inner node a row goes left if its feature is at most the threshold, else right.
All trees are walked by all rows at once, level by level; from the level on at which most have come to a leaf, only the
others go on. A leaf leads to itself. Trees of few leaves need no walk (see `scrapy_semtext.model.leaves`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.model.leaves import Leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_ARRAYS = ("roots", "feature", "threshold", "left", "right", "value")
_ROWS = 1024  # walked at a time, so that what is walked fits into the cache
_ALL_GO_ON = 4  # levels that are walked without a look at who is at a leaf


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """Trees over rows of features.

    ``roots``: (trees,) numbers of their root nodes; ``feature``, ``threshold``, ``left``, ``right``, ``value``:
    (nodes,), where a leaf has feature -1 and its value; ``depth`` is that of the deepest leaf, ``columns`` the number
    of features the trees were fitted to.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    depth: int
    columns: int
    _walked: _Walked = field(init=False, repr=False, compare=False)
    _leaves: Leaves | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay the arrays out for walking."""
        object.__setattr__(self, "_walked", _Walked.of(self))
        object.__setattr__(self, "_leaves", Leaves.of(self, self._walked.threshold))

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sums of the leaves' values for (rows, features); (rows,). Log-odds, if fitted to probabilities.

        Raises ValueError if the rows have another number of features than the trees were fitted to.
        """
        if len(rows) and rows.shape[1] != self.columns:
            raise ValueError(f"the trees were fitted to {self.columns} features; the rows have {rows.shape[1]}")
        if self._leaves is not None:
            return self._leaves.scores(rows)
        parts = [self._scores(rows[begin : begin + _ROWS]) for begin in range(0, len(rows), _ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def by_tree(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """What each tree says of few (rows, features): (rows, trees). Raises ValueError as `scores` does."""
        if len(rows) and rows.shape[1] != self.columns:
            raise ValueError(f"the trees were fitted to {self.columns} features; the rows have {rows.shape[1]}")
        return self._by_tree(rows) if self._leaves is None else self._leaves.by_tree(rows)

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Probabilities, for trees that were fitted to them; (rows,)."""
        result: NDArray[np.float64] = 1 / (1 + np.exp(-self.scores(rows)))
        return result

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays by name, to be saved."""
        return {f"{prefix}.{name}": getattr(self, name) for name in _ARRAYS} | {
            f"{prefix}.size": np.array([self.depth, self.columns], dtype=np.int32)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> TreeEnsemble:
        """Build from what `arrays` gave. Raises KeyError if one is missing."""
        own = {name: arrays[f"{prefix}.{name}"] for name in _ARRAYS}
        depth, columns = arrays[f"{prefix}.size"].tolist()
        return cls(**own, depth=depth, columns=columns)

    def _scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self._by_tree(rows).sum(1)
        return result

    def _by_tree(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        walked, count = self._walked, len(rows)
        values = np.ascontiguousarray(rows).ravel()
        at = np.tile(walked.roots, count)  # the node that each row has come to in each tree
        going: NDArray[np.intp] | None = None  # the places in ``at`` of those that are not at a leaf; None for all
        here, row = at, np.repeat(np.arange(count) * rows.shape[1], len(walked.roots))
        for level in range(self.depth):
            goes_left = values.take(walked.feature.take(here) + row) <= walked.threshold.take(here)
            here = walked.children.take(2 * here + goes_left)
            if going is None:
                at = here
            else:
                at[going] = here
            if level >= _ALL_GO_ON:
                inner = np.flatnonzero(walked.inner.take(here))
                going, at = (inner, at.copy()) if going is None else (going.take(inner), at)
                here, row = here.take(inner), row.take(inner)
        return self.value.take(at).reshape(count, len(walked.roots))


@dataclass(frozen=True, slots=True)
class _Walked:
    """The nodes of all trees as they are walked fastest, (nodes,) each.

    ``children`` holds two for each node: where a row goes that is greater than the threshold, and where one that is
    not. ``threshold`` is rounded down to single precision, in which the rows are: no row compares otherwise with it.
    """

    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    children: NDArray[np.intp]
    inner: NDArray[np.bool_]

    @classmethod
    def of(cls, trees: TreeEnsemble) -> _Walked:
        inner = trees.feature >= 0
        own = np.arange(len(inner))
        children = np.stack([np.where(inner, trees.right, own), np.where(inner, trees.left, own)], axis=1)
        return cls(
            trees.roots.astype(np.intp),
            np.where(inner, trees.feature, 0).astype(np.intp),
            _rounded_down(trees.threshold),
            children.astype(np.intp).ravel(),
            inner,
        )


def _rounded_down(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    """The greatest numbers of single precision that are not greater."""
    single = numbers.astype(np.float32)
    return np.where(single > numbers, np.nextafter(single, np.float32(-np.inf)), single)
