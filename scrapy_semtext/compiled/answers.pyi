from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.questions.faq import Pair

def readings_of(
    groups: list[tuple[int, ...]],
    node: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    asked: NDArray[np.int64],
    most_levels: int,
    share: float,
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
    parents: NDArray[np.int64],
    headings: NDArray[np.int64],
    paths: NDArray[np.int64],
    innermost: NDArray[np.int64],
) -> list[tuple[tuple[int, ...], list[tuple[int, int]], bool, int]]: ...
def list_columns(
    lists: Sequence[tuple[Pair, ...]],
    asked: dict[str, tuple[bool, bool]],
    said: dict[str, tuple[int, bool]],
    look: int,
    sums: NDArray[np.float64],
    headings: list[int],
    most_between: int,
    out: NDArray[np.float64],
) -> None: ...
