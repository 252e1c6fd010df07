import numpy as np
from numpy.typing import NDArray

def scaled_rows(
    values: NDArray[np.int8], scales: NDArray[np.float32], places: NDArray[np.int64], out: NDArray[np.float32]
) -> None: ...
def means_of_ngrams(
    text: bytes,
    begins: NDArray[np.int64],
    minn: int,
    maxn: int,
    values: NDArray[np.int8],
    scales: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None: ...
def leaves_of_rows(
    rows: NDArray[np.float32],
    feature: NDArray[np.intp],
    threshold: NDArray[np.float32],
    rules_out: NDArray[np.uint32],
    value: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def sums_of_leaves(
    rows: NDArray[np.float32],
    trees: int,
    feature: NDArray[np.intp],
    threshold: NDArray[np.float32],
    rules_out: NDArray[np.uint32],
    value: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
