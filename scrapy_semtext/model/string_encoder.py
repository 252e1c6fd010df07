"""The word encoder as it reads pages: what its filters answer to a word is worked out once for many pages.

`scrapy_semtext.model.network.WordEncoder` says what is computed, and training uses that one. Here each word keeps its
answers at every place of a filter's window, so that a window is a sum of rows, and a string the maximum of its windows.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.model.inputs import WordString
    from scrapy_semtext.model.network import WordEncoder
    from scrapy_semtext.model.vectors import Vectors

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

#: How many words a kind of strings remembers; it forgets all when there are more. A word takes 2 KB in `compact`.
REMEMBERED_WORDS = 12_000

# How many words of strings are encoded at once, at most but for the last string.
_AT_ONCE = 16_000


class StringEncoder:
    """Encodes strings of one kind (tags, names or text) with a trained encoder, on the CPU.

    The encoder's weights are copied. Not for several threads at once.
    """

    def __init__(self, encoder: WordEncoder, vectors: Vectors) -> None:
        layers = [layer for layer in encoder.convolutions if isinstance(layer, torch.nn.Conv1d)]
        # (dim, width, filters) each
        weights = [layer.weight.detach().cpu().permute(1, 2, 0).contiguous() for layer in layers]
        self._n = encoder.n
        self._reach = encoder.reach
        self._answers = [_Answers(weight) for weight in weights]
        self._bias = torch.cat([layer.bias.detach().cpu() for layer in layers if layer.bias is not None]).numpy()
        self._vectors = vectors
        self._words = _Numbered()

    @property
    def size(self) -> int:
        """Numbers that a string is encoded by."""
        return len(self._bias)

    def encode(self, strings: Sequence[WordString], out: Floats) -> None:
        """Write the encodings of the strings into ``out``, (strings, size)."""
        for begin, end in _stretches([len(string) for string in strings]):
            if len(self._words) > REMEMBERED_WORDS:
                self._forget()
            self._encode(strings[begin:end], out[begin:end])

    def _encode(self, strings: Sequence[WordString], out: Floats) -> None:
        lengths = np.fromiter(map(len, strings), np.int64, len(strings))
        total = int(lengths.sum())
        numbers = np.fromiter(map(self._words.__getitem__, chain.from_iterable(strings)), np.int64, total)
        self._learn()
        in_string, string = _positions(lengths)
        # the words of all strings, each string followed by as much padding as the widest filter can see
        line = np.zeros(total + (len(strings) + 1) * self._reach, dtype=np.int64)
        place = np.arange(total) + self._reach * string
        line[place] = numbers
        column = 0
        for answers in self._answers:
            windows = self._n - answers.width + 1  # of a string of n words
            real = in_string < windows
            begins, of_string = (place, string) if real.all() else (place[real], string[real])
            pooled = answers.pooled(line, begins, of_string, lengths < windows)
            out[:, column : column + answers.filters] = pooled
            column += answers.filters
        out += self._bias

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


class _Answers:
    """What the filters of one width answer to each word at each place of the window."""

    def __init__(self, weight: torch.Tensor) -> None:
        dim, self.width, self.filters = weight.shape
        self._weight = weight.reshape(dim, -1).numpy()
        self._places = np.arange(self.width)
        self.clear()

    def clear(self) -> None:
        """Forget all words but number 0, the padding, which no filter answers to."""
        self._table = np.zeros((1024, self.width * self.filters), dtype=np.float32)
        self._known = 1

    def add(self, vectors: Floats) -> None:
        """Work out the answers to the next words; ``vectors``: (words, dim)."""
        known = self._known + len(vectors)
        if known > len(self._table):
            # doubled, it would take most memory just when it is full
            larger = np.empty((known + known // 4, self._table.shape[1]), dtype=np.float32)
            larger[: self._known] = self._table[: self._known]
            self._table = larger
        np.matmul(vectors, self._weight, out=self._table[self._known : known])
        self._known = known

    def pooled(self, line: Places, begins: Places, of_string: Places, padded: NDArray[np.bool_]) -> Floats:
        """The highest answer to the windows of each string, (strings, filters).

        ``line`` are numbers of words, ``begins`` where windows begin in it, ``of_string`` the strings they are of;
        where ``padded``, (strings,), the string has a window of padding alone as well, to which the answer is 0.
        """
        windows = sliding_window_view(line * self.width, self.width)[begins]  # (windows, width)
        rows = np.add(windows, self._places, out=windows)
        table = torch.from_numpy(self._table).view(-1, self.filters)
        answers = functional.embedding_bag(torch.from_numpy(rows), table, mode="sum")  # (windows, filters)
        highest = torch.zeros(len(padded), self.filters)
        if not padded.all():
            highest[torch.from_numpy(~padded)] = -torch.inf
        strings = torch.from_numpy(of_string).unsqueeze(1).expand(-1, self.filters)
        pooled: Floats = highest.scatter_reduce_(0, strings, answers, "amax").numpy()
        return pooled


class _Numbered(dict[str, int]):
    """Numbers words from 1 as they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._new: list[str] = []

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self) + 1
        self._new.append(word)
        return number

    def take_new(self) -> list[str]:
        """Return the words that were numbered since the last time, in order."""
        new, self._new = self._new, []
        return new


def _stretches(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut strings of these lengths so that a stretch has _AT_ONCE words at most but for its last string."""
    begin = total = 0
    for index, length in enumerate(lengths, 1):
        total += length
        if total >= _AT_ONCE:
            yield begin, index
            begin, total = index, 0
    if begin < len(lengths):
        yield begin, len(lengths)


def _positions(lengths: Places) -> tuple[Places, Places]:
    """Where each word stands in its string, and the number of that string, (words,) each."""
    string = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths
    return np.arange(len(string)) - begins[string], string
