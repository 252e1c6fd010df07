"""The network as it reads pages on a CPU: what `SemTextNetwork` computes, with less work.

Three things save most of it. Strings of tags and names repeat on a page and on the pages of a site, so what each brings
to the LSTM's gates is remembered, in a bounded table; words likewise (see `string_encoder`). No page is padded (see
`recurrence`). And of the scores of the two labels only the difference is computed, which is all that a CRF of two
labels needs.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from scrapy_semtext.inference.lstm import Recurrence, Steps
from scrapy_semtext.inference.packed_linear import (
    Number,
    PackedLinear,
    can_be_cut,
    can_be_halved,
    in_halves,
    in_lines,
    in_panels,
)
from scrapy_semtext.inference.string_encoder import StringEncoder
from scrapy_semtext.inference.sums import sums_of_rows
from scrapy_semtext.utils.extensions import network
from scrapy_semtext.utils.extensions import strings as compiled_strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import PageInput, WordString
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.inference.weights import Weights

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

#: How many strings of all kinds are remembered; when there are more, all are forgotten before the next batch. A string
#: takes 6 KB in `compact`.
REMEMBERED_STRINGS = 5_000

# The rows that the tables have from the start: for the strings that are remembered, and for those and the numbers of a
# batch. The system gives memory to a row only when it is written. Tables that had to be made larger are made anew when
# they are emptied.
_ROWS = 2 * REMEMBERED_STRINGS


class CpuNetwork:
    """A trained network, ready to read pages. Not for several threads at once."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors) -> None:
        self._recurrence = Recurrence(weights)
        self._strings = _Strings(weights, config, vectors, self._recurrence)
        self._numbers = _Numbers(weights, config)
        self._summary = _Summary(weights) if config.page_vector else None
        # in double precision what is summed up
        weight, bias = (weights[f"emission.{part}"].astype(np.float64) for part in ("weight", "bias"))
        difference = weight[1] - weight[0]
        hidden = self._recurrence.hidden
        # (2, hidden): what each direction says; the LSTM's output comes twice as large as torch's
        self._of_state: Floats = (difference[: 2 * hidden].reshape(2, hidden) / 2).astype(np.float32)
        self._of_summary = difference[2 * hidden :]
        self._bias = float(bias[1] - bias[0])
        self._threads = ThreadpoolController()
        self._compiled = None
        if can_be_cut(hidden):
            self._compiled = _Compiled(self._recurrence, self._strings.of_numbers, self._of_state)

    def run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
        """Read pages, each with at least one block.

        Of each page (blocks,): the score of being main content less that of not being so.
        """
        with self._threads.limit(limits=1):  # products of small matrices only lose by being shared among threads
            return self._run(pages)

    def _run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
        lengths = np.array([len(page) for page in pages], dtype=np.int64)
        strings = self._strings.rows_of(pages)  # (3, blocks)
        numbers = self._numbers.normal(pages)
        if self._compiled is None:
            said = self._said(strings, numbers, lengths)
        else:
            said = self._compiled.said(self._strings.gates, strings, numbers, lengths)
        odds = said[0].astype(np.float64) + said[1] + self._bias
        if self._summary is not None:
            vectors = self._summary.of(self._strings.pooled, strings, numbers, lengths)
            odds += np.repeat(vectors @ self._of_summary, lengths)
        return np.split(odds, np.cumsum(lengths)[:-1])

    def _said(self, strings: Places, numbers: Floats, lengths: Places) -> Floats:
        """What each direction of the LSTM says of each block, (2, blocks).

        ``strings``: (3, blocks) rows of the tables; ``numbers``: (blocks, features); ``lengths``: (pages,) in blocks.
        """
        steps = Steps.of(lengths)
        states = self._recurrence.run(self._gates(strings, numbers, steps), steps)
        said = states @ self._of_state.T
        return np.stack([said[steps.onward, 0], said[steps.back, 1]])

    def _gates(self, strings: Places, numbers: Floats, steps: Steps) -> Floats:
        """What the inputs bring to the gates, in the order of the steps; (2 * blocks, gates)."""
        parts = np.vstack([strings, self._strings.add_numbers(numbers)]) if numbers.shape[1] else strings
        rows = np.empty((len(parts), 2 * parts.shape[1]), dtype=np.int64)
        rows[:, steps.onward] = 2 * parts  # a row of the table has the gates of both directions, one behind the other
        rows[:, steps.back] = 2 * parts + 1
        table = self._strings.gates
        return sums_of_rows(table.reshape(2 * len(table), -1), rows)


