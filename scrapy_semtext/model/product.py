"""Products with a matrix that stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.compiled import network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Product:
    """Rows times a matrix, plus a bias.

    What is compiled takes the columns in tiles: numpy's library knows fewer processors' vector units.
    """

    def __init__(self, matrix: Floats, bias: Floats | None = None) -> None:
        """``matrix``: (inner, columns); ``bias``: (columns,)."""
        self._matrix = np.array(matrix, dtype=np.float32, order="C")
        self._bias = bias
        self._given = np.zeros(matrix.shape[1], dtype=np.float32) if bias is None else bias
        self._tiles = tiled(self._matrix) if can_be_tiled(matrix.shape[1]) else None

    def write(self, rows: Floats, out: Floats) -> None:
        """Write the products of ``rows``, (rows, inner), to ``out``, (rows, columns), each in one piece of memory."""
        if self._tiles is not None:
            network.product(self._given, rows, self._tiles, out)
            return
        np.matmul(rows, self._matrix, out=out)
        if self._bias is not None:
            out += self._bias


def can_be_tiled(columns: int) -> bool:
    """Whether `tiled` can be had of a matrix of so many columns."""
    return network is not None and not columns % network.lanes


def tiled(matrix: Floats) -> Floats:
    """Order a matrix, (inner, columns), as what is compiled reads it: (columns / lanes, inner, lanes)."""
    inner, columns = matrix.shape
    tiles = matrix.reshape(inner, columns // network.lanes, network.lanes).transpose(1, 0, 2)
    return np.ascontiguousarray(tiles, dtype=np.float32)
