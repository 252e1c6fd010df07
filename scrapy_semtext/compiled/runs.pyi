from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

def counts_of_runs(texts: list[str], out: NDArray[np.float64]) -> None: ...
def shares_of_told(
    texts: list[str],
    told: AbstractSet[str],
    look: int,
    least: int,
    share: NDArray[np.float64],
    coverage: NDArray[np.float64],
) -> None: ...
