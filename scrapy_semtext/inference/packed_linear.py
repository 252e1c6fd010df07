"""Products with a matrix that stays the same."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Number = TypeVar("Number", np.float32, np.uint32)

#: What numbers may be rounded to before they are multiplied, where the processor is faster then: bfloat16 ("halves"),
#: or whole numbers from -127 to 127, times a factor for each row and each column ("bytes").
Rounding = Literal["halves", "bytes"]

_LINE = 64  # bytes
_HALVES = 32  # how many numbers in bfloat16 are rounded at once
_BYTES, _LARGEST = 16, 127  # likewise of whole numbers, and the largest of these


class PackedLinear:
    """Rows times a matrix, plus a bias.

    What is compiled takes the columns in panels: numpy's library knows fewer processors' vector units.
    """

    def __init__(self, matrix: Floats, bias: Floats | None = None, rounding: Rounding | None = None) -> None:
        """``matrix``: (inner, columns); ``bias``: (columns,); ``rounding``: what will do."""
        self._matrix = np.array(matrix, dtype=np.float32, order="C")
        self._bias = bias
        self._given = np.zeros(matrix.shape[1], dtype=np.float32) if bias is None else bias
        self._panels = self._halves = self._bytes = None
        if rounding == "bytes" and _can_be_bytes(*matrix.shape):
            self._bytes = _in_bytes(self._matrix)
        elif rounding == "halves" and can_be_halved(*matrix.shape):
            self._halves = in_panels(in_halves(self._matrix))
        elif can_be_cut(matrix.shape[1]):
            self._panels = in_panels(self._matrix)

    def write(self, rows: Floats, out: Floats) -> None:
        """Write the products of ``rows``, (rows, inner), to ``out``, (rows, columns), each in one piece of memory."""
        if self._bytes is not None:
            network.product_of_bytes(self._given, rows, *self._bytes, out)
        elif self._halves is not None:
            network.product_of_halves(self._given, rows, self._halves, out)
        elif self._panels is not None:
            network.product(self._given, rows, self._panels, out)
        else:
            np.matmul(rows, self._matrix, out=out)
            if self._bias is not None:
                out += self._bias


def can_be_cut(columns: int) -> bool:
    """Whether `in_panels` can be had of a matrix of so many columns."""
    return network is not None and not columns % network.lanes


def can_be_halved(inner: int, columns: int) -> bool:
    """Whether products with a matrix of this shape can be computed in bfloat16, faster."""
    return network is not None and network.takes_halves() and not inner % _HALVES and not columns % network.panel


def _can_be_bytes(inner: int, columns: int) -> bool:
    """The same of whole numbers of a byte."""
    return network is not None and network.takes_bytes() and not inner % _BYTES and not columns % network.panel


def _in_bytes(matrix: Floats) -> tuple[NDArray[np.uint32], NDArray[np.int32], Floats]:
    """Round a matrix, (inner, columns), to whole numbers, each column in a unit of its own, for `product_of_bytes`.

    Panels of (inner / 4, columns), four numbers of a column as one, the first in its lower bits; of each column,
    (columns,), -128 times the sum, and the unit.
    """
    factors = np.maximum(np.abs(matrix).max(axis=0) / _LARGEST, np.finfo(np.float32).tiny)
    whole = np.rint(matrix / factors).astype(np.int8)
    fours = whole.reshape(-1, 4, whole.shape[1]).transpose(0, 2, 1).copy().view(np.uint32)[..., 0]
    return in_panels(fours), -128 * whole.sum(axis=0, dtype=np.int32), factors


def in_halves(matrix: Floats) -> NDArray[np.uint32]:
    """Round a matrix, (inner, columns), to bfloat16, the upper halves of floats: (inner / 2, columns).

    Two numbers of a column stand as one, the first in the lower bits.
    """
    bits = np.ascontiguousarray(matrix, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> np.uint32(16)  # to the nearest, ties to even
    halves: NDArray[np.uint32] = np.bitwise_or(rounded[::2], rounded[1::2] << np.uint32(16))
    return halves


def in_panels(matrix: NDArray[Number]) -> NDArray[Number]:
    """Order a matrix, (inner, columns), as what is compiled reads it: some columns after the others, flat."""
    panels = [matrix[:, begin : begin + network.panel].ravel() for begin in range(0, matrix.shape[1], network.panel)]
    return np.concatenate(panels, out=in_lines(matrix.size).view(matrix.dtype))


def in_lines(*shape: int) -> Floats:
    """An array that is not filled yet and begins where a line of the processor's cache does, which is read faster."""
    memory = np.empty(4 * prod(shape) + _LINE, dtype=np.uint8)
    begin = -memory.ctypes.data % _LINE
    return memory[begin : begin + 4 * prod(shape)].view(np.float32).reshape(shape)
