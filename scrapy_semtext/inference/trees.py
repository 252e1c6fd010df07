"""Gradient-boosted trees as arrays, evaluated without the library that fitted them.

At an inner node of a tree a row goes left if its feature is at most the threshold, else (and if it is NaN) right. How
ensembles are evaluated is in `scrapy_semtext.inference.quickscorer`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.inference.quickscorer import QuickScorer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_ARRAYS = ("roots", "feature", "threshold", "left", "right", "value")


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """Trees over rows of features.

    ``roots``: (trees,), numbers of the root nodes; ``feature``, ``threshold``, ``left``, ``right``, ``value``:
    (nodes,), where a leaf has feature -1 and its value; ``depth`` is that of the deepest leaf, ``columns`` the number
    of features the trees were fitted to. Raises ValueError if a tree has more than 64 leaves.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    depth: int
    columns: int
    _scorer: QuickScorer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay the trees out for evaluation."""
        # rows are in single precision; rounding thresholds down to it changes no comparison
        object.__setattr__(self, "_scorer", QuickScorer.of(self, _rounded_down(self.threshold)))

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sums of leaf values, (rows,), of ``rows``, (rows, features): log-odds, if fitted to probabilities.

        Raises ValueError if the rows have another number of features than the trees were fitted to.
        """
        return self.output_scores(rows, 1)[:, 0]

    def output_scores(self, rows: NDArray[np.float32], outputs: int) -> NDArray[np.float64]:
        """The scores of an ensemble with several outputs, (rows, outputs); tree t counts for output t % outputs.

        Raises ValueError as `scores` does, and if the number of trees is no multiple of ``outputs``.
        """
        if len(self.roots) % outputs:
            raise ValueError(f"{len(self.roots)} trees cannot have {outputs} outputs")
        if len(rows) and rows.shape[1] != self.columns:
            raise ValueError(f"the trees were fitted to {self.columns} features; the rows have {rows.shape[1]}")
        return self._scorer.scores(rows, outputs)

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The probabilities, (rows,), for trees that were fitted to log-odds; see `scores`."""
        result: NDArray[np.float64] = 1 / (1 + np.exp(-self.scores(rows)))
        return result

    def over(self, places: Sequence[int], columns: int) -> TreeEnsemble:
        """The same trees over ``columns`` features; ``places``: the column of each feature they were fitted to."""
        moved = np.array([*places, -1], dtype=np.int32)  # the last is for leaves
        return replace(self, feature=moved[self.feature], columns=columns)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays by name, for saving."""
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
    """Each number rounded down to single precision."""
    single = numbers.astype(np.float32)
    return np.where(single > numbers, np.nextafter(single, np.float32(-np.inf)), single)
