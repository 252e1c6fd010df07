from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.segment import Scope, StyledRun
from scrapy_semtext.structure.layout import Layout

_Looks: TypeAlias = tuple[float, float, float, float, float]

def facts_of_texts(texts: list[str], title: frozenset[str], out: NDArray[np.float64]) -> None: ...
def looks_of_lines(lines: list[str], styles: list[StyledRun]) -> list[_Looks]: ...
def signs_of_looks(
    looks: list[tuple[str, str]],
    known: dict[str, int],
    of_tag: dict[str, int],
    otherwise: Callable[[str], int],
    out: NDArray[np.int64],
) -> None: ...
def perhaps_numbered(texts: list[str], beginnings: frozenset[str]) -> list[int]: ...
def numbers_of_looks(
    scopes: list[Scope],
    of_block: NDArray[np.int64],
    marks: NDArray[np.float64],
    facts: NDArray[np.float64],
    which: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None: ...
def features_of_lines(
    out: NDArray[np.float32],
    facts: NDArray[np.float64],
    which: NDArray[np.int64],
    follows: NDArray[np.int8],
    marks: NDArray[np.float64],
    looks: NDArray[np.int64],
    scopes: list[Scope],
    layout: Layout,
    signs_of_look: NDArray[np.int64],
    shared: NDArray[np.int64],
    tags: int,
    core_share: float,
) -> None: ...
