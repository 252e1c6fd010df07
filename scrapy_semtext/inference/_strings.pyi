from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

def rows_of(
    known: dict[tuple[str, ...], int],
    pages: Sequence[list[tuple[str, ...]]],
    following: int,
    rows: NDArray[np.int64],
) -> list[tuple[str, ...]]: ...
def numbers_of(known: dict[str, int], strings: Sequence[tuple[str, ...]], words: NDArray[np.int32]) -> list[str]: ...
def places_of(index: Mapping[str, int], words: list[str], places: NDArray[np.int64]) -> None: ...
