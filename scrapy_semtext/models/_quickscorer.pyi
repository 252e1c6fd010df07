import numpy as np
from numpy.typing import NDArray

def add_scores(
    rows: NDArray[np.float32],
    feature: NDArray[np.intp],
    threshold: NDArray[np.float32],
    mask: NDArray[np.uint32],
    value: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
