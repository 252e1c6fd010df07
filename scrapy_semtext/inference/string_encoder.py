"""The word encoder as it reads pages: what its filters answer to a word is worked out once for many pages.

`scrapy_semtext.inference.torch_network.WordEncoder` says what is computed, and training uses that one. Here each word keeps its
answers at every place of a filter's window, so that a window is a sum of rows, and a string the maximum of its windows.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.inference.packed_linear import PackedLinear, can_be_cut, in_lines
from scrapy_semtext.inference.sums import sums_of_rows
from scrapy_semtext.utils.extensions import network
from scrapy_semtext.utils.extensions import strings as compiled_strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import WordString
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.inference.weights import Weights

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

#: How many words a kind of strings remembers; it forgets all when there are more. A word takes 2 KB in `compact`.
REMEMBERED_WORDS = 6_000

# The rows that the tables have from the start: for the words that are remembered, and for new ones of a batch. The
# system gives memory to a row only when it is written. Tables that had to be made larger are made anew when emptied.
_ROWS = 2 * REMEMBERED_WORDS

# How many words of strings are encoded at once, at most but for the last string.
_AT_ONCE = 16_000


class StringEncoder:
    """Encodes strings of one kind (0: tags, 1: names, 2: text) with a trained encoder, on the CPU.

    Not for several threads at once.
    """

    def __init__(self, weights: Weights, kind: int, config: NetworkConfig, vectors: Vectors) -> None:
        layers = [f"encoders.{kind}.convolutions.{layer}" for layer in range(len(config.widths))]
        self._n = config.words
        self._reach = max(config.widths) - 1
        self._answers = [_Answers(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in layers]
        self._vectors = vectors
        self._words = _Numbered()

    @property
    def size(self) -> int:
        """Numbers that a string is encoded by."""
        return sum(answers.filters for answers in self._answers)

    def encode(self, strings: Sequence[WordString], out: Floats) -> None:
        """Write the encodings of the strings into ``out``, (strings, size)."""
        for begin, end in _stretches(np.fromiter(map(len, strings), np.int64, len(strings))):
            if len(self._words) > REMEMBERED_WORDS:
                self._forget()
            self._encode(strings[begin:end], out[begin:end])

    def _encode(self, strings: Sequence[WordString], out: Floats) -> None:
        if all(answers.compiled for answers in self._answers):
            self._encode_compiled(strings, out)
        else:
            self._encode_by_position(strings, out)

    def _encode_compiled(self, strings: Sequence[WordString], out: Floats) -> None:
        """String by string."""
        begins = np.zeros(len(strings) + 1, dtype=np.int64)
        np.fromiter(map(len, strings), np.int64, len(strings)).cumsum(out=begins[1:])
        words = self._words.numbers(strings, int(begins[-1]))
        self._learn()
        ends = np.cumsum([answers.filters for answers in self._answers])
        for answers, end in zip(self._answers, ends, strict=True):
            answers.write_highest(words, begins, self._n, out[:, end - answers.filters : end])

    def _encode_by_position(self, strings: Sequence[WordString], out: Floats) -> None:
        """All strings' first words, then their second ones, and so on: numpy has no other way to do many at once."""
        order = sorted(range(len(strings)), key=lambda place: -len(strings[place]))
        lines = self._lines([strings[place] for place in order])
        self._learn()
        pooled = [answers.pooled(lines, self._n - answers.width + 1) for answers in self._answers]
        out[order] = np.concatenate(pooled, axis=1)

    def _lines(self, strings: Sequence[WordString]) -> _Lines:
        """Lay out strings, the longest first, as columns, each with as much padding as the widest filter can see."""
        lengths = np.fromiter(map(len, strings), np.int64, len(strings))
        numbers = self._words.numbers(strings, lengths.sum())
        filled = np.arange(lengths[0]) < lengths[:, None]
        words = np.zeros((len(strings), lengths[0] + self._reach), dtype=np.int64)
        words[:, : lengths[0]][filled] = numbers
        return _Lines(len(strings), words.T.ravel(), np.flatnonzero(filled.T), filled.sum(0))

    def _learn(self) -> None:
        """Work out the answers to the words that were met for the first time."""
        if new := self._words.take_new():
            vectors = self._vectors.matrix(new)
            for answers in self._answers:
                answers.add(vectors)

    def _forget(self) -> None:
        self._words = _Numbered()
        for answers in self._answers:
            answers.clear()


