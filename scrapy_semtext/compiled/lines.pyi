from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.segment import StyledRun

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
