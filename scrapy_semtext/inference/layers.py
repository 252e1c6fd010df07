"""Layers of the network on a CPU: dense ones, and the bidirectional LSTM over pages of different lengths, unpadded.

They compute the same as `scrapy_semtext.inference.torch_network`. At each step of the LSTM, the pages of a batch that
have not ended are processed together in both directions, which is faster than torch's packed sequences on a CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from scrapy_semtext.inference.storage import Weights
    from scrapy_semtext.utils.arrays import Floats, Ints, Singles

_CACHE_LINE = 64  # bytes
_BATCH_BYTES = 4 << 20  # of rows gathered at a time


class PackedLinear:
    """Rows times a constant matrix plus a bias.

    The matrix is packed into panels for the compiled kernel, which is faster than numpy's BLAS for few rows; numpy is
    used for a number of columns that the kernel does not support.
    """

    def __init__(self, matrix: Singles, bias: Singles | None = None) -> None:
        """``matrix``: (inner, columns); ``bias``: (columns,), 0 by default."""
        self._matrix = np.array(matrix, dtype=np.float32, order="C")
        self._bias = np.zeros(matrix.shape[1], dtype=np.float32) if bias is None else bias
        self._panels = pack(self._matrix) if can_pack(matrix.shape[1]) else None

    def write(self, rows: Singles, out: Singles) -> None:
        """Write the products of ``rows``, (rows, inner), into ``out``, (rows, columns); both C-contiguous."""
        if self._panels is not None:
            network.linear(self._bias, rows, self._panels, out)
        else:
            np.matmul(rows, self._matrix, out=out)
            out += self._bias


def can_pack(columns: int) -> bool:
    """Return whether the compiled kernels support a matrix with this number of columns."""
    return network is not None and not columns % network.lanes


def pack(matrix: Singles) -> Singles:
    """Pack a matrix, (inner, columns), into concatenated panels of columns: (inner * columns,)."""
    panels = [matrix[:, begin : begin + network.panel].ravel() for begin in range(0, matrix.shape[1], network.panel)]
    return np.concatenate(panels, out=empty_aligned(matrix.size))


def empty_aligned(*shape: int) -> Singles:
    """Return an uninitialized float32 array aligned to a cache line, which is read faster."""
    memory = np.empty(4 * prod(shape) + _CACHE_LINE, dtype=np.uint8)
    begin = -memory.ctypes.data % _CACHE_LINE
    return memory[begin : begin + 4 * prod(shape)].view(np.float32).reshape(shape)


def sums_of_rows(table: Singles, places: Ints) -> Singles:
    """Return sums of rows of a table, (sums, columns), float32.

    ``table``: (rows, columns); ``places``: (addends, sums), C-contiguous row indexes; at least one addend.
    """
    count = places.shape[1]
    sums = np.empty((count, table.shape[1]), dtype=np.float32)
    step = max(_BATCH_BYTES // table[:1].nbytes, 1)
    gathered = np.empty((min(step, count), table.shape[1]), dtype=np.float32)
    for begin in range(0, count, step):
        part = slice(begin, begin + step)
        part_sums = sums[part]
        # mode "clip" avoids a copy; all indexes are in range
        np.take(table, places[0, part], axis=0, out=part_sums, mode="clip")
        for addends in places[1:]:
            np.take(table, addends[part], axis=0, out=gathered[: len(part_sums)], mode="clip")
            np.add(part_sums, gathered[: len(part_sums)], out=part_sums)
    return sums


# The maximum number of rows that OpenBLAS multiplies without packing the weights: 16 rows are a third faster in two
# parts.
_ROWS = 8


@dataclass(slots=True)
class BatchLayout:
    """The order in which the LSTM processes the blocks of a batch, each in both directions: (2 * blocks,) rows.

    Rows are ordered by step, then by direction (forward, backward), then by page, longest first; the backward direction
    begins with a page's last block. ``counts``: (steps,), the number of pages with a block at each step; ``forward``,
    ``backward``: (blocks,), the rows of each block.
    """

    counts: Ints
    forward: Ints
    backward: Ints

    @classmethod
    def of(cls, lengths: Ints) -> BatchLayout:
        """Lay out pages of ``lengths``, (pages,), blocks, each at least 1; blocks are in the order of the pages."""
        order = np.argsort(-lengths, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        steps = np.arange(lengths.max())
        counts = len(lengths) - np.searchsorted(np.sort(lengths), steps, side="right")
        begins = 2 * (np.cumsum(counts) - counts)
        page = np.repeat(np.arange(len(lengths)), lengths)
        step = np.arange(len(page)) - (np.cumsum(lengths) - lengths)[page]
        mirrored = lengths[page] - 1 - step
        return cls(counts, begins[step] + rank[page], begins[mirrored] + counts[mirrored] + rank[page])

    def runs(self) -> list[tuple[int, int]]:
        """Return runs of steps with the same number of pages: that number, and the number of steps, in order."""
        edges = np.flatnonzero(np.diff(self.counts, prepend=0, append=0))
        return [(int(self.counts[begin]), int(end - begin)) for begin, end in pairwise(edges)]


class Recurrence:
    """The weights of a trained LSTM and its steps. The gates are ordered i, f, o, g, in torch's terms.

    A sigmoid is (1 + tanh(x / 2)) / 2; the factors 1/2 are merged into the weights, so that all gates are a single tanh
    and the output is twice that of torch.
    """

    def __init__(self, weights: Weights) -> None:
        directions = ("lstm.onward", "lstm.backward_")
        hidden_weights = [_rearrange(weights[f"{each}.weight_hh_l0"]) for each in directions]
        input_weights = [_rearrange(weights[f"{each}.weight_ih_l0"]) for each in directions]
        biases = [_rearrange(weights[f"{each}.bias_ih_l0"] + weights[f"{each}.bias_hh_l0"]) for each in directions]
        self.hidden = hidden_weights[0].shape[1]
        #: (2, hidden, 4 * hidden)
        self.weight: Singles = np.stack([weight.T / 2 for weight in hidden_weights]).astype(np.float32, order="C")
        #: (inputs, 2 * 4 * hidden): from the inputs of a block to the gates of both directions.
        self.input_weight: Singles = np.concatenate([weight.T for weight in input_weights], axis=1).astype(
            np.float32, order="C"
        )
        #: (2 * 4 * hidden,)
        self.bias: Singles = np.concatenate(biases).astype(np.float32)

    def run(self, gates: Singles, layout: BatchLayout) -> Singles:
        """Run all steps; return twice the hidden states of torch's LSTM, (2 * blocks, hidden).

        ``gates``: (2 * blocks, 4 * hidden), the inputs' contribution to the gates; both in the order of ``layout``.
        """
        output = np.empty((len(gates), self.hidden), dtype=np.float32)
        pages = int(layout.counts[0])
        state = np.zeros((2, pages, self.hidden), dtype=np.float32)
        cell = np.zeros_like(state)
        row = 0
        for pages, steps in layout.runs():
            rows = slice(row, row + 2 * pages * steps)
            inputs = gates[rows].reshape(steps, 2, pages, -1)  # (steps, 2, pages, 4 * hidden)
            states = output[rows].reshape(steps, 2, pages, -1)  # (steps, 2, pages, hidden)
            cell = np.ascontiguousarray(cell[:, :pages])  # (2, pages, hidden)
            self._run_steps(inputs, states, state[:, :pages], cell)
            state = states[-1]
            row = rows.stop
        return output

    def _run_steps(self, inputs: Singles, states: Singles, state: Singles, cell: Singles) -> None:
        """Run steps with the same pages, writing ``states`` and ``cell``; shapes as in `run`.

        With I = tanh(i / 2) and so on, the cell is c = ((1 + F) c + (1 + I) g) / 2, the output (1 + O) tanh(c).
        """
        gates = np.empty(inputs.shape[1:], dtype=np.float32)
        i, f, o, g = np.split(gates, 4, axis=2)
        sigmoids = gates[:, :, : 3 * self.hidden]
        squashed = np.empty_like(cell)
        parts = [slice(page, page + _ROWS) for page in range(0, cell.shape[1], _ROWS)]
        for step in range(len(inputs)):
            for pages in parts:
                np.matmul(state[:, pages], self.weight, out=gates[:, pages])
            np.add(gates, inputs[step], out=gates)
            np.tanh(gates, out=gates)
            np.add(sigmoids, 1, out=sigmoids)
            np.multiply(cell, f, out=cell)
            np.multiply(i, g, out=i)
            np.add(cell, i, out=cell)
            np.multiply(cell, 0.5, out=cell)
            np.tanh(cell, out=squashed)
            state = states[step]
            np.multiply(o, squashed, out=state)


def _rearrange(parameter: Singles) -> Floats:
    """Reorder the gates, which are i, f, g, o in torch, and halve the inputs of sigmoids."""
    i, f, g, o = np.split(parameter.astype(np.float64), 4)
    return np.concatenate([i / 2, f / 2, o / 2, g])
