import numpy as np
from numpy.typing import NDArray

def heaviest_path(
    parent: NDArray[np.int64], weights: NDArray[np.float64], heaviest: NDArray[np.int64]
) -> list[int]: ...
def branches(
    parent: NDArray[np.int64],
    path: list[int],
    joint: NDArray[np.int64],
    branch: NDArray[np.int64],
    levels: NDArray[np.int64],
) -> None: ...
