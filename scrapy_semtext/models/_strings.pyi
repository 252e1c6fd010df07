from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def string_ids(
    ids: dict[tuple[str, ...], int],
    pages: Sequence[list[tuple[str, ...]]],
    next_id: int,
    out: NDArray[np.int64],
) -> list[tuple[str, ...]]: ...
def word_ids(ids: dict[str, int], strings: Sequence[tuple[str, ...]], out: NDArray[np.int32]) -> list[str]: ...
def ngram_means(
    text: bytes,
    begins: NDArray[np.int64],
    minn: int,
    maxn: int,
    values: NDArray[np.int8],
    scales: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None: ...
