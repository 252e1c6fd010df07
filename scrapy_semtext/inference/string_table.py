"""A bounded cache of encoded strings and of what each adds to the gates of the LSTM."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.inference.packed_linear import PackedLinear, empty_aligned
from scrapy_semtext.inference.string_encoder import StringEncoder
from scrapy_semtext.utils.extensions import strings as compiled_strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import PageInput, WordString
    from scrapy_semtext.inference.lstm import Recurrence
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.inference.weights import Weights

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

#: The most strings of all kinds that are cached; beyond it, the cache is emptied before the next batch. A string takes
#: 6 KB in `compact`.
MAX_CACHED_STRINGS = 5_000

# Rows that are allocated at first, for the cached strings and those and the features of a batch. The operating system
# provides the memory of a row only when it is written. Tables that grew are allocated anew when they are emptied.
_ROWS = 2 * MAX_CACHED_STRINGS


class StringTable:
    """The strings of all kinds (tags, names, text) by row: their encodings and their parts of the gates."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors, recurrence: Recurrence) -> None:
        self._encoders = [StringEncoder(weights, kind, config, vectors) for kind in range(3)]
        ends = np.cumsum([encoder.size for encoder in self._encoders])
        #: (features, 2 * 4 * hidden): the part of the features.
        self.feature_weight: Floats
        *string_weights, self.feature_weight = np.split(recurrence.input_weight, ends)
        # every block has one string of tags, to which the bias is added
        biases = (recurrence.bias, None, None)
        self._linears = [PackedLinear(weight, bias) for weight, bias in zip(string_weights, biases, strict=True)]
        #: (rows, filters)
        self.encodings: Floats = np.empty((0, self._encoders[0].size), dtype=np.float32)
        #: (rows, 2 * 4 * hidden)
        self.gates: Floats = np.empty((0, len(recurrence.bias)), dtype=np.float32)
        self._clear()

    def _clear(self) -> None:
        self._ids: list[dict[WordString, int]] = [{} for _ in self._encoders]
        self._used = 0
        if len(self.gates) != _ROWS:
            self.encodings = empty_aligned(_ROWS, self.encodings.shape[1])
            self.gates = empty_aligned(_ROWS, self.gates.shape[1])

    def ids(self, pages: Sequence[PageInput]) -> Ints:
        """The rows of each block's tag, name and text string, (3, blocks); new strings are encoded."""
        if self._used > MAX_CACHED_STRINGS:
            self._clear()
        kinds = ([page.tags for page in pages], [page.names for page in pages], [page.text for page in pages])
        ids = np.empty((len(kinds), sum(map(len, pages))), dtype=np.int64)
        for kind, strings in enumerate(kinds):
            if new := self._look_up(self._ids[kind], strings, ids[kind]):
                self._add(kind, new)
        return ids

    def add_features(self, features: Floats) -> Ints:
        """Write the part of the features, (blocks, features), behind the strings, for this batch; return the rows."""
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
        """Let the tables have at least so many rows."""
        if rows <= len(self.gates):
            return
        rows += rows // 4  # doubling would need most memory just when the tables are full
        for name in ("encodings", "gates"):
            table = getattr(self, name)
            larger = empty_aligned(rows, table.shape[1])
            larger[: self._used] = table[: self._used]
            setattr(self, name, larger)
