from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.questions.faq import Pair
from scrapy_semtext.questions.faq_run_in import Head

def readings_of(
    heads: list[Head],
    asking: list[str],
    most_levels: int,
    share: float,
    firsts: list[int],
    lasts: list[int],
    parents: list[int],
    own_headings: list[int],
    block_headings: list[int],
    kinds: list[int],
) -> list[tuple[list[Head], list[tuple[int, int]], bool, int]]: ...
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