class _Lines(NamedTuple):
    """Strings of words, the longest first.

    ``strings``: their number; ``words``: (positions * strings,) numbers of words, first those of all strings' first
    words, 0 behind a string's end; ``places``: (all words,) where in it there are words; ``counts``: (positions,) how
    many strings are that long.
    """

    strings: int
    words: Places
    places: Places
    counts: Places


class _Answers:
    """What the filters of one width answer to each word at each place of the window."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        """``weight``: (filters, dim, width), as torch has it; ``bias``: (filters,)."""
        self.filters, dim, self.width = weight.shape
        self._product = PackedLinear(weight.transpose(1, 2, 0).reshape(dim, -1), rounding="halves")
        self._bias = np.array(bias, dtype=np.float32)
        self._table = in_lines(0, self.width * self.filters)
        self.clear()

    @property
    def compiled(self) -> bool:
        """Whether `write_highest` can be had."""
        return can_be_cut(self.filters) and self.width <= network.widest

    def clear(self) -> None:
        """Forget all words but number 0, the padding, which no filter answers to."""
        if len(self._table) != _ROWS:
            self._table = in_lines(_ROWS, self._table.shape[1])
        self._table[0] = 0
        self._known = 1

    def add(self, vectors: Floats) -> None:
        """Work out the answers to the next words; ``vectors``: (words, dim)."""
        known = self._known + len(vectors)
        if known > len(self._table):
            # doubled, it would take most memory just when it is full
            larger = in_lines(known + known // 4, self._table.shape[1])
            larger[: self._known] = self._table[: self._known]
            self._table = larger
        self._product.write(vectors, self._table[self._known : known])
        self._known = known

    def write_highest(self, words: NDArray[np.int32], begins: Places, most: int, out: Floats) -> None:
        """Write what `pooled` gives for strings one behind the other, (strings, filters).

        ``words``: (all words,) their numbers; ``begins``: (strings + 1,); ``most``: the words of a full string.
        """
        network.highest_of_windows(self._table, self.width, words, begins, most - self.width + 1, self._bias, out)

    def pooled(self, lines: _Lines, windows: int) -> Floats:
        """The highest answer to the windows of each string plus the bias, (strings, filters).

        ``windows`` is how many a string has that is filled up with padding; where it has that many words itself there
        is no window of padding alone, to which the answer is 0.
        """
        counts = lines.counts[:windows].tolist()
        begins = lines.places[: sum(counts)]
        words = [lines.words[begins + lines.strings * at] for at in range(self.width)]
        rows = np.stack([numbers * self.width + at for at, numbers in enumerate(words)])
        answers = sums_of_rows(self._table.reshape(-1, self.filters), rows)
        whole = counts[-1] if len(counts) == windows else 0
        highest = np.zeros((lines.strings, self.filters), dtype=np.float32)
        highest[:whole] = -np.inf
        begin = 0
        for count in counts:
            np.maximum(highest[:count], answers[begin : begin + count], out=highest[:count])
            begin += count
        return highest + self._bias


class _Numbered(dict[str, int]):
    """Numbers words from 1 as they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._new: list[str] = []

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self) + 1
        self._new.append(word)
        return number

    def numbers(self, strings: Sequence[WordString], count: int) -> NDArray[np.int32]:
        """The numbers of all words of the strings, of which there are ``count``."""
        if compiled_strings is None:
            return np.fromiter(map(self.__getitem__, chain.from_iterable(strings)), np.int32, count)
        numbers = np.empty(count, dtype=np.int32)
        self._new += compiled_strings.numbers_of(self, strings, numbers)
        return numbers

    def take_new(self) -> list[str]:
        """Return the words that were numbered since the last time, in order."""
        new, self._new = self._new, []
        return new


def _stretches(lengths: Places) -> Iterator[tuple[int, int]]:
    """Cut strings of these lengths so that a stretch has _AT_ONCE words at most but for its last string."""
    ends = lengths.cumsum()
    begin = before = 0
    while begin < len(ends):
        end = min(int(ends.searchsorted(before + _AT_ONCE)) + 1, len(ends))
        yield begin, end
        begin, before = end, int(ends[end - 1])
