from typing import Any

import numpy as np
from numpy.typing import NDArray

def block_columns(
    texts: list[str],
    links: list[int],
    words: NDArray[np.float64],
    looks: NDArray[np.int64],
    levels: list[int],
    prose_words: float,
    prose_links: float,
    out: NDArray[np.float64],
    headings: NDArray[np.int64],
) -> None: ...
def totals(
    columns: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64], out: NDArray[np.float64]
) -> None: ...
def of_scopes(
    totals: NDArray[np.float64], scopes: list[Any], alike: NDArray[np.int64], out: NDArray[np.float64]
) -> None: ...
def above(
    table: NDArray[np.float32],
    of_block: NDArray[np.int64],
    parent: NDArray[np.int64],
    levels: tuple[int, ...],
    out: NDArray[np.float32],
) -> None: ...
def places(
    of_block: NDArray[np.int64],
    parent: NDArray[np.int64],
    depth: NDArray[np.int64],
    of_scope: NDArray[np.int64],
    looks: list[tuple[str, str]],
    headings: NDArray[np.int64],
    prose: NDArray[np.uint8],
    words: NDArray[np.float64],
    all_words: float,
    totals: NDArray[np.float64],
    joint: NDArray[np.int64],
    levels_off: NDArray[np.int64],
    end: int,
    out: NDArray[np.float32],
) -> None: ...
def nearness(
    looks: list[tuple[str, str]],
    words: list[frozenset[str]],
    of_word: dict[str, int],
    of_tag: dict[str, int],
    of_scope: NDArray[np.int64],
    parent: NDArray[np.int64],
    of_block: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None: ...
def highest_ratio(
    likely: NDArray[np.float64],
    words: NDArray[np.float64],
    factors: NDArray[np.float64],
    shares: NDArray[np.float64],
    ratios: NDArray[np.float64],
) -> int: ...
