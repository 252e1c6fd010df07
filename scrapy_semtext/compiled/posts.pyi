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
def joints(
    nodes: NDArray[np.int64],
    goals: NDArray[np.int64],
    last: NDArray[np.int64],
    parent: NDArray[np.int64],
    highest: int,
    out: NDArray[np.int64],
) -> None: ...
def left_out(
    chosen: NDArray[np.int64],
    lengths: NDArray[np.int64],
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    order: NDArray[np.int64],
    held: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
