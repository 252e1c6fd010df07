"""The bidirectional LSTM over pages of different lengths, without padding, on the CPU.

`scrapy_semtext.inference.torch_network.BiLSTM` says what is computed, and training uses that one. Here the pages of a batch, the
longest first, take their steps together, and those that have ended take part no more; both directions are steps of one
array. numpy does it with less work around each step than torch does, and with the processor's vector units for tanh.
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
    Places = NDArray[np.int64]

# OpenBLAS, numpy's library, multiplies matrices of so few rows without rearranging the weights first: 16 rows take a
# third longer at once than in two parts.
_ROWS = 8


@dataclass(slots=True)
class Steps:
    """Where each block stands among the rows that the LSTM reads, (2 * blocks,) in all.

    The rows are ordered by steps, within a step by directions (onward, back), then by pages, longest first: the second
    direction takes a page's last block first. ``counts``: (steps,) pages that have a block at each step; ``onward`` and
    ``back``: (blocks,) the rows of each block.
    """

    counts: Places
    onward: Places
    back: Places

    @classmethod
    def of(cls, lengths: Places) -> Steps:
        """Lay out pages of so many blocks, each at least 1; the blocks are numbered in the order of the pages."""
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

    def stretches(self) -> list[tuple[int, int]]:
        """The numbers of pages, and how many steps are taken with so many, in order."""
        edges = np.flatnonzero(np.diff(self.counts, prepend=0, append=0))
        return [(int(self.counts[begin]), int(end - begin)) for begin, end in pairwise(edges)]


class Recurrence:
    """A trained LSTM's steps. Its gates are i, f, o and then g, in torch's terms.

    A sigmoid is (1 + tanh(x / 2)) / 2: the halves are multiplied into the weights, so that all gates are one tanh, and
    what the LSTM gives is twice what torch's gives.
    """

    def __init__(self, weights: Weights) -> None:
        directions = ("lstm.onward", "lstm.backward_")
        own = [_arranged(weights[f"{direction}.weight_hh_l0"]) for direction in directions]
        given = [_arranged(weights[f"{direction}.weight_ih_l0"]) for direction in directions]
        biases = [_arranged(weights[f"{each}.bias_ih_l0"] + weights[f"{each}.bias_hh_l0"]) for each in directions]
        self.hidden = own[0].shape[1]
        #: (2, hidden, 4 * hidden)
        self.weight: Floats = np.stack([weight.T / 2 for weight in own]).astype(np.float32, order="C")
        #: (inputs, 2 * 4 * hidden): what the inputs of a block bring to the gates of both directions.
        self.input_weight: Floats = np.concatenate([weight.T for weight in given], axis=1).astype(np.float32, order="C")
        #: (2 * 4 * hidden,)
        self.bias: Floats = np.concatenate(biases).astype(np.float32)

    def run(self, gates: Floats, steps: Steps) -> Floats:
        """Take all steps; ``gates``: (2 * blocks, 4 * hidden) what the inputs bring. Gives twice the LSTM's output.

        That is (2 * blocks, hidden), in the order of ``steps``.
        """
        output = np.empty((len(gates), self.hidden), dtype=np.float32)
        pages = int(steps.counts[0])
        state = np.zeros((2, pages, self.hidden), dtype=np.float32)
        cell = np.zeros_like(state)
        row = 0
        for pages, count in steps.stretches():
            rows = slice(row, row + 2 * pages * count)
            given = gates[rows].reshape(count, 2, pages, -1)
            states = output[rows].reshape(count, 2, pages, -1)
            cell = np.ascontiguousarray(cell[:, :pages])
            self._stretch(given, states, state[:, :pages], cell)
            state = states[-1]
            row = rows.stop
        return output

    def _stretch(self, given: Floats, states: Floats, state: Floats, cell: Floats) -> None:
        """Take steps with the same pages, writing ``states`` and ``cell``; ``given``: (steps, 2, pages, 4 * hidden).

        With I = tanh(i / 2) and so on, the cell is c = ((1 + F) c + (1 + I) g) / 2, the output (1 + O) tanh(c).
        """
        gates = np.empty(given.shape[1:], dtype=np.float32)
        i, f, o, g = np.split(gates, 4, axis=2)
        sigmoids = gates[:, :, : 3 * self.hidden]
        squashed = np.empty_like(cell)
        parts = [slice(page, page + _ROWS) for page in range(0, cell.shape[1], _ROWS)]
        for step in range(len(given)):
            for pages in parts:
                np.matmul(state[:, pages], self.weight, out=gates[:, pages])
            np.add(gates, given[step], out=gates)
            np.tanh(gates, out=gates)
            np.add(sigmoids, 1, out=sigmoids)
            np.multiply(cell, f, out=cell)
            np.multiply(i, g, out=i)
            np.add(cell, i, out=cell)
            np.multiply(cell, 0.5, out=cell)
            np.tanh(cell, out=squashed)
            state = states[step]
            np.multiply(o, squashed, out=state)


def _arranged(parameter: Floats) -> NDArray[np.float64]:
    """Order the gates, which torch has as i, f, g, o, and halve what goes into a sigmoid."""
    i, f, g, o = np.split(parameter.astype(np.float64), 4)
    return np.concatenate([i / 2, f / 2, o / 2, g])
