"""The network on a CPU: computes the same as `scrapy_semtext.models.torch_network`, without torch, with less work.

The products of each word with the filters, at every position of their windows, are cached, so a window is a sum of rows
and a string the maximum of windows. Tag and name strings repeat within a page and across the pages of a site, so the
contribution of each string to the LSTM's gates is cached too. Pages are not padded: at each step of the LSTM, the pages
of a batch that have not ended are processed together in both directions, which is faster than torch's packed sequences
on a CPU. Only the difference between the scores of the two labels, the log-odds, is computed, because a CRF of two
labels needs no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from math import exp, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from scrapy_semtext.utils.extensions import network
from scrapy_semtext.utils.extensions import strings as compiled_strings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.models.config import NetworkConfig, PageInput, WordString
    from scrapy_semtext.models.storage import Weights
    from scrapy_semtext.models.vectors import Vectors
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

    Pass = Callable[[Sequence[float]], Iterator[float]]


_CACHE_LINE = 64  # bytes
_MAX_GATHERED_BYTES = 4 << 20  # of rows gathered at a time

# The maximum number of rows that OpenBLAS multiplies without packing the weights: 16 rows are a third faster in two
# parts.
_MAX_BLAS_ROWS = 8

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
        layout = BatchLayout.of(lengths)
        rows = np.vstack([ids, self._strings.add_features(features)]) if features.shape[1] else ids
        by_direction = np.empty((len(rows), 2 * rows.shape[1]), dtype=np.int64)
        by_direction[:, layout.forward] = 2 * rows  # each row of the table has the gates of both directions
        by_direction[:, layout.backward] = 2 * rows + 1
        table = self._strings.gates
        gates = sums_of_rows(table.reshape(2 * len(table), -1), by_direction)  # (2 * blocks, 4 * hidden)
        emissions = self._recurrence.run(gates, layout) @ self._emission_weight.T  # (2 * blocks, 2)
        return np.stack([emissions[layout.forward, 0], emissions[layout.backward, 1]])

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
        parts = [(encodings, rows) for rows in ids]
        if features.shape[1]:
            parts.append((features, np.arange(len(features))))
        pooled = [_sum_and_max(table, rows, np.cumsum(lengths)) for table, rows in parts]
        means, maxima = (np.concatenate(each, axis=1) for each in zip(*pooled, strict=True))  # (pages, inputs)
        means /= lengths[:, None].astype(np.float32)
        vector: Singles = np.tanh(np.concatenate([means, maxima], axis=1) @ self._weight + self._bias)
        return vector.astype(np.float64)


def _sum_and_max(table: Singles, rows: Ints, ends: Ints) -> tuple[Singles, Singles]:
    """Return the sums and the maxima over the blocks of each page, (pages, columns) each.

    ``rows``: (blocks,), indexes into ``table``; ``ends``: (pages,), where each page ends in ``rows``.
    """
    if network is not None:
        sums, maxima = (np.empty((len(ends), table.shape[1]), dtype=np.float32) for _ in range(2))
        network.sum_and_max(table, rows, ends, sums, maxima)
        return sums, maxima
    pages = np.split(table[rows], ends[:-1])
    return np.array([page.sum(0) for page in pages]), np.array([page.max(0) for page in pages])


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
        (self._t00, self._t01), (self._t10, self._t11) = transitions.tolist()
        (start, end) = (np.diff(weights[name].astype(np.float64)) for name in ("crf.start", "crf.end"))
        self._start = float(start.clip(-_MAX_TRANSITION, _MAX_TRANSITION)[0])
        self._end = float(end.clip(-_MAX_TRANSITION, _MAX_TRANSITION)[0])

    def marginals(self, emissions: Floats, ends: Ints) -> Floats:
        """Return the log-odds of the marginal probabilities of label 1, (blocks,).

        ``emissions``: (blocks,); ``ends``: (pages,), where each page (a separate chain) ends in it.
        """
        odds = np.exp(np.clip(emissions, -_MAX_EMISSION, _MAX_EMISSION))
        if network is None:
            forward, backward = _by_page(odds, ends, self._forward_sums, self._backward_sums)
        else:
            forward, backward = np.empty((2, len(odds)))
            factors = np.exp(self._transitions)
            network.chain_sums(odds, ends, factors, exp(self._start), exp(self._end), forward, backward)
        log_odds: Floats = np.log(forward) + np.log(backward)
        return log_odds

    def viterbi(self, emissions: Floats, ends: Ints) -> Bools:
        """Return where the best label sequence of each page has label 1, (blocks,); arguments as in `marginals`.

        A label is in the best sequence if the best sequence through it has the highest score; ties go to label 0.
        """
        if network is None:
            forward, backward = _by_page(emissions, ends, self._forward_maxima, self._backward_maxima)
        else:
            forward, backward = np.empty((2, len(emissions)))
            network.chain_maxima(emissions, ends, self._transitions, self._start, self._end, forward, backward)
        best: Bools = forward + backward > 0
        return best

    def _forward_sums(self, odds: Sequence[float]) -> Iterator[float]:
        """Yield the forward variables as odds: sums over all prefixes that end at each block, including the block."""
        a, b, c, d = exp(self._t01), exp(self._t11), exp(self._t00), exp(self._t10)
        value = None
        for emission in odds:
            value = emission * (exp(self._start) if value is None else (a + b * value) / (c + d * value))
            yield value

    def _backward_sums(self, odds: Sequence[float]) -> Iterator[float]:
        """Yield the backward variables as odds, from the last block to the first: sums over all suffixes after each."""
        a, b, c, d = exp(self._t10), exp(self._t11), exp(self._t00), exp(self._t01)
        value = exp(self._end)
        for emission in reversed(odds):
            yield value
            value *= emission
            value = (a + b * value) / (c + d * value)

    def _forward_maxima(self, emissions: Sequence[float]) -> Iterator[float]:
        """Yield the forward variables with maxima instead of sums, in logarithms."""
        t00, t01, t10, t11 = self._t00, self._t01, self._t10, self._t11
        value = None
        for emission in emissions:
            value = emission + (self._start if value is None else max(t01, t11 + value) - max(t00, t10 + value))
            yield value

    def _backward_maxima(self, emissions: Sequence[float]) -> Iterator[float]:
        t00, t01, t10, t11 = self._t00, self._t01, self._t10, self._t11
        value = self._end
        for emission in reversed(emissions):
            yield value
            value += emission
            value = max(t10, t11 + value) - max(t00, t01 + value)


def _by_page(values: Floats, ends: Ints, forward: Pass, backward: Pass) -> tuple[Floats, Floats]:
    """Run one pass forward and one backward over each page; return the values at each block, (blocks,)."""
    pages = [page.tolist() for page in np.split(values, ends[:-1])]
    return (
        np.array([value for page in pages for value in forward(page)]),
        np.array([value for page in pages for value in reversed([*backward(page)])]),
    )


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

    def add_features(self, features: Singles) -> Ints:
        """Write the contribution of the features, (blocks, features), of a batch after the strings; return the rows."""
        end = self._used + len(features)
        self._reserve(end)
        np.matmul(features, self.feature_weight, out=self.gates[self._used : end])
        return np.arange(self._used, end)

    def _look_up(self, known: dict[WordString, int], pages: list[list[WordString]], out: Ints) -> list[WordString]:
        """Write the rows of strings; return the new ones, to which the next rows were assigned."""
        if compiled_strings is not None:
            new: list[WordString] = compiled_strings.string_ids(known, pages, self._used, out)
            return new
        new, rows = [], []
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
        self._reserve(end)
        rows = slice(self._used, end)
        self._encoders[kind].encode(new, self.encodings[rows])
        self._linears[kind].write(self.encodings[rows], self.gates[rows])
        self._used = end

    def _reserve(self, rows: int) -> None:
        """Ensure that the tables have at least this many rows."""
        self.encodings, self.gates = (_with_rows(each, self._used, rows) for each in (self.encodings, self.gates))


class StringEncoder:
    """Encodes strings of one kind (0: tags, 1: names, 2: text) with a trained encoder. Not thread-safe."""

    def __init__(self, weights: Weights, kind: int, config: NetworkConfig, vectors: Vectors) -> None:
        layers = [f"encoders.{kind}.convolutions.{layer}" for layer in range(len(config.widths))]
        self._max_words = config.words
        self._padding = max(config.widths) - 1
        self._layers = [_ConvLayer(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in layers]
        self._vectors = vectors
        self._words = _WordIds()

    @property
    def size(self) -> int:
        """The number of filters, each of which contributes one value to an encoding."""
        return sum(layer.filters for layer in self._layers)

    def encode(self, strings: Sequence[WordString], out: Singles) -> None:
        """Write the encodings of the strings into ``out``, (strings, size)."""
        for begin, end in _batches(np.fromiter(map(len, strings), np.int64, len(strings))):
            if len(self._words) > MAX_CACHED_WORDS:
                self._clear()
            if all(layer.is_compiled for layer in self._layers):
                self._encode_compiled(strings[begin:end], out[begin:end])
            else:
                self._encode_numpy(strings[begin:end], out[begin:end])

    def _encode_compiled(self, strings: Sequence[WordString], out: Singles) -> None:
        begins = np.zeros(len(strings) + 1, dtype=np.int64)
        np.fromiter(map(len, strings), np.int64, len(strings)).cumsum(out=begins[1:])
        word_ids = self._words.ids(strings, int(begins[-1]))  # (all words,)
        self._add_new_words()
        ends = np.cumsum([layer.filters for layer in self._layers])
        for layer, end in zip(self._layers, ends, strict=True):
            layer.write_maxima(word_ids, begins, self._max_words, out[:, end - layer.filters : end])

    def _encode_numpy(self, strings: Sequence[WordString], out: Singles) -> None:
        """Process the first words of all strings, then the second ones, and so on, longest strings first."""
        order = sorted(range(len(strings)), key=lambda index: -len(strings[index]))
        columns = self._columns([strings[index] for index in order])
        self._add_new_words()
        maxima = [layer.maxima(columns, self._max_words - layer.width + 1) for layer in self._layers]
        out[order] = np.concatenate(maxima, axis=1)

    def _columns(self, strings: Sequence[WordString]) -> _WordColumns:
        """Lay out strings, the longest first, with the padding that the widest filter needs."""
        lengths = np.fromiter(map(len, strings), np.int64, len(strings))
        word_ids = self._words.ids(strings, lengths.sum())
        is_word = np.arange(lengths[0]) < lengths[:, None]  # (strings, positions)
        ids = np.zeros((len(strings), lengths[0] + self._padding), dtype=np.int64)
        ids[:, : lengths[0]][is_word] = word_ids
        return _WordColumns(len(strings), ids.T.ravel(), np.flatnonzero(is_word.T), is_word.sum(0))

    def _add_new_words(self) -> None:
        if new := self._words.take_new():
            vectors = self._vectors.matrix(new)
            for layer in self._layers:
                layer.add(vectors)

    def _clear(self) -> None:
        self._words = _WordIds()
        for layer in self._layers:
            layer.clear()


class _WordColumns(NamedTuple):
    """Strings of words, the longest first.

    ``strings``: their number; ``ids``: (positions * strings,), word ids, the first words of all strings first, 0 for
    padding; ``indexes``: (all words,), the indexes of words in ``ids``; ``counts``: (positions,), how many strings have
    a word at each position.
    """

    strings: int
    ids: Ints
    indexes: Ints
    counts: Ints


class _ConvLayer:
    """The filters of one width, with a table of their products with each word at each position in the window."""

    def __init__(self, weight: Singles, bias: Singles) -> None:
        """``weight``: (filters, dim, width), as in torch; ``bias``: (filters,)."""
        self.filters, dim, self.width = weight.shape
        self._linear = PackedLinear(weight.transpose(1, 2, 0).reshape(dim, -1))
        self._bias = np.array(bias, dtype=np.float32)
        self._table = empty_aligned(_INITIAL_ROWS, self.width * self.filters)
        self.clear()

    @property
    def is_compiled(self) -> bool:
        """Whether `write_maxima` supports these filters."""
        return can_pack(self.filters) and self.width <= network.max_kernel_width

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
        """Write the result of `maxima` into ``out``, (strings, filters), using the compiled kernel.

        ``word_ids``: (all words,), string by string; ``begins``: (strings + 1,), where each string begins.
        """
        network.conv_max_pool(self._table, self.width, word_ids, begins, max_words - self.width + 1, self._bias, out)

    def maxima(self, columns: _WordColumns, windows: int) -> Singles:
        """Return the maximum of each filter over the windows of each string, plus the bias, (strings, filters).

        ``windows``: the number of windows of a string padded to full length. Strings with fewer words have windows of
        only padding, for which a filter gives 0.
        """
        counts = columns.counts[:windows].tolist()
        begins = columns.indexes[: sum(counts)]
        words = [columns.ids[begins + columns.strings * index] for index in range(self.width)]
        rows = np.stack([ids * self.width + index for index, ids in enumerate(words)])  # (width, windows)
        products = sums_of_rows(self._table.reshape(-1, self.filters), rows)  # (windows, filters)
        full = counts[-1] if len(counts) == windows else 0
        maxima = np.zeros((columns.strings, self.filters), dtype=np.float32)
        maxima[:full] = -np.inf
        begin = 0
        for count in counts:
            np.maximum(maxima[:count], products[begin : begin + count], out=maxima[:count])
            begin += count
        return maxima + self._bias


class _WordIds(dict[str, int]):
    """Ids of words, assigned from 1 as they are looked up."""

    def __init__(self) -> None:
        super().__init__()
        self._new: list[str] = []

    def __missing__(self, word: str) -> int:
        word_id = self[word] = len(self) + 1
        self._new.append(word)
        return word_id

    def ids(self, strings: Sequence[WordString], count: int) -> NDArray[np.int32]:
        """Return the ids of all words of the strings, (count,)."""
        if compiled_strings is None:
            return np.fromiter(map(self.__getitem__, chain.from_iterable(strings)), np.int32, count)
        ids = np.empty(count, dtype=np.int32)
        self._new += compiled_strings.word_ids(self, strings, ids)
        return ids

    def take_new(self) -> list[str]:
        """Return the words added since the last call, in order."""
        new, self._new = self._new, []
        return new


def _batches(lengths: Ints) -> Iterator[tuple[int, int]]:
    """Split strings of ``lengths``, (strings,), into batches of about _MAX_BATCH_WORDS words; yield their ranges."""
    ends = lengths.cumsum()
    begin = words_before = 0
    while begin < len(ends):
        end = min(int(ends.searchsorted(words_before + _MAX_BATCH_WORDS)) + 1, len(ends))
        yield begin, end
        begin, words_before = end, int(ends[end - 1])


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
        parts = [slice(page, page + _MAX_BLAS_ROWS) for page in range(0, cell.shape[1], _MAX_BLAS_ROWS)]
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


def sums_of_rows(table: Singles, indexes: Ints) -> Singles:
    """Return sums of rows of a table, (sums, columns), float32.

    ``table``: (rows, columns); ``indexes``: (addends, sums), C-contiguous row indexes; at least one addend.
    """
    count = indexes.shape[1]
    sums = np.empty((count, table.shape[1]), dtype=np.float32)
    step = max(_MAX_GATHERED_BYTES // table[:1].nbytes, 1)
    gathered = np.empty((min(step, count), table.shape[1]), dtype=np.float32)
    for begin in range(0, count, step):
        part = slice(begin, begin + step)
        part_sums = sums[part]
        # mode "clip" avoids a copy; all indexes are in range
        np.take(table, indexes[0, part], axis=0, out=part_sums, mode="clip")
        for addends in indexes[1:]:
            np.take(table, addends[part], axis=0, out=gathered[: len(part_sums)], mode="clip")
            np.add(part_sums, gathered[: len(part_sums)], out=part_sums)
    return sums
