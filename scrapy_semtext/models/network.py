"""The network on a CPU: computes the same as `scrapy_semtext.models.torch_network`, without torch, with less work.

The products of each word with the filters, at every position of their windows, are cached, so a window is a sum of rows
and a string the maximum of windows. Tag and name strings repeat within a page and across the pages of a site, so the
contribution of each string to the LSTM's gates is cached too. Pages are not padded. Only the difference between the
scores of the two labels, the log-odds, is computed, because a CRF of two labels needs no more.

The windows of strings and the steps of the LSTM are compiled (`_network.pyx`); the same in numpy takes their place
where there is no compiler, or for numbers of filters or units that the kernels do not support.
"""

from __future__ import annotations

from itertools import accumulate, chain, count, pairwise
from math import exp, prod
from operator import add, mul
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.models.config import NetworkConfig, PageInput, WordString
    from scrapy_semtext.models.storage import Weights
    from scrapy_semtext.models.vectors import Vectors
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles


_CACHE_LINE = 64  # bytes

#: The maximum number of words that an encoder caches; above it, the cache is emptied. A word takes 2 KB in `compact`.
MAX_CACHED_WORDS = 6_000

# The maximum number of words of strings that are encoded at a time; the last string may exceed it.
_MAX_BATCH_WORDS = 16_000

#: The maximum number of cached strings of all kinds; above it, the cache is emptied before the next batch. A string
#: takes 6 KB in `compact`.
MAX_CACHED_STRINGS = 5_000

# The number of rows that are allocated at first, for what is cached and what a batch adds. The system provides the
# memory of a row only when it is written. Tables that have grown are reallocated when they are emptied.
_INITIAL_ROWS, _INITIAL_STRING_ROWS = 2 * MAX_CACHED_WORDS, 2 * MAX_CACHED_STRINGS

# Log-odds and transition scores are clipped to this magnitude, which is practically certain and keeps exp() finite.
_MAX_EMISSION = 400.0
_MAX_TRANSITION = 100.0


