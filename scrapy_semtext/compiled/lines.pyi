from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.segment import Scope, StyledRun, TextBlock
from scrapy_semtext.structure.layout import Layout

def facts_of_texts(texts: list[str], title: frozenset[str], out: NDArray[np.float64]) -> None: ...
def capitals_behind(texts: list[str], places: list[int], widths: list[int], out: NDArray[np.float64]) -> None: ...
def texts_of_lines(pieces: list[TextBlock], counts: NDArray[np.int64]) -> list[str]: ...
def places_of_pieces(
    pieces: list[TextBlock], blocks: Sequence[TextBlock], of_block: NDArray[np.int64]
) -> list[str]: ...
def columns_of_lines(
    pieces: list[TextBlock],
    texts: list[str],
    counts: NDArray[np.int64],
    of_block: NDArray[np.int64],
    piece: NDArray[np.int64],
    block: NDArray[np.int64],
    marks: NDArray[np.float64],
) -> list[int]: ...
def headings_of_lines(
    looks: list[tuple[str, str]],
    of_scope: NDArray[np.int64],
    parent: NDArray[np.int64],
    of_block: NDArray[np.int64],
    levels: dict[str, int],
    above: int,
    marks: NDArray[np.float64],
) -> None: ...
def looks_of_lines(
    texts: list[str], begin: int, end: int, styles: list[StyledRun], marks: NDArray[np.float64]
) -> None: ...

class KnownNames:
    def __init__(self, known: dict[str, int], of_tag: dict[str, int]) -> None: ...

def signs_of_looks(
    looks: list[tuple[str, str]], known: KnownNames, otherwise: Callable[[str], int], out: NDArray[np.int64]
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
