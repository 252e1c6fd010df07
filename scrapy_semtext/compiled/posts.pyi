import numpy as np
from numpy.typing import NDArray

def node_rows(
    sums: NDArray[np.float64],
    elements: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    parent: NDArray[np.int64],
    depth: NDArray[np.int64],
    groups: NDArray[np.int64],
    texts: NDArray[np.int64],
    lengths: NDArray[np.float64],
    averaged: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None: ...
def different(
    values: NDArray[np.int64], lengths: NDArray[np.int64], room: NDArray[np.int64], out: NDArray[np.float64]
) -> None: ...
def set_rows(
    chosen: NDArray[np.int64],
    lengths: NDArray[np.int64],
    of_nodes: tuple[NDArray[np.int64] | NDArray[np.float64], ...],
    texts: NDArray[np.int64],
    sums: NDArray[np.float64],
    elements: NDArray[np.float64],
    logs: NDArray[np.float64],
    out: NDArray[np.float32],
) -> None: ...
