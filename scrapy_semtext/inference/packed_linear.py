"""Products with a constant matrix, packed for the compiled kernel."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_CACHE_LINE = 64  # bytes


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
