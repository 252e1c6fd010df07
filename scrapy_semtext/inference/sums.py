"""Sums of rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes of rows that are gathered at a time.
_BATCH_BYTES = 4 << 20


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
