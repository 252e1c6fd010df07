"""Trees evaluated for many rows: of each node it is told by bits, one for each row, which rows come to it.

A row comes to the left child of a node if it comes to the node and meets its condition, and to the right child if it
comes to the node alone; so a level of all trees takes two operations on bits, whatever the number of rows. A condition
that stands in several nodes is looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble

    Places = NDArray[np.intp]
    Words = NDArray[np.uint64]

_WORD = 64  # rows are told of by words of so many bits
_CONDITIONS = 512  # looked at a time, so that what is compared fits into the cache


@dataclass(frozen=True, slots=True)
class TreePaths:
    """Trees as levels of nodes. Nodes have places: the roots first, then of each level the left and the right children.

    ``feature``: (conditions,), ``threshold``: (conditions, 1). ``condition``: (inner nodes,), that of each; ``levels``:
    the places of the inner nodes of each level. Behind all nodes is a place to which no row comes. The leaves of a tree
    are numbered: ``of_bit``, (some, bits, trees), holds the places of those whose number has a bit set, and ``value``,
    (trees * leaves,), their values, from ``first``, (trees,), on.
    """

    feature: Places
    threshold: NDArray[np.float32]
    condition: Places
    levels: list[Places]
    of_bit: Places
    first: Places
    value: NDArray[np.float64]

    @classmethod
    def of(cls, trees: TreeEnsemble, threshold: NDArray[np.float32]) -> TreePaths:
        """Lay trees out. ``threshold``: (nodes,), in the precision of the rows."""
        inner = trees.feature >= 0
        keys = (trees.feature[inner].astype(np.int64) << 32) | threshold[inner].view(np.uint32)
        distinct, which = np.unique(keys, return_inverse=True)
        condition = np.zeros(len(inner), dtype=np.intp)
        condition[inner] = which
        levels, conditions, leaves = [], [], []
        size = len(trees.roots)
        node, place, tree = trees.roots.astype(np.intp), np.arange(size), np.arange(size)
        while len(node):
            goes_on = inner[node]
            leaves.append(np.stack([node, place, tree])[:, ~goes_on])
            node, place, tree = node[goes_on], place[goes_on], np.tile(tree[goes_on], 2)
            levels.append(place)
            conditions.append(condition[node])
            node = np.concatenate([trees.left[node], trees.right[node]])
            place = size + np.arange(len(node))
            size += len(node)
        places, value = _numbered(np.concatenate(leaves, axis=1), trees, size)
        return cls(
            (distinct >> 32).astype(np.intp),
            (distinct & 0xFFFFFFFF).astype(np.uint32).view(np.float32)[:, None],
            np.concatenate(conditions),
            levels[:-1],  # the last is of leaves alone
            _of_bits(places, size),
            np.arange(len(trees.roots)) * places.shape[1],
            value,
        )

    def by_tree(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The values of the leaves that (rows, features) come to, (rows, trees); for some hundred rows at a time."""
        count, trees = len(rows), len(self.first)
        values = np.zeros((rows.shape[1], -(-count // _WORD) * _WORD), dtype=np.float32)
        values[:, :count] = rows.T
        meets: Words = self._met(values).take(self.condition, axis=0)
        comes: Words = np.empty((trees + 2 * len(meets) + 1, meets.shape[1]), dtype=np.uint64)
        comes[:trees], comes[-1] = ~np.uint64(0), 0
        begin = 0
        for places in self.levels:
            end, child = begin + len(places), trees + 2 * begin
            here = comes.take(places, axis=0)
            left = np.bitwise_and(here, meets[begin:end], out=comes[child : child + len(places)])
            np.bitwise_xor(here, left, out=comes[child + len(places) : trees + 2 * end])
            begin = end
        # the numbers of the leaves that rows come to, bit by bit: (bits, trees, words)
        bits = np.bitwise_or.reduce(comes.take(self.of_bit, axis=0), axis=0)
        told = np.unpackbits(bits.view(np.uint8), axis=2, count=count)
        leaf = told[-1].astype(np.uint16)
        for bit in told[-2::-1]:
            leaf += leaf
            leaf |= bit
        found: NDArray[np.float64] = self.value.take(leaf.T + self.first)
        return found

    def _met(self, values: NDArray[np.float32]) -> Words:
        """Which rows meet each condition, (conditions, words), from (features, rows)."""
        met = np.empty((len(self.feature), values.shape[1] // 8), dtype=np.uint8)
        for begin in range(0, len(met), _CONDITIONS):
            some = slice(begin, begin + _CONDITIONS)
            met[some] = np.packbits(values.take(self.feature[some], axis=0) <= self.threshold[some], axis=1)
        found: Words = met.view(np.uint64)
        return found


def _numbered(
    leaves: NDArray[np.intp], trees: TreeEnsemble, nowhere: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Number the leaves of each tree; ``leaves``: (3, all leaves), the node, place and tree of each.

    Returned are their places, (trees, leaves), ``nowhere`` for what pads a tree, and their values, (trees * leaves,).
    """
    node, place, tree = leaves[:, np.argsort(leaves[2], kind="stable")]
    counts = np.bincount(tree, minlength=len(trees.roots))
    number = np.arange(len(tree)) - (counts.cumsum() - counts)[tree]
    places = np.full((len(counts), counts.max(initial=1)), nowhere)
    values = np.zeros(places.shape)
    places[tree, number], values[tree, number] = place, trees.value[node]
    return places, values.ravel()


def _of_bits(places: NDArray[np.intp], nowhere: int) -> NDArray[np.intp]:
    """The places of the leaves whose number has each bit set, (some, bits, trees); ``places``: (trees, leaves)."""
    most = places.shape[1]
    bits = max((most - 1).bit_length(), 1)
    found = np.full((1 << bits - 1, bits, len(places)), nowhere)
    for bit in range(bits):
        own = [number for number in range(most) if number >> bit & 1]
        found[: len(own), bit] = places[:, own].T
    return found
