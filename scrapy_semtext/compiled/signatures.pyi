from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.segment import Scope

def numbers_of_scopes(
    scopes: list[Scope], parents: list[int], lasting: Callable[[str], str], out: NDArray[np.int64]
) -> None: ...
def signatures_of(numbers: NDArray[np.int64], parent: NDArray[np.int64], out: NDArray[np.int64]) -> None: ...
