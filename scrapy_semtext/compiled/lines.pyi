from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

_Style = TypeVar("_Style")
_Looks: TypeAlias = tuple[float, float, float, float, float]

def facts_of_texts(texts: list[str], title: frozenset[str], out: NDArray[np.float64]) -> None: ...
def looks_of_lines(lines: list[str], runs: list[tuple[Any, bool]], styles: list[Any]) -> list[_Looks]: ...
def signs_of_looks(
    looks: list[tuple[str, str]],
    known: dict[str, int],
    of_tag: dict[str, int],
    otherwise: Callable[[str], int],
    out: NDArray[np.int64],
) -> None: ...
def styles_of_pieces(
    pieces: list[Any], styling: frozenset[str], styled: Callable[[_Style, Any], _Style], plain: _Style
) -> list[tuple[_Style, list[_Style]]]: ...
