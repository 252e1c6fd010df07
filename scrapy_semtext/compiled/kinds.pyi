import numpy as np
from numpy.typing import NDArray

class Vocabulary:
    def __init__(self, column_of: dict[str, int]) -> None: ...

def mark_words(
    texts: list[str], short: int, look: int, of_short: Vocabulary, of_long: Vocabulary, row: NDArray[np.float32]
) -> None: ...
def mark_each(texts: list[str], vocabularies: list[Vocabulary], row: NDArray[np.float32]) -> None: ...
def mark_buttons(
    texts: list[str],
    short: int,
    least: int,
    of_once: dict[str, int],
    of_often: dict[str, int],
    row: NDArray[np.float32],
) -> None: ...
def mark_names(
    looks: list[tuple[str, str]],
    words: list[frozenset[str]],
    times: list[int],
    least: int,
    of_once: dict[str, int],
    of_often: dict[str, int],
    row: NDArray[np.float32],
) -> None: ...
def sums_of_blocks(
    texts: list[str],
    chars: NDArray[np.float64],
    links: NDArray[np.float64],
    words: NDArray[np.float64],
    prose: NDArray[np.uint8],
    numbers: NDArray[np.float32],
    commas: int,
    stop_words: int,
    hidden: int,
    short: int,
    out: NDArray[np.float64],
) -> None: ...
def heaviest_groups(
    of_scope: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    totals: NDArray[np.float64],
    least: int,
    looked_at: int,
    out: NDArray[np.float64],
) -> list[list[int]]: ...
def counts_of_signs(texts: list[str], look: int, signs: tuple[str, ...], out: NDArray[np.int64]) -> None: ...
