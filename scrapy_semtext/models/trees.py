"""Gradient-boosted trees as arrays, evaluated without the library that fitted them.

At an inner node of a tree, a row goes left if its feature is at most the threshold, else (also for NaN) right. For the
evaluation see `QuickScorer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.models.scores import probabilities_of
from scrapy_semtext.utils.arrays import Floats, Hashes, Singles
from scrapy_semtext.utils.extensions import quickscorer

#: The maximum number of leaves of a tree. The compiled kernel supports at most 32, enough for all shipped ensembles.
MAX_LEAVES = 64
_MAX_COMPILED_LEAVES = 32

_ROWS_AT_A_TIME = 64  # evaluated at a time by numpy, so that the comparisons fit into the cache
_ARRAYS = ("roots", "feature", "threshold", "left", "right", "value")


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """Trees over rows of features.

    ``roots``: (trees,), indexes of the root nodes; ``feature``, ``threshold``, ``left``, ``right``, ``value``:
    (nodes,), where a leaf has feature -1 and its value; ``depth`` is that of the deepest leaf, ``columns`` the number
    of features the trees were fitted to. Raises ValueError if a tree has more than 64 leaves.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: Floats
    depth: int
    columns: int
    _scorer: QuickScorer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the trees for evaluation."""
        # rows have single precision; rounding thresholds down to it changes no comparison
        object.__setattr__(self, "_scorer", QuickScorer.of(self, _rounded_down(self.threshold)))

    def scores(self, rows: Singles) -> Floats:
        """Return sums of leaf values, (rows,), for ``rows``, (rows, features): log-odds if fitted to probabilities.

        Raises ValueError if the number of features differs from that in training.
        """
        return self.output_scores(rows, 1)[:, 0]

    def output_scores(self, rows: Singles, outputs: int) -> Floats:
        """Return the scores of an ensemble with several outputs, (rows, outputs); tree t adds to output t % outputs.

        Raises ValueError like `scores`, and if the number of trees is not a multiple of ``outputs``.
        """
        if len(self.roots) % outputs:
            raise ValueError(f"{len(self.roots)} trees cannot have {outputs} outputs")
        if len(rows) and rows.shape[1] != self.columns:
            raise ValueError(f"the trees were fitted to {self.columns} features; the rows have {rows.shape[1]}")
        return self._scorer.scores(rows, outputs)

    def predict(self, rows: Singles) -> Floats:
        """Return the probabilities, (rows,), for trees that were fitted to log-odds; see `scores`."""
        return probabilities_of(self.scores(rows))

    def over(self, indexes: Sequence[int], columns: int) -> TreeEnsemble:
        """Return the same trees over ``columns`` features; ``indexes``: the new column of each original feature."""
        moved = np.array([*indexes, -1], dtype=np.int32)  # the last is for leaves
        return replace(self, feature=moved[self.feature], columns=columns)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, for saving."""
        return {f"{prefix}.{name}": getattr(self, name) for name in _ARRAYS} | {
            f"{prefix}.size": np.array([self.depth, self.columns], dtype=np.int32)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> TreeEnsemble:
        """Build trees from the result of `arrays`. Raises KeyError if one is missing."""
        own = {name: arrays[f"{prefix}.{name}"] for name in _ARRAYS}
        depth, columns = arrays[f"{prefix}.size"].tolist()
        return cls(**own, depth=depth, columns=columns)


def _rounded_down(numbers: Floats) -> Singles:
    """Return each number rounded down to single precision."""
    single = numbers.astype(np.float32)
    return np.where(single > numbers, np.nextafter(single, np.float32(-np.inf)), single)


@dataclass(frozen=True, slots=True)
class QuickScorer:
    """The inner nodes and the leaves of each tree, padded to the size of the largest tree, scored without traversal.

    The leaves of a tree are the bits of a mask, from the left. A row whose feature is above the threshold of a node
    cannot reach the leaves in the left subtree of that node, so their bits are removed; the exit leaf of the row is the
    first that no node of the tree removed (Lucchese et al. 2015, "QuickScorer: a fast algorithm to rank documents with
    additive ensembles of regression trees", section 3).

    ``feature``, ``threshold`` and ``mask`` (one bit per leaf of the left subtree; 0 for padding): (trees, nodes);
    ``value``: (trees, nodes + 1), of the leaves from the left.
    """

    feature: NDArray[np.intp]
    threshold: Singles
    mask: NDArray[np.uint32] | Hashes
    value: Floats

    @classmethod
    def of(cls, trees: TreeEnsemble, threshold: Singles) -> QuickScorer:
        """Lay out trees; ``threshold``: (nodes,), in single precision like the rows.

        Raises ValueError if a tree has more than MAX_LEAVES leaves.
        """
        layouts = [_layout(trees, root) for root in trees.roots.tolist()]
        leaves = max((len(values) for _, values in layouts), default=1)
        if leaves > MAX_LEAVES:
            raise ValueError(f"a tree has {leaves} leaves; at most {MAX_LEAVES} are supported")
        nodes = max(leaves - 1, 1)
        number = np.zeros((len(layouts), nodes), dtype=np.int64)
        mask = np.zeros(number.shape, dtype=np.uint32 if leaves <= _MAX_COMPILED_LEAVES else np.uint64)
        value = np.zeros((len(layouts), nodes + 1))
        for tree, (inner, values) in enumerate(layouts):
            value[tree, : len(values)] = values
            if inner:
                number[tree, : len(inner)], mask[tree, : len(inner)] = zip(*inner, strict=True)
        feature = np.maximum(trees.feature[number], 0).astype(np.intp)
        return cls(feature, threshold[number], mask, value)

    def scores(self, rows: Singles, outputs: int = 1) -> Floats:
        """Return the sums of leaf values, (rows, outputs), for ``rows``, (rows, features); tree t adds to t % outputs.

        Values are added in the order of the trees, so that a row's score is independent of the other rows.
        """
        rows = np.asarray(rows, dtype=np.float32)
        scores = np.zeros((len(rows), outputs))
        if quickscorer is not None and self.mask.dtype == np.uint32:
            quickscorer.add_scores(rows, self.feature, self.threshold, self.mask, self.value, scores)
            return scores
        for begin in range(0, len(rows) if len(self.value) else 0, _ROWS_AT_A_TIME):
            values = self._leaf_values(rows[begin : begin + _ROWS_AT_A_TIME])  # (trees, rows)
            by_output = values.reshape(-1, outputs, values.shape[1])
            # a cumulative sum adds the trees one by one, unlike sum()
            scores[begin : begin + _ROWS_AT_A_TIME] = np.add.accumulate(by_output, axis=0)[-1].T
        return scores

    def _leaf_values(self, rows: Singles) -> Floats:
        """Return the values of the exit leaves of rows, (trees, rows)."""
        features = np.ascontiguousarray(rows.T).take(self.feature, axis=0)  # (trees, nodes, rows)
        goes_left = features <= self.threshold[..., None]
        zero = self.mask.dtype.type(0)
        removed = np.bitwise_or.reduce(np.where(goes_left, zero, self.mask[..., None]), axis=1)  # (trees, rows)
        lowest = ~removed & (removed + self.mask.dtype.type(1))  # only the first bit that is not removed
        leaf = np.frexp(lowest.astype(np.float64))[1] - 1
        return np.take_along_axis(self.value, leaf, axis=1)


def _layout(trees: TreeEnsemble, root: int) -> tuple[list[tuple[int, int]], Sequence[float]]:
    """Return the inner nodes of a tree, each with the mask of its left subtree's leaves, and all leaf values."""
    inner: list[tuple[int, int]] = []
    values: list[float] = []
    pending = [(root, -1)]  # a node to visit, or one whose left subtree is done, with its first leaf
    while pending:
        node, first_leaf = pending.pop()
        if first_leaf >= 0:
            inner.append((node, (1 << len(values)) - (1 << first_leaf)))
            pending.append((int(trees.right[node]), -1))
        elif trees.feature[node] < 0:
            values.append(float(trees.value[node]))
        else:
            pending += [(node, len(values)), (int(trees.left[node]), -1)]
    return inner, values
