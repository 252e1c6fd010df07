from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = tuple[str, ...]

class NameReader:
    def __init__(
        self, known: dict[str, Words], most: int, abbreviations: dict[str, Words], stop: frozenset[str], first: int
    ) -> None: ...
    def words(self, names: str) -> tuple[Words, Words, Words] | None: ...

class Tokens: ...

def words_of_texts(
    texts: list[str],
    table: bytes,
    known: dict[str, Words],
    tokens: Tokens,
    stop: frozenset[str],
    limit: int,
    look: int,
) -> list[Words | None]: ...
def words_of_paths(
    parent: NDArray[np.int64], of_scope: NDArray[np.int64], of_looks: list[Words], limit: int, last: bool
) -> list[Words]: ...
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
def most_attributes(html: bytes) -> int: ...
