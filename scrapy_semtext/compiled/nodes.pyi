from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

def sums_of_blocks(
    texts: list[str], links: list[int], hidden: list[bool], dated: list[bool], out: NDArray[np.float64]
) -> None: ...
def asking(texts: list[str]) -> tuple[list[bool], list[int]]: ...
def united(several: list[tuple[str, ...]]) -> frozenset[str]: ...

class Weights:
    def __init__(self, weights: Mapping[str, float], clip: float, fewest: int, most: int) -> None: ...
    def weighed(self, words: frozenset[str]) -> list[float]: ...

def disjoint(members: list[int], first: NDArray[np.int64], last: NDArray[np.int64], most: int) -> tuple[int, ...]: ...
def best_disjoint(
    values: NDArray[np.float64],
    parent: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    inner: NDArray[np.float64],
) -> list[tuple[int, ...]]: ...
def smoothed(groups: NDArray[np.int64], scores: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...
def against_means(groups: NDArray[np.int64], scores: NDArray[np.float64], out: NDArray[np.float64]) -> int: ...
def openers(smooth: NDArray[np.float64], last: NDArray[np.int64], lowest: float, out: NDArray[np.int64]) -> None: ...
def of_groups(
    chosen: NDArray[np.int64],
    groups: NDArray[np.int64],
    scores: NDArray[np.float64],
    never: float,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    openers: NDArray[np.int64],
) -> list[tuple[int, ...]]: ...
def short_heads(
    texts: list[str],
    asking: list[bool],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    innermost: NDArray[np.int64],
    shortest: int,
    longest: int,
    most: int,
    out: NDArray[np.int64],
    asks: NDArray[np.bool_],
) -> int: ...
def alike(
    kind: NDArray[np.int64],
    node: NDArray[np.int64],
    whole: NDArray[np.bool_],
    asks: NDArray[np.bool_],
    least: int,
    room: NDArray[np.int64],
) -> list[tuple[int, ...]]: ...
