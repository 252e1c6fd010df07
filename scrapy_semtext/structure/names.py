"""Which words stand in the tags, classes and ids around a block, and how far away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.wording import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_MOST_NAMES = 30  # of an element: pages in the style of Tailwind have hundreds
_REMEMBERED = 1 << 14


def scope_words(tag: str, names: str) -> Iterator[str]:
    """Yield the words of an element: its tag as ``<tag``, and those of its id and class names."""
    yield f"<{tag}"
    for name in names.split()[:_MOST_NAMES]:
        yield from name_words(name)


class NameTable:
    """The columns of a vocabulary of words around blocks. Remembers the columns of elements that were seen."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._column = {word: column for column, word in enumerate(self.vocabulary)}
        self._known: dict[tuple[str, str], list[int]] = {}

    def nearness(
        self, elements: Sequence[tuple[str, str]], parent: NDArray[np.int64], depth: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """How near each word is to each scope, (scopes, words): 1 on the scope itself, 1/2 one level up, 0 nowhere.

        ``elements`` are the scopes' tags and names, parents first; ``parent`` and ``depth`` as in `Layout`.
        """
        found = np.zeros((len(elements), len(self.vocabulary)), dtype=np.float32)
        rows: list[int] = []
        columns: list[int] = []
        for row, element in enumerate(elements):
            own = self._columns(element)
            rows += [row] * len(own)
            columns += own
        found[rows, columns] = 1
        for level in range(1, int(depth.max(initial=0)) + 1):
            scopes = np.flatnonzero(depth == level)
            above = found[parent[scopes]]
            found[scopes] = np.maximum(found[scopes], above / (1 + above))
        return found

    def _columns(self, element: tuple[str, str]) -> list[int]:
        columns = self._known.get(element)
        if columns is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = (self._column.get(word) for word in scope_words(*element))
            columns = self._known[element] = sorted({column for column in found if column is not None})
        return columns