class _Compiled:
    """The LSTM and what is made of its states, by what is compiled."""

    def __init__(self, recurrence: Recurrence, of_numbers: Floats, of_state: Floats) -> None:
        """``of_numbers``: (features, 2 * 4 * hidden); ``of_state``: (2, hidden)."""
        self._of_state = of_state
        self._of_numbers = in_panels(of_numbers)
        self._weight = self._halves = None
        if can_be_halved(*recurrence.weight[0].shape):
            self._halves = _both([in_panels(in_halves(weight)) for weight in recurrence.weight])
        else:
            self._weight = _both([in_panels(weight) for weight in recurrence.weight])

    def said(self, table: Floats, strings: Places, numbers: Floats, lengths: Places) -> Floats:
        """What each direction says of each block, (2, blocks); see `CpuNetwork._said`."""
        order = np.argsort(-lengths, kind="stable")
        begins = np.cumsum(lengths) - lengths
        said = np.empty((2, strings.shape[1]), dtype=np.float32)
        network.read_pages(
            *(table.reshape(len(table), 2, -1), strings, numbers, self._of_numbers, self._weight, self._halves),
            *(self._of_state, begins[order], lengths[order], said),
        )
        return said


def _both(directions: list[NDArray[Number]]) -> NDArray[Number]:
    """What each direction has, in one piece of memory."""
    both = in_lines(2, directions[0].size).view(directions[0].dtype)
    return np.stack(directions, out=both)


class _Strings:
    """Remembers the strings of all kinds: their encodings, and what they bring to the gates."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors, recurrence: Recurrence) -> None:
        self._encoders = [StringEncoder(weights, kind, config, vectors) for kind in range(3)]
        ends = np.cumsum([encoder.size for encoder in self._encoders])
        *of_strings, self.of_numbers = np.split(recurrence.input_weight, ends)
        # every block has one string of tags, which brings the bias along
        biases = (recurrence.bias, None, None)
        self._products = [PackedLinear(*each, rounding="bytes") for each in zip(of_strings, biases, strict=True)]
        #: (rows, filters)
        self.pooled: Floats = np.empty((0, self._encoders[0].size), dtype=np.float32)
        #: (rows, 2 * 4 * hidden)
        self.gates: Floats = np.empty((0, len(recurrence.bias)), dtype=np.float32)
        self._forget()

    def _forget(self) -> None:
        self._rows: list[dict[WordString, int]] = [{} for _ in self._encoders]
        self._used = 0
        if len(self.gates) != _ROWS:
            self.pooled = in_lines(_ROWS, self.pooled.shape[1])
            self.gates = in_lines(_ROWS, self.gates.shape[1])

    def rows_of(self, pages: Sequence[PageInput]) -> Places:
        """The rows of each block's tag, name and text string in the tables, (3, blocks)."""
        if self._used > REMEMBERED_STRINGS:
            self._forget()
        kinds = ([page.tags for page in pages], [page.names for page in pages], [page.text for page in pages])
        rows = np.empty((len(kinds), sum(map(len, pages))), dtype=np.int64)
        for kind, lists in enumerate(kinds):
            if new := self._find(self._rows[kind], lists, rows[kind]):
                self._learn(kind, new)
        return rows

    def add_numbers(self, numbers: Floats) -> Places:
        """Put what the numbers, (blocks, features), bring to the gates behind the strings, for this batch; the rows."""
        end = self._used + len(numbers)
        self._make_room(end)
        np.matmul(numbers, self.of_numbers, out=self.gates[self._used : end])
        return np.arange(self._used, end)

    def _find(self, known: dict[WordString, int], lists: list[list[WordString]], rows: Places) -> list[WordString]:
        """Write the rows of strings, and return those that are met for the first time, whose rows are the next ones."""
        if compiled_strings is not None:
            new: list[WordString] = compiled_strings.rows_of(known, lists, self._used, rows)
            return new
        new, found = [], []
        for string in chain.from_iterable(lists):
            row = known.get(string)
            if row is None:
                row = known[string] = self._used + len(new)
                new.append(string)
            found.append(row)
        rows[:] = found
        return new

    def _learn(self, kind: int, new: list[WordString]) -> None:
        end = self._used + len(new)
        self._make_room(end)
        rows = slice(self._used, end)
        self._encoders[kind].encode(new, self.pooled[rows])
        self._products[kind].write(self.pooled[rows], self.gates[rows])
        self._used = end

    def _make_room(self, rows: int) -> None:
        """Let the tables have so many rows at least."""
        if rows <= len(self.gates):
            return
        rows += rows // 4  # doubled, they would take most memory just when they are full
        for name in ("pooled", "gates"):
            table = getattr(self, name)
            larger = in_lines(rows, table.shape[1])
            larger[: self._used] = table[: self._used]
            setattr(self, name, larger)


