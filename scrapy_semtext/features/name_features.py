"""Which words stand in the tags, classes and ids around a block, and how far away."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.words import FIRST_NAMES, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import Looks

    Ints = NDArray[np.int64]
    Singles = NDArray[np.float32]


def scope_words(tag: str, names: str) -> Iterator[str]:
    """The words of an element: its tag as ``<tag``, and those of its id and class names."""
    return chain((f"<{tag}",), *map(name_words, names.split()[:FIRST_NAMES]))


class NameTable:
    """The columns of a vocabulary of words around blocks."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._of_word = {word: column for column, word in enumerate(self.vocabulary)}
        self._of_tag = {word[1:]: column for word, column in self._of_word.items() if word.startswith("<")}

    def nearness(self, looks: Looks, parent: Ints, depth: Ints, of_block: Ints, out: Singles | None = None) -> Singles:
        """How near each word is to each block, (words, blocks): 1 on its scope itself, 1/2 one level up, 0 nowhere.

        ``looks`` are the scopes' tags and names, parents first; ``parent``, ``depth`` and ``of_block`` as in `ScopeTree`.
        Written into ``out`` if given.
        """
        words = [words.first for words in looks.words]
        if out is None:
            out = np.empty((len(self.vocabulary), len(of_block)), dtype=np.float32)
        columns = [*map(self._columns, looks.different, words)]
        out[:] = _nearness(columns, looks.of_scope, parent, depth, len(self.vocabulary))[of_block].T
        return out

    def _columns(self, look: tuple[str, str], words: frozenset[str]) -> list[int]:
        """The columns of an element's words, as those of `scope_words`; one may come more than once."""
        columns = [*map(self._of_word.__getitem__, words & self._of_word.keys())]
        return columns if (own := self._of_tag.get(look[0])) is None else [*columns, own]


def _nearness(columns: list[list[int]], of_scope: Ints, parent: Ints, depth: Ints, words: int) -> Singles:
    """How near words are to scopes, (scopes, words); ``columns`` are those of each look, ``of_scope`` has the looks."""
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
