"""Products with a matrix that stays the same."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.compiled import network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


_LINE = 64  # bytes


class Product:
    """Rows times a matrix, plus a bias.

    What is compiled takes the columns in panels: numpy's library knows fewer processors' vector units.
    """

    def __init__(self, matrix: Floats, bias: Floats | None = None) -> None:
        """``matrix``: (inner, columns); ``bias``: (columns,)."""
        self._matrix = np.array(matrix, dtype=np.float32, order="C")
        self._bias = bias
        self._given = np.zeros(matrix.shape[1], dtype=np.float32) if bias is None else bias
        self._panels = in_panels(self._matrix) if can_be_cut(matrix.shape[1]) else None

    def write(self, rows: Floats, out: Floats) -> None:
        """Write the products of ``rows``, (rows, inner), to ``out``, (rows, columns), each in one piece of memory."""
        if self._panels is not None:
            network.product(self._given, rows, self._panels, out)
            return
        np.matmul(rows, self._matrix, out=out)
        if self._bias is not None:
            out += self._bias


def can_be_cut(columns: int) -> bool:
    """Whether `in_panels` can be had of a matrix of so many columns."""
    return network is not None and not columns % network.lanes


def in_panels(matrix: Floats) -> Floats:
    """Order a matrix, (inner, columns), as what is compiled reads it: some columns after the others, flat."""
    panels = [matrix[:, begin : begin + network.panel].ravel() for begin in range(0, matrix.shape[1], network.panel)]
    return np.concatenate(panels, out=in_lines(matrix.size))


def in_lines(*shape: int) -> Floats:
    """An array that is not filled yet and begins where a line of the processor's cache does, which is read faster."""
    memory = np.empty(4 * prod(shape) + _LINE, dtype=np.uint8)
    begin = -memory.ctypes.data % _LINE
    return memory[begin : begin + 4 * prod(shape)].view(np.float32).reshape(shape)
