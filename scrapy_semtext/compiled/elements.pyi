from typing import Any

import numpy as np
from numpy.typing import NDArray

def looked_through(
    root: Any, numbers: dict[bytes, int], host: bytes, below: bytes, beside: bytes, counts: NDArray[np.int64]
) -> tuple[list[tuple[Any, str, str, bool]], tuple[int, ...]]: ...
def holding(elements: list[Any], tag: bytes) -> int: ...
def counted_inside(root: Any, holders: list[Any], numbers: dict[bytes, int], counts: NDArray[np.int64]) -> None: ...
