from typing import Final

import numpy as np
from numpy.typing import NDArray

lanes: Final[int]
panel: Final[int]
widest: Final[int]

def use_vectors_of(numbers: int, rounded: bool = False) -> int: ...
def takes_halves() -> bool: ...
def takes_bytes() -> bool: ...
def product(
    given: NDArray[np.float32], rows: NDArray[np.float32], panels: NDArray[np.float32], out: NDArray[np.float32]
) -> None: ...
def product_of_halves(
    given: NDArray[np.float32], rows: NDArray[np.float32], panels: NDArray[np.uint32], out: NDArray[np.float32]
) -> None: ...
def product_of_bytes(
    given: NDArray[np.float32],
    rows: NDArray[np.float32],
    panels: NDArray[np.uint32],
    starts: NDArray[np.int32],
    factors: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None: ...
def highest_of_windows(
    table: NDArray[np.float32],
    width: int,
    words: NDArray[np.int32],
    begins: NDArray[np.int64],
    windows: int,
    bias: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None: ...
def read_pages(
    table: NDArray[np.float32],
    strings: NDArray[np.int64],
    numbers: NDArray[np.float32],
    of_numbers: NDArray[np.float32],
    weight: NDArray[np.float32] | None,
    halves: NDArray[np.uint32] | None,
    of_state: NDArray[np.float32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    said: NDArray[np.float32],
) -> None: ...
def sums_and_highest(
    table: NDArray[np.float32],
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    sums: NDArray[np.float32],
    highest: NDArray[np.float32],
) -> None: ...
def chain_sums(
    odds: NDArray[np.float64],
    ends: NDArray[np.int64],
    factors: NDArray[np.float64],
    start: float,
    end: float,
    onward: NDArray[np.float64],
    back: NDArray[np.float64],
) -> None: ...
def chain_best(
    scores: NDArray[np.float64],
    ends: NDArray[np.int64],
    transitions: NDArray[np.float64],
    start: float,
    end: float,
    onward: NDArray[np.float64],
    back: NDArray[np.float64],
) -> None: ...
