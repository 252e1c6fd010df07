"""Gradient-boosted trees as arrays: read from safetensors and evaluated with numpy, without the library that fits them.

A tree is walked from its root: at an inner node a row goes left if its feature is at most the threshold, else right.
All trees are walked at once, level by level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_ARRAYS = ("roots", "feature", "threshold", "left", "right", "value")
_ROWS = 4096  # walked at a time, so that memory stays bounded on huge pages


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

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sums of the leaves' values for (rows, features); (rows,). Log-odds, if fitted to probabilities.

        Raises ValueError if the rows have another number of features than the trees were fitted to.
        """
        if len(rows) and rows.shape[1] != self.columns:
            raise ValueError(f"the trees were fitted to {self.columns} features; the rows have {rows.shape[1]}")
        parts = [self._scores(rows[begin : begin + _ROWS]) for begin in range(0, len(rows), _ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0)

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
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots))).copy()
        line = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            feature = self.feature[at]
            goes_left = rows[line, np.maximum(feature, 0)] <= self.threshold[at]
            at = np.where(feature < 0, at, np.where(goes_left, self.left[at], self.right[at]))
        result: NDArray[np.float64] = self.value[at].sum(1)
        return result
