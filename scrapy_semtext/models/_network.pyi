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
