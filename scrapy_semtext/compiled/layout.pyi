from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.segment import Scope, TextBlock
from scrapy_semtext.structure.layout import Placed, Value
from scrapy_semtext.wording import AttributeWords

class Scopes:
    scopes: list[Scope]
    def __init__(self, blocks: Sequence[Placed], of_block: NDArray[np.int64]) -> None: ...
    def write(self, out: NDArray[np.int64]) -> None: ...

def narrowed(
    scopes: list[Scope],
    parent: NDArray[np.int64],
    depth: NDArray[np.int64],
    of_scope: NDArray[np.int64],
    different: list[tuple[str, str]],
    words: list[AttributeWords],
    blocks: list[TextBlock],
    of_block: NDArray[np.int64],
    out: NDArray[np.int64],
) -> tuple[list[Scope], list[tuple[str, str]], list[AttributeWords]]: ...
def numbered(values: list[Value], known: dict[Value, int], out: NDArray[np.int64]) -> None: ...
def looks_of(scopes: list[Scope], of_scope: NDArray[np.int64]) -> list[tuple[str, str]]: ...
def alike(parent: NDArray[np.int64], of_scope: NDArray[np.int64], looks: int, out: NDArray[np.int64]) -> None: ...
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