class CpuNetwork:
    """A trained network for inference, in single precision. Not thread-safe."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors) -> None:
        self._recurrence = Recurrence(weights)
        self._strings = StringTable(weights, config, vectors, self._recurrence)
        self._features = _Standardizer(weights, config)
        self._summary = _Summary(weights) if config.page_vector else None
        # sums are computed in double precision
        weight, bias = (weights[f"emission.{part}"].astype(np.float64) for part in ("weight", "bias"))
        difference = weight[1] - weight[0]
        hidden = self._recurrence.hidden
        # (2, hidden), by direction; halved because the states are twice those of torch
        self._emission_weight: Singles = (difference[: 2 * hidden].reshape(2, hidden) / 2).astype(np.float32)
        self._summary_weight = difference[2 * hidden :]  # (page_vector,)
        self._bias = float(bias[1] - bias[0])
        self._threads = ThreadpoolController()
        self._packed_weight: Singles | None = None
        if can_pack(hidden):
            self._packed_feature_weight = pack(self._strings.feature_weight)
            self._packed_weight = empty_aligned(2, self._recurrence.weight[0].size)
            self._packed_weight[:] = [pack(weight) for weight in self._recurrence.weight]

    def run(self, pages: Sequence[PageInput]) -> list[Floats]:
        """Return the emissions of pages, each with at least one block: the log-odds, (blocks,), of each page."""
        with self._threads.limit(limits=1):  # threads slow down products of small matrices
            return self._run(pages)

    def _run(self, pages: Sequence[PageInput]) -> list[Floats]:
        lengths = np.array([len(page) for page in pages], dtype=np.int64)
        ids = self._strings.ids(pages)  # (3, blocks)
        features = self._features.standardized(pages)  # (blocks, features)
        run_lstm = self._lstm_numpy if self._packed_weight is None else self._lstm_compiled
        emissions = run_lstm(ids, features, lengths)  # (2, blocks)
        log_odds = emissions[0].astype(np.float64) + emissions[1] + self._bias
        if self._summary is not None:
            vectors = self._summary.vectors(self._strings.encodings, ids, features, lengths)
            log_odds += np.repeat(vectors @ self._summary_weight, lengths)
        return np.split(log_odds, np.cumsum(lengths)[:-1])

    def _lstm_numpy(self, ids: Ints, features: Singles, lengths: Ints) -> Singles:
        """Return the contribution of each LSTM direction to each block's emission, (2, blocks).

        ``ids``: (3, blocks), rows of the string table; ``features``: (blocks, features); ``lengths``: (pages,).
        """
        gates = features @ self._strings.feature_weight
        for rows in ids:
            gates += self._strings.gates[rows]
        gates = gates.reshape(len(gates), 2, -1)  # (blocks, 2, 4 * hidden)
        emissions = np.empty(ids.shape, dtype=np.float32)[:2]
        for begin, end in pairwise([0, *lengths.cumsum().tolist()]):
            page = gates[begin:end]
            states = self._recurrence.states(np.stack([page[:, 0], page[::-1, 1]], axis=1))
            onward, backward = np.einsum("bdh,dh->db", states, self._emission_weight)
            emissions[:, begin:end] = onward, backward[::-1]
        return emissions

    def _lstm_compiled(self, ids: Ints, features: Singles, lengths: Ints) -> Singles:
        """Return the same, using the compiled kernel."""
        order = np.argsort(-lengths, kind="stable")
        begins = np.cumsum(lengths) - lengths
        emissions = np.empty((2, ids.shape[1]), dtype=np.float32)
        table = self._strings.gates.reshape(len(self._strings.gates), 2, -1)
        weights = (self._packed_feature_weight, self._packed_weight, self._emission_weight)
        network.bilstm(table, ids, features, *weights, begins[order], lengths[order], emissions)
        return emissions


class _Standardizer:
    """Scales block features to mean 0 and variance 1 on the training pages, or drops them if the network has none."""

    def __init__(self, weights: Weights, config: NetworkConfig) -> None:
        none = np.zeros(0, dtype=np.float32)
        self._mean, self._deviation = (weights["mean"], weights["deviation"]) if config.numbers else (none, none)

    def standardized(self, pages: Sequence[PageInput]) -> Singles:
        """Return the features of all blocks, (blocks, features)."""
        features = np.concatenate([page.features[:, : len(self._mean)] for page in pages])
        standardized: Singles = (features - self._mean) / self._deviation
        return standardized


class _Summary:
    """The page vector of `PageSummary`."""

    def __init__(self, weights: Weights) -> None:
        self._weight, self._bias = weights["summary.vector.weight"].T, weights["summary.vector.bias"]

    def vectors(self, encodings: Singles, ids: Ints, features: Singles, lengths: Ints) -> Floats:
        """Return the vector of each page, (pages, size).

        ``encodings``: (rows, filters), ``ids``: (3, blocks), rows of it; ``features``: (blocks, features).
        """
        inputs = np.concatenate([*(encodings[rows] for rows in ids), features], axis=1)  # (blocks, inputs)
        begins = np.cumsum(lengths) - lengths
        means = np.add.reduceat(inputs, begins, axis=0) / lengths[:, None].astype(np.float32)
        maxima = np.maximum.reduceat(inputs, begins, axis=0)
        vector: Singles = np.tanh(np.concatenate([means, maxima], axis=1) @ self._weight + self._bias)
        return vector.astype(np.float64)


class TwoLabelChain:
    """A trained CRF of two labels. Emissions are log-odds, (blocks,): the score of label 1 minus that of label 0.

    ``weights``: "crf.transitions", (2, 2), "crf.start" and "crf.end", (2,). Raises ValueError for another number of
    labels.
    """

    def __init__(self, weights: Weights) -> None:
        transitions = np.clip(weights["crf.transitions"].astype(np.float64), -_MAX_TRANSITION, _MAX_TRANSITION)
        if transitions.shape != (2, 2):
            raise ValueError(f"the chain has two labels, not {len(transitions)}")
        self._transitions = transitions
        (start, end) = (np.diff(weights[name].astype(np.float64)) for name in ("crf.start", "crf.end"))
        self._start = float(start.clip(-_MAX_TRANSITION, _MAX_TRANSITION)[0])
        self._end = float(end.clip(-_MAX_TRANSITION, _MAX_TRANSITION)[0])

    def marginals(self, emissions: Floats, ends: Ints) -> Floats:
        """Return the log-odds of the marginal probabilities of label 1, (blocks,).

        ``emissions``: (blocks,); ``ends``: (pages,), where each page (a separate chain) ends in it.
        """
        odds = np.exp(np.clip(emissions, -_MAX_EMISSION, _MAX_EMISSION))
        (f00, f01), (f10, f11) = np.exp(self._transitions).tolist()
        forward, backward = _forward_backward(
            odds,
            ends,
            (exp(self._start), exp(self._end)),
            mul,
            lambda value: (f01 + f11 * value) / (f00 + f10 * value),
            lambda value: (f10 + f11 * value) / (f00 + f01 * value),
        )
        log_odds: Floats = np.log(forward) + np.log(backward)
        return log_odds

    def viterbi(self, emissions: Floats, ends: Ints) -> Bools:
        """Return where the best label sequence of each page has label 1, (blocks,); arguments as in `marginals`.

        A label is in the best sequence if the best sequence through it has the highest score; ties go to label 0.
        """
        (t00, t01), (t10, t11) = self._transitions.tolist()
        forward, backward = _forward_backward(
            emissions,
            ends,
            (self._start, self._end),
            add,
            lambda value: max(t01, t11 + value) - max(t00, t10 + value),
            lambda value: max(t10, t11 + value) - max(t00, t01 + value),
        )
        best: Bools = forward + backward > 0
        return best


def _forward_backward(
    emissions: Floats,
    ends: Ints,
    edges: tuple[float, float],
    combine: Callable[[float, float], float],
    onward: Callable[[float], float],
    back: Callable[[float], float],
) -> tuple[Floats, Floats]:
    """Return the forward variables, which include each block's emission, and the backward ones; (blocks,) each.

    ``edges``: the scores of the start and the end of a page; ``combine`` adds an emission to a variable; ``onward`` and
    ``back`` return the variable of a neighbour before its emission.
    """
    forward: list[float] = []
    backward: list[float] = []
    for page in np.split(emissions, ends[:-1]):
        first, *others = page.tolist()
        forward += accumulate(
            others, lambda value, emission: combine(emission, onward(value)), initial=combine(first, edges[0])
        )
        following = accumulate(
            reversed(others), lambda value, emission: back(combine(value, emission)), initial=edges[1]
        )
        backward += reversed([*following])
    return np.array(forward), np.array(backward)


class StringTable:
    """The strings of all kinds (tags, names, text) by row: their encodings and their contributions to the gates."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors, recurrence: Recurrence) -> None:
        self._encoders = [StringEncoder(weights, kind, config, vectors) for kind in range(3)]
        ends = np.cumsum([encoder.size for encoder in self._encoders])
        #: (features, 2 * 4 * hidden): the contribution of the features.
        self.feature_weight: Singles
        *string_weights, self.feature_weight = np.split(recurrence.input_weight, ends)
        # every block has exactly one tag string, to which the bias is added
        biases = (recurrence.bias, None, None)
        self._linears = [PackedLinear(weight, bias) for weight, bias in zip(string_weights, biases, strict=True)]
        #: (rows, filters)
        self.encodings = empty_aligned(_INITIAL_STRING_ROWS, self._encoders[0].size)
        #: (rows, 2 * 4 * hidden)
        self.gates = empty_aligned(_INITIAL_STRING_ROWS, len(recurrence.bias))
        self._clear()

    def _clear(self) -> None:
        self._ids: list[dict[WordString, int]] = [{} for _ in self._encoders]
        self._used = 0
        self.encodings, self.gates = (_emptied(each, _INITIAL_STRING_ROWS) for each in (self.encodings, self.gates))

    def ids(self, pages: Sequence[PageInput]) -> Ints:
        """Return the rows of each block's tag, name and text string, (3, blocks); new strings are encoded."""
        if self._used > MAX_CACHED_STRINGS:
            self._clear()
        kinds = ([page.tags for page in pages], [page.names for page in pages], [page.text for page in pages])
        ids = np.empty((len(kinds), sum(map(len, pages))), dtype=np.int64)
        for kind, strings in enumerate(kinds):
            if new := self._look_up(self._ids[kind], strings, ids[kind]):
                self._add(kind, new)
        return ids

    def _look_up(self, known: dict[WordString, int], pages: list[list[WordString]], out: Ints) -> list[WordString]:
        """Write the rows of strings; return the new ones, to which the next rows were assigned."""
        new: list[WordString] = []
        rows: list[int] = []
        for string in chain.from_iterable(pages):
            row = known.get(string)
            if row is None:
                row = known[string] = self._used + len(new)
                new.append(string)
            rows.append(row)
        out[:] = rows
        return new

    def _add(self, kind: int, new: list[WordString]) -> None:
        end = self._used + len(new)
        self.encodings, self.gates = (_with_rows(each, self._used, end) for each in (self.encodings, self.gates))
        rows = slice(self._used, end)
        self._encoders[kind].encode(new, self.encodings[rows])
        self._linears[kind].write(self.encodings[rows], self.gates[rows])
        self._used = end