class _Numbers:
    """The plain numbers, each with mean 0 and variance 1 over the training pages; none if the network reads none."""

    def __init__(self, weights: Weights, config: NetworkConfig) -> None:
        none = np.zeros(0, dtype=np.float32)
        self._mean, self._deviation = (weights["mean"], weights["deviation"]) if config.numbers else (none, none)

    def normal(self, pages: Sequence[PageInput]) -> Floats:
        """The numbers of all blocks, (blocks, features)."""
        numbers = np.concatenate([page.numbers[:, : len(self._mean)] for page in pages])
        normal: Floats = (numbers - self._mean) / self._deviation
        return normal


class _Summary:
    """The summary of each page, as `PageSummary` makes it."""

    def __init__(self, weights: Weights) -> None:
        self._weight, self._bias = weights["summary.vector.weight"].T, weights["summary.vector.bias"]

    def of(self, table: Floats, strings: Places, numbers: Floats, lengths: Places) -> NDArray[np.float64]:
        """The vector of each page, (pages, size).

        ``table``: (rows, filters) the encodings of strings, ``strings``: (3, blocks) rows of it.
        """
        parts = [(table, rows) for rows in strings]
        if numbers.shape[1]:
            parts.append((numbers, np.arange(len(numbers))))
        found = [_sums_and_highest(values, rows, np.cumsum(lengths)) for values, rows in parts]
        means, highest = (np.concatenate(each, axis=1) for each in zip(*found, strict=True))
        means /= lengths[:, None].astype(np.float32)
        vector: Floats = np.tanh(np.concatenate([means, highest], axis=1) @ self._weight + self._bias)
        return vector.astype(np.float64)


def _sums_and_highest(table: Floats, rows: Places, ends: Places) -> tuple[Floats, Floats]:
    """The sums and the highest over the blocks of each page, (pages, columns) each.

    ``rows``: (blocks,) of ``table``; ``ends``: (pages,) of each page in it.
    """
    if network is not None:
        sums, highest = (np.empty((len(ends), table.shape[1]), dtype=np.float32) for _ in range(2))
        network.sums_and_highest(table, rows, ends, sums, highest)
        return sums, highest
    pages = np.split(table[rows], ends[:-1])
    return np.array([page.sum(0) for page in pages]), np.array([page.max(0) for page in pages])
