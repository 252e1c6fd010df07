"""Trees of few leaves evaluated for few rows: each inner node that a row passes on the right rules out leaves.

The leaves of a tree are bits of a number, in order from the left. A row whose feature is above the threshold of a node
cannot come to the leaves on the left of that node; of those that no node of the tree rules out, the first is the row's
(Lucchese et al. 2015, QuickScorer, 3). All nodes are compared with all rows at once; for many
rows `scrapy_semtext.inference.tree_paths` is faster, if this is not compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.utils.extensions import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble

#: Trees of more leaves than this cannot be laid out so.
MOST_LEAVES = 32


@dataclass(frozen=True, slots=True)
class QuickScorer:
    """Trees as their inner nodes and leaves, each padded to the number of the tree that has most.

    ``feature``: (trees * nodes,), ``threshold`` and ``rules_out`` (a bit for each leaf): (trees * nodes, 1); ``first``:
    (trees, 1), where the leaves of each tree begin in ``value``, (trees * leaves,).
    """

    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    rules_out: NDArray[np.uint32]
    first: NDArray[np.intp]
    value: NDArray[np.float64]

    @classmethod
    def of(cls, trees: TreeEnsemble, threshold: NDArray[np.float32]) -> QuickScorer | None:
        """Lay trees out; None if one has too many leaves. ``threshold``: (nodes,), in the precision of the rows."""
        laid = []
        for root in trees.roots.tolist():
            nodes, values = _laid_out(trees, root)
            if len(values) > MOST_LEAVES:
                return None
            laid.append((nodes, values))
        most_nodes = max((len(nodes) for nodes, _ in laid), default=0) or 1
        most_leaves = most_nodes + 1
        table = np.zeros((len(laid), most_nodes, 2), dtype=np.int64)  # the padding rules out no leaf
        value = np.zeros((len(laid), most_leaves))
        for tree, (own, values) in enumerate(laid):
            if own:
                table[tree, : len(own)] = own
            value[tree, : len(values)] = values
        numbers, masks = table.reshape(-1, 2).T
        first = np.arange(len(laid), dtype=np.intp)[:, None] * most_leaves
        feature = np.maximum(trees.feature[numbers], 0).astype(np.intp)
        return cls(feature, threshold[numbers][:, None], masks.astype(np.uint32)[:, None], first, value.ravel())

    def by_tree(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The values of the leaves that (rows, features) come to, (rows, trees); for few rows at a time."""
        if kernels is not None:
            return self._by_tree_compiled(rows)
        values = np.ascontiguousarray(rows.T).take(self.feature, axis=0)
        goes_left = values <= self.threshold
        right = goes_left.view(np.int8) - np.int8(1)  # all bits set, or none
        gone = np.bitwise_and(right, self.rules_out.view(np.int32), out=values.view(np.int32))
        ruled_out = np.bitwise_or.reduce(gone.reshape(len(self.first), -1, len(rows)), axis=1).view(np.uint32)
        left = ~ruled_out & (ruled_out + np.uint32(1))  # the lowest bit that is not set, alone
        leaf = np.frexp(left.astype(np.float32))[1] - 1
        return np.ascontiguousarray(self.value[self.first + leaf].T)

    def sums(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sums of those values, (rows,), where this is compiled; fastest if each column is in one piece."""
        found, flat = np.empty(len(rows)), (self.threshold.ravel(), self.rules_out.ravel())
        kernels.sums_of_leaves(
            np.asarray(rows, dtype=np.float32), len(self.first), self.feature, *flat, self.value, found
        )
        return found

    def _by_tree_compiled(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        found, flat = np.empty((len(rows), len(self.first))), (self.threshold.ravel(), self.rules_out.ravel())
        kernels.leaves_of_rows(np.asarray(rows, dtype=np.float32), self.feature, *flat, self.value, found)
        return found


def _laid_out(trees: TreeEnsemble, root: int) -> tuple[list[tuple[int, int]], list[float]]:
    """A tree's inner nodes, each with the bits of the leaves on its left, and the values of its leaves."""
    nodes: list[tuple[int, int]] = []
    values: list[float] = []
    waiting = [(root, -1, False)]  # a node, or behind the left half of one the place where its leaves begin
    while waiting and len(values) <= MOST_LEAVES:
        node, begin, is_half = waiting.pop()
        if is_half:
            nodes.append((node, (1 << len(values)) - (1 << begin)))
            waiting.append((int(trees.right[node]), -1, False))
        elif trees.feature[node] < 0:
            values.append(float(trees.value[node]))
        else:
            waiting += [(node, len(values), True), (int(trees.left[node]), -1, False)]
    return nodes, values
