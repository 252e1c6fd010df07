from typing import Final

import numpy as np
from numpy.typing import NDArray

lanes: Final[int]
panel: Final[int]
max_kernel_width: Final[int]

def set_simd_width(width: int) -> int: ...
def linear(
    bias: NDArray[np.float32], rows: NDArray[np.float32], panels: NDArray[np.float32], out: NDArray[np.float32]
) -> None: ...
def conv_max_pool(
    table: NDArray[np.float32],
    width: int,
    word_ids: NDArray[np.int32],
    begins: NDArray[np.int64],
    windows: int,
    bias: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None: ...
def bilstm(
    table: NDArray[np.float32],
    string_ids: NDArray[np.int64],
    features: NDArray[np.float32],
    feature_weight: NDArray[np.float32],
    weight: NDArray[np.float32],
    emission_weight: NDArray[np.float32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    emissions: NDArray[np.float32],
) -> None: ...
def sum_and_max(
    table: NDArray[np.float32],
    ids: NDArray[np.int64],
    ends: NDArray[np.int64],
    sums: NDArray[np.float32],
    maxima: NDArray[np.float32],
) -> None: ...
def chain_sums(
    odds: NDArray[np.float64],
    ends: NDArray[np.int64],
    factors: NDArray[np.float64],
    start: float,
    end: float,
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
) -> None: ...
def chain_maxima(
    emissions: NDArray[np.float64],
    ends: NDArray[np.int64],
    transitions: NDArray[np.float64],
    start: float,
    end: float,
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
) -> None: ...
