from typing import Any

import numpy as np
from numpy.typing import NDArray

def counted(root: Any, columns: dict[str, int], out: NDArray[np.int64], link: str) -> list[str | None]: ...
def counted_inside(root: Any, holders: list[Any], columns: dict[str, int], out: NDArray[np.int64]) -> None: ...
