"""Gradient-boosted trees as arrays: read from safetensors and evaluated with numpy, without the library that fits them.

At an inner node of a tree a row goes left if its feature is at most the threshold, else right. How that is found out
for all trees and rows at once depends on the number of rows (see `scrapy_semtext.inference.tree_paths` and
`scrapy_semtext.inference.quickscorer`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.inference.quickscorer import QuickScorer
from scrapy_semtext.inference.tree_paths import TreePaths
from scrapy_semtext.utils.extensions import kernels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_ARRAYS = ("roots", "feature", "threshold", "left", "right", "value")
_ROWS = 512  # evaluated at a time, so that what is compared fits into the cache
# Up to so many rows, nodes are compared with all of them sooner than conditions are shared out; any number, compiled.
_FEW = 16 if kernels is None else _ROWS


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
    _paths: TreePaths = field(init=False, repr=False, compare=False)
    _leaves: QuickScorer | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay the arrays out in the ways that rows are evaluated."""
        # rounded down to single precision, in which the rows are: no row compares otherwise with it
        threshold = _rounded_down(self.threshold)
        object.__setattr__(self, "_paths", TreePaths.of(self, threshold))
        object.__setattr__(self, "_leaves", QuickScorer.of(self, threshold))

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sums of the leaves' values for (rows, features); (rows,). Log-odds, if fitted to probabilities.

        Raises ValueError if the rows have another number of features than the trees were fitted to.
        """
        if kernels is not None and self._leaves is not None:
            self._check(rows)
            return self._leaves.sums(rows)
        parts = [self.by_tree(rows[begin : begin + _ROWS]).sum(1) for begin in range(0, len(rows), _ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def by_tree(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """What each tree says of some (rows, features): (rows, trees). Raises ValueError as `scores` does."""
        self._check(rows)
        if not len(rows):
            return np.zeros((0, len(self.roots)))
        way = self._paths if self._leaves is None or len(rows) > _FEW else self._leaves
        return way.by_tree(rows)

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Probabilities, for trees that were fitted to them; (rows,)."""
        result: NDArray[np.float64] = 1 / (1 + np.exp(-self.scores(rows)))
        return result

    def _check(self, rows: NDArray[np.float32]) -> None:
        if len(rows) and rows.shape[1] != self.columns:
            raise ValueError(f"the trees were fitted to {self.columns} features; the rows have {rows.shape[1]}")

    def over(self, places: Sequence[int], columns: int) -> TreeEnsemble:
        """The same trees over more features: ``places`` says where each of their own stands among ``columns``."""
        moved = np.array([*places, -1], dtype=np.int32)  # the last stands for leaves
        return replace(self, feature=moved[self.feature], columns=columns)

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


def _rounded_down(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    """The greatest numbers of single precision that are not greater."""
    single = numbers.astype(np.float32)
    return np.where(single > numbers, np.nextafter(single, np.float32(-np.inf)), single)
