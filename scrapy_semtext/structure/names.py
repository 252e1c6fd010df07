"""Which words stand in the tags, classes and ids around a block, and how far away."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.compiled import layout as compiled
from scrapy_semtext.wording import FIRST_NAMES, attribute_words, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.structure.layout import Looks

_REMEMBERED = 1 << 14


def scope_words(tag: str, names: str) -> Iterator[str]:
    """The words of an element: its tag as ``<tag``, and those of its id and class names."""
    return chain((f"<{tag}",), *map(name_words, names.split()[:FIRST_NAMES]))


class _Columns(dict[tuple[str, str], list[int]]):
    """The columns of the words of each element that was seen, by its tag and names. Forgets all when it is full.

    A column may come more than once.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        super().__init__()
        self._column = {word: column for column, word in enumerate(vocabulary)}
        self._words = frozenset(vocabulary)
        self._of_tag = {word[1:]: column for word, column in self._column.items() if word.startswith("<")}

    def __missing__(self, element: tuple[str, str]) -> list[int]:
        if len(self) >= _REMEMBERED:
            self.clear()
        tag, names = element
        # as scope_words, without a look at each word
        columns = [*map(self._column.__getitem__, self._words & attribute_words(names).first)]
        if (own := self._of_tag.get(tag)) is not None:
            columns.append(own)
        self[element] = columns
        return columns


class NameTable:
    """The columns of a vocabulary of words around blocks."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._columns = _Columns(self.vocabulary)

    def nearness(self, looks: Looks, parent: NDArray[np.int64], depth: NDArray[np.int64]) -> NDArray[np.float32]:
        """How near each word is to each scope, (scopes, words): 1 on the scope itself, 1/2 one level up, 0 nowhere.

        ``looks`` are the scopes' tags and names, parents first; ``parent`` and ``depth`` as in `Layout`.
        """
        columns = [*map(self._columns.__getitem__, looks.different)]
        if compiled is None:
            return _nearness(columns, looks.of_scope, parent, depth, len(self.vocabulary))
        found = np.empty((len(parent), len(self.vocabulary)), dtype=np.float32)
        compiled.nearness(columns, looks.of_scope, parent, found)
        return found


def _nearness(
    columns: list[list[int]],
    of_scope: NDArray[np.int64],
    parent: NDArray[np.int64],
    depth: NDArray[np.int64],
    words: int,
) -> NDArray[np.float32]:
    """As `NameTable.nearness`; ``columns`` are those of the words of each look, ``of_scope`` the look of each scope."""
    # in the order of depth, where the scopes of one level follow each other
    by_depth = np.argsort(depth, kind="stable")
    place = np.empty_like(by_depth)
    place[by_depth] = np.arange(len(place))
    around = place[parent[by_depth]]
    found = np.zeros((len(parent), words), dtype=np.float32)
    own = [columns[look] for look in of_scope.tolist()]
    found[np.repeat(place, [*map(len, own)]), [*chain.from_iterable(own)]] = 1
    levels = np.searchsorted(depth[by_depth], np.arange(1, int(depth.max(initial=0)) + 2)).tolist()
    for begin, end in pairwise(levels):
        above = found[around[begin:end]]
        np.maximum(found[begin:end], above / (1 + above), out=found[begin:end])
    return found[place]
