"""The word encoder on a CPU, with a cache of the filter responses of each word.

It computes the same as `scrapy_semtext.inference.torch_network.WordEncoder`. The products of each word with the
filters, at every position of their windows, are cached, so a window is a sum of rows and a string the maximum of
windows.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.inference.layers import PackedLinear, Recurrence, can_pack, empty_aligned, sums_of_rows
from scrapy_semtext.utils.extensions import network
from scrapy_semtext.utils.extensions import strings as compiled_strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.block_inputs import PageInput, WordString
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.storage import Weights
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.utils.arrays import Ints, Singles

#: The maximum number of words that an encoder caches; above it, the cache is emptied. A word takes 2 KB in `compact`.
MAX_CACHED_WORDS = 6_000

# The number of rows that are allocated at first, for the cached words and the new ones of a batch. The operating system
# provides the memory of a row only when it is written. Tables that have grown are reallocated when they are emptied.
_ROWS = 2 * MAX_CACHED_WORDS

# The maximum number of words of strings that are encoded at a time; the last string may exceed it.
_BATCH_WORDS = 16_000


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
        order = sorted(range(len(strings)), key=lambda place: -len(strings[place]))
        columns = self._columns([strings[place] for place in order])
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
    padding; ``places``: (all words,), the indexes of words in ``ids``; ``counts``: (positions,), how many strings have
    a word at each position.
    """

    strings: int
    ids: Ints
    places: Ints
    counts: Ints


class _ConvLayer:
    """The filters of one width, with a table of their products with each word at each position in the window."""

    def __init__(self, weight: Singles, bias: Singles) -> None:
        """``weight``: (filters, dim, width), as in torch; ``bias``: (filters,)."""
        self.filters, dim, self.width = weight.shape
        self._linear = PackedLinear(weight.transpose(1, 2, 0).reshape(dim, -1))
        self._bias = np.array(bias, dtype=np.float32)
        self._table = empty_aligned(0, self.width * self.filters)
        self.clear()

    @property
    def is_compiled(self) -> bool:
        """Whether `write_maxima` supports these filters."""
        return can_pack(self.filters) and self.width <= network.max_kernel_width

    def clear(self) -> None:
        """Remove all words but id 0, the padding, whose products are 0."""
        if len(self._table) != _ROWS:
            self._table = empty_aligned(_ROWS, self._table.shape[1])
        self._table[0] = 0
        self._used = 1

    def add(self, vectors: Singles) -> None:
        """Add the products of the next words; ``vectors``: (words, dim)."""
        end = self._used + len(vectors)
        if end > len(self._table):
            # doubling would need most memory just when the table is full
            larger = empty_aligned(end + end // 4, self._table.shape[1])
            larger[: self._used] = self._table[: self._used]
            self._table = larger
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
        begins = columns.places[: sum(counts)]
        words = [columns.ids[begins + columns.strings * place] for place in range(self.width)]
        rows = np.stack([ids * self.width + place for place, ids in enumerate(words)])  # (width, windows)
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
    """Split strings of ``lengths``, (strings,), into batches of about _BATCH_WORDS words; yield their ranges."""
    ends = lengths.cumsum()
    begin = words_before = 0
    while begin < len(ends):
        end = min(int(ends.searchsorted(words_before + _BATCH_WORDS)) + 1, len(ends))
        yield begin, end
        begin, words_before = end, int(ends[end - 1])


#: The maximum number of cached strings of all kinds; above it, the cache is emptied before the next batch. A string
#: takes 6 KB in `compact`.
MAX_CACHED_STRINGS = 5_000

# The number of rows that are allocated at first, for the cached strings and those of a batch and its features. The
# operating system provides the memory of a row only when it is written. Tables that have grown are reallocated when
# they are emptied.
_STRING_ROWS = 2 * MAX_CACHED_STRINGS


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
        self.encodings: Singles = np.empty((0, self._encoders[0].size), dtype=np.float32)
        #: (rows, 2 * 4 * hidden)
        self.gates: Singles = np.empty((0, len(recurrence.bias)), dtype=np.float32)
        self._clear()

    def _clear(self) -> None:
        self._ids: list[dict[WordString, int]] = [{} for _ in self._encoders]
        self._used = 0
        if len(self.gates) != _STRING_ROWS:
            self.encodings = empty_aligned(_STRING_ROWS, self.encodings.shape[1])
            self.gates = empty_aligned(_STRING_ROWS, self.gates.shape[1])

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
        if rows <= len(self.gates):
            return
        rows += rows // 4  # doubling would need most memory just when the tables are full
        for name in ("encodings", "gates"):
            table = getattr(self, name)
            larger = empty_aligned(rows, table.shape[1])
            larger[: self._used] = table[: self._used]
            setattr(self, name, larger)
