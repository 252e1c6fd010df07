"""The bidirectional LSTM over pages of different lengths, without padding, in numpy.

It computes what `scrapy_semtext.inference.torch_network.BiLSTM` does. At each step the pages of a batch that have not
ended are processed together, in both directions; this is faster than packed sequences of torch on a CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.inference.weights import Weights

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

# OpenBLAS multiplies matrices of up to so many rows without packing the weights: 16 rows are a third faster in two
# parts.
_ROWS = 8


@dataclass(slots=True)
class BatchLayout:
    """The order in which the LSTM processes the blocks of a batch, each in both directions: (2 * blocks,) rows.

    Rows are ordered by steps, within a step by directions (forward, backward), then by pages, longest first; the
    backward direction begins with a page's last block. ``counts``: (steps,), the pages that have a block at each step;
    ``forward``, ``backward``: (blocks,), the rows of each block.
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
        """Runs of steps with the same number of pages: that number, and how many steps, in order."""
        edges = np.flatnonzero(np.diff(self.counts, prepend=0, append=0))
        return [(int(self.counts[begin]), int(end - begin)) for begin, end in pairwise(edges)]


class Recurrence:
    """The weights of a trained LSTM and its steps. The gates are ordered i, f, o, g, in torch's terms.

    A sigmoid is (1 + tanh(x / 2)) / 2; the halves are multiplied into the weights, so that all gates are one tanh and
    the output is twice that of torch.
    """

    def __init__(self, weights: Weights) -> None:
        directions = ("lstm.onward", "lstm.backward_")
        hidden_weights = [_rearrange(weights[f"{each}.weight_hh_l0"]) for each in directions]
        input_weights = [_rearrange(weights[f"{each}.weight_ih_l0"]) for each in directions]
        biases = [_rearrange(weights[f"{each}.bias_ih_l0"] + weights[f"{each}.bias_hh_l0"]) for each in directions]
        self.hidden = hidden_weights[0].shape[1]
        #: (2, hidden, 4 * hidden)
        self.weight: Floats = np.stack([weight.T / 2 for weight in hidden_weights]).astype(np.float32, order="C")
        #: (inputs, 2 * 4 * hidden): from the inputs of a block to the gates of both directions.
        self.input_weight: Floats = np.concatenate([weight.T for weight in input_weights], axis=1).astype(
            np.float32, order="C"
        )
        #: (2 * 4 * hidden,)
        self.bias: Floats = np.concatenate(biases).astype(np.float32)

    def run(self, gates: Floats, layout: BatchLayout) -> Floats:
        """Run all steps; return twice the hidden states of torch's LSTM, (2 * blocks, hidden).

        ``gates``: (2 * blocks, 4 * hidden), the inputs' part of the gates; both in the order of ``layout``.
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

    def _run_steps(self, inputs: Floats, states: Floats, state: Floats, cell: Floats) -> None:
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


def _rearrange(parameter: Floats) -> NDArray[np.float64]:
    """Reorder the gates, which torch has as i, f, g, o, and halve the inputs of sigmoids."""
    i, f, g, o = np.split(parameter.astype(np.float64), 4)
    return np.concatenate([i / 2, f / 2, o / 2, g])
