"""Products with a constant matrix, packed for the compiled kernel, and sums of its rows."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_CACHE_LINE = 64  # bytes
_BATCH_BYTES = 4 << 20  # of rows that are gathered at a time


class PackedLinear:
    """Rows times a constant matrix plus a bias.

    The matrix is packed into panels for the compiled kernel, which is faster than numpy's BLAS for few rows; numpy is
    used for a number of columns that the kernel does not support.
    """

    def __init__(self, matrix: Floats, bias: Floats | None = None) -> None:
        """``matrix``: (inner, columns); ``bias``: (columns,), 0 by default."""
        self._matrix = np.array(matrix, dtype=np.float32, order="C")
        self._bias = np.zeros(matrix.shape[1], dtype=np.float32) if bias is None else bias
        self._panels = pack(self._matrix) if can_pack(matrix.shape[1]) else None

    def write(self, rows: Floats, out: Floats) -> None:
        """Write the products of ``rows``, (rows, inner), into ``out``, (rows, columns); both C-contiguous."""
        if self._panels is not None:
            network.linear(self._bias, rows, self._panels, out)
        else:
            np.matmul(rows, self._matrix, out=out)
            out += self._bias


def can_pack(columns: int) -> bool:
    """Whether the compiled kernels support a matrix of so many columns."""
    return network is not None and not columns % network.lanes


def pack(matrix: Floats) -> Floats:
    """Pack a matrix, (inner, columns), into panels of columns, one behind the other: (inner * columns,)."""
    panels = [matrix[:, begin : begin + network.panel].ravel() for begin in range(0, matrix.shape[1], network.panel)]
    return np.concatenate(panels, out=empty_aligned(matrix.size))


def empty_aligned(*shape: int) -> Floats:
    """Return an uninitialized float32 array that begins at a cache line, which is read faster."""
    memory = np.empty(4 * prod(shape) + _CACHE_LINE, dtype=np.uint8)
    begin = -memory.ctypes.data % _CACHE_LINE
    return memory[begin : begin + 4 * prod(shape)].view(np.float32).reshape(shape)


def sums_of_rows(table: NDArray[np.float32], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """Sums of rows of a table, (sums, columns), float32.

    ``table``: (rows, columns); ``places``: (addends, sums), C-contiguous, row numbers; at least one addend.
    """
    count = places.shape[1]
    sums = np.empty((count, table.shape[1]), dtype=np.float32)
    step = max(_BATCH_BYTES // table[:1].nbytes, 1)
    gathered = np.empty((min(step, count), table.shape[1]), dtype=np.float32)
    for begin in range(0, count, step):
        part = slice(begin, begin + step)
        part_sums = sums[part]
        # mode "clip" avoids a copy; no place is outside the table
        np.take(table, places[0, part], axis=0, out=part_sums, mode="clip")
        for addends in places[1:]:
            np.take(table, addends[part], axis=0, out=gathered[: len(part_sums)], mode="clip")
            np.add(part_sums, gathered[: len(part_sums)], out=part_sums)
    return sums