class StringEncoder:
    """Encodes strings of one kind (0: tags, 1: names, 2: text) with a trained encoder. Not thread-safe."""

    def __init__(self, weights: Weights, kind: int, config: NetworkConfig, vectors: Vectors) -> None:
        layers = [f"encoders.{kind}.convolutions.{layer}" for layer in range(len(config.widths))]
        self._max_words = config.words
        self._layers = [_ConvLayer(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in layers]
        self._vectors = vectors
        self._words: dict[str, int] = {}  # ids from 1

    @property
    def size(self) -> int:
        """The number of filters, each of which contributes one value to an encoding."""
        return sum(layer.filters for layer in self._layers)

    def encode(self, strings: Sequence[WordString], out: Singles) -> None:
        """Write the encodings of the strings into ``out``, (strings, size)."""
        for begin, end in _batches(np.fromiter(map(len, strings), np.int64, len(strings))):
            if len(self._words) > MAX_CACHED_WORDS:
                self._clear()
            self._encode(strings[begin:end], out[begin:end])

    def _encode(self, strings: Sequence[WordString], out: Singles) -> None:
        begins = np.zeros(len(strings) + 1, dtype=np.int64)
        np.fromiter(map(len, strings), np.int64, len(strings)).cumsum(out=begins[1:])
        words = [*chain.from_iterable(strings)]
        if new := [word for word in dict.fromkeys(words) if word not in self._words]:
            self._words.update(zip(new, count(len(self._words) + 1), strict=False))
            vectors = self._vectors.matrix(new)
            for layer in self._layers:
                layer.add(vectors)
        word_ids = np.fromiter(map(self._words.__getitem__, words), np.int32, len(words))
        ends = np.cumsum([layer.filters for layer in self._layers])
        for layer, end in zip(self._layers, ends, strict=True):
            layer.write_maxima(word_ids, begins, self._max_words, out[:, end - layer.filters : end])

    def _clear(self) -> None:
        self._words = {}
        for layer in self._layers:
            layer.clear()


class _ConvLayer:
    """The filters of one width, with a table of their products with each word at each position in the window."""

    def __init__(self, weight: Singles, bias: Singles) -> None:
        """``weight``: (filters, dim, width), as in torch; ``bias``: (filters,)."""
        self.filters, dim, self.width = weight.shape
        self._is_compiled = can_pack(self.filters) and self.width <= network.max_kernel_width
        self._linear = PackedLinear(weight.transpose(1, 2, 0).reshape(dim, -1))
        self._bias = np.array(bias, dtype=np.float32)
        self._table = empty_aligned(_INITIAL_ROWS, self.width * self.filters)
        self.clear()

    def clear(self) -> None:
        """Remove all words but id 0, the padding, whose products are 0."""
        self._table = _emptied(self._table, _INITIAL_ROWS)
        self._table[0] = 0
        self._used = 1

    def add(self, vectors: Singles) -> None:
        """Add the products of the next words; ``vectors``: (words, dim)."""
        end = self._used + len(vectors)
        self._table = _with_rows(self._table, self._used, end)
        self._linear.write(vectors, self._table[self._used : end])
        self._used = end

    def write_maxima(self, word_ids: NDArray[np.int32], begins: Ints, max_words: int, out: Singles) -> None:
        """Write the maximum of each filter over the windows of each string, plus the bias, (strings, filters).

        ``word_ids``: (all words,), string by string; ``begins``: (strings + 1,), where each string begins; strings with
        fewer than ``max_words`` words are padded to this number. A window of only padding gives 0.
        """
        windows = max_words - self.width + 1
        if self._is_compiled:
            network.conv_max_pool(self._table, self.width, word_ids, begins, windows, self._bias, out)
            return
        lengths = np.diff(begins)
        place = np.arange(len(word_ids)) - np.repeat(begins[:-1], lengths)  # of each word in its string
        left = np.repeat(lengths, lengths) - place  # how many words the string has from there on
        products = self._table.reshape(len(self._table), self.width, -1)
        sums = products[word_ids, 0]  # of the windows that begin with each word
        for offset in range(1, self.width):
            inside = np.flatnonzero(left > offset)
            sums[inside] += products[word_ids[inside + offset], offset]
        sums[place >= windows] = -np.inf
        out[:] = np.where(lengths < windows, 0, -np.inf)[:, None]
        some = np.flatnonzero(lengths)
        if len(some):
            out[some] = np.maximum(out[some], np.maximum.reduceat(sums, begins[some], axis=0))
        out += self._bias


def _batches(lengths: Ints) -> Iterator[tuple[int, int]]:
    """Split strings of ``lengths``, (strings,), into batches of about _MAX_BATCH_WORDS words; yield their ranges."""
    ends = lengths.cumsum()
    begin = words_before = 0
    while begin < len(ends):
        end = min(int(ends.searchsorted(words_before + _MAX_BATCH_WORDS)) + 1, len(ends))
        yield begin, end
        begin, words_before = end, int(ends[end - 1])


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

    def states(self, gates: Singles) -> Singles:
        """Return twice the hidden states of torch's LSTM after each step, (steps, 2, hidden).

        ``gates``: (steps, 2, 4 * hidden), the inputs' contribution to the gates of each direction. With I = tanh(i / 2)
        and so on, the cell is c = ((1 + F) c + (1 + I) g) / 2, the output (1 + O) tanh(c).
        """
        states = np.empty((len(gates), 2, self.hidden), dtype=np.float32)
        state = cell = np.zeros((2, self.hidden), dtype=np.float32)
        for step, inputs in enumerate(gates):
            squashed = np.tanh(inputs + np.matmul(state[:, None], self.weight)[:, 0]).reshape(2, 4, -1)
            i, f, o, g = squashed.swapaxes(0, 1)
            cell = ((1 + f) * cell + (1 + i) * g) / 2
            states[step] = state = (1 + o) * np.tanh(cell)
        return states


def _rearrange(parameter: Singles) -> Floats:
    """Reorder the gates, which are i, f, g, o in torch, and halve the inputs of sigmoids."""
    i, f, g, o = np.split(parameter.astype(np.float64), 4)
    return np.concatenate([i / 2, f / 2, o / 2, g])


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


def _emptied(table: Singles, rows: int) -> Singles:
    """Return a table of its first size, ``rows``, for other contents: the memory of one that has grown is freed."""
    return table if len(table) == rows else empty_aligned(rows, table.shape[1])


def _with_rows(table: Singles, used: int, rows: int) -> Singles:
    """Return a table with at least this many rows, of which the ``used`` first are kept."""
    if rows <= len(table):
        return table
    larger = empty_aligned(rows + rows // 4, table.shape[1])  # doubling would need most memory when the table is full
    larger[:used] = table[:used]
    return larger
