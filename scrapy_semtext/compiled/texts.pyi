from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

def known_words(text: str, table: bytes, reader: Mapping[str, tuple[str, ...]], limit: int) -> list[str] | None: ...
def sieve_of(words: Iterable[str]) -> bytes: ...
def counts(
    texts: Iterable[str],
    look: int,
    kinds: NDArray[np.uint8],
    first: frozenset[str],
    second: frozenset[str],
    sieve: bytes,
    out: NDArray[np.int64],
) -> None: ...
