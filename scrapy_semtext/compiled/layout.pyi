from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.segment import Scope
from scrapy_semtext.structure.layout import Placed

def scopes_of(blocks: Sequence[Placed]) -> tuple[list[Scope], NDArray[np.int64], NDArray[np.int64]]: ...
def looks_of(scopes: list[Scope]) -> tuple[list[tuple[str, str]], NDArray[np.int64]]: ...
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
