from typing import Any

import numpy as np
from numpy.typing import NDArray

def looked_through(
    root: Any, numbers: dict[bytes, int], host: bytes, below: bytes, beside: bytes, counts: NDArray[np.int64]
) -> tuple[list[tuple[Any, str, str, bool]], tuple[int, ...]]: ...
def holding(elements: list[Any], tag: bytes) -> int: ...
def inside(
    root: Any, elements: list[Any], parent: NDArray[np.int64], numbers: dict[bytes, int], counts: NDArray[np.float64]
) -> None: ...
