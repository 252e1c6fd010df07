"""Sums of rows of a table: what a window of words, or a block, is in the tables of remembered answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes of rows that are taken at once, before they are added.
_AT_ONCE = 4 << 20


def sums_of_rows(table: NDArray[np.float32], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """The sums of some rows of a table, (sums, columns), float32.

    ``table``: (rows, columns); ``places``: (addends, sums), at least one addend, each line in one piece of memory.
    """
    count = places.shape[1]
    sums = np.empty((count, table.shape[1]), dtype=np.float32)
    step = max(_AT_ONCE // table[:1].nbytes, 1)
    taken = np.empty((min(step, count), table.shape[1]), dtype=np.float32)
    for begin in range(0, count, step):
        part = slice(begin, begin + step)
        own = sums[part]
        # the mode spares a copy of what is taken; no place is outside the table
        np.take(table, places[0, part], axis=0, out=own, mode="clip")
        for addends in places[1:]:
            np.take(table, addends[part], axis=0, out=taken[: len(own)], mode="clip")
            np.add(own, taken[: len(own)], out=own)
    return sums
