"""Which words stand in the tags, classes and ids around a block, and how far away."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.words import FIRST_NAMES, attribute_words, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ElementTypes

    Ints = NDArray[np.int64]
    Singles = NDArray[np.float32]


# After so many pairs the columns of known ones are computed again.
_MOST_KNOWN = 1 << 14


def scope_words(tag: str, names: str) -> Iterator[str]:
    """The words of an element: its tag as ``<tag``, and those of its id and class names."""
    return chain((f"<{tag}",), *map(name_words, names.split()[:FIRST_NAMES]))


class NameTable:
    """The columns of a vocabulary of words around blocks."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._of_word = {word: column for column, word in enumerate(self.vocabulary)}
        self._known: dict[tuple[str, str], tuple[int, ...]] = {}  # by pairs of tag and names, as pages share many

    def nearness(
        self, types: ElementTypes, parent: Ints, depth: Ints, of_block: Ints, out: Singles | None = None
    ) -> Singles:
        """Return how near each word is to each block, (words, blocks).

        1 on its scope itself, 1/2 one level up, 1/3 two levels up, 0 nowhere. ``types`` are those of the scopes;
        ``parent``, ``depth`` and ``of_block`` as in `ScopeTree`. Written into ``out`` if given.
        """
        columns = [*map(self._columns, types.pairs)]
        path, near = _nearness(columns, types.of_scope, parent, depth, len(self.vocabulary))
        if out is None:
            out = np.empty((len(self.vocabulary), len(of_block)), dtype=np.float32)
        near.T.take(path[of_block], axis=1, out=out, mode="clip")
        return out

    def _columns(self, pair: tuple[str, str]) -> tuple[int, ...]:
        """The columns of the words of a pair of tag and names, as those of `scope_words`."""
        known = self._known.get(pair)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            tag, names = pair
            words = (f"<{tag}", *attribute_words(names).first)
            known = self._known[pair] = tuple([self._of_word[word] for word in words if word in self._of_word])
        return known


def _nearness(
    columns: list[tuple[int, ...]], type_of_scope: Ints, parent: Ints, depth: Ints, words: int
) -> tuple[Ints, Singles]:
    """Return the path of each scope, (scopes,), and how near words are to each path, (paths, words).

    The path of a scope is the sequence of element types from the root to it; there are fewer than scopes. ``columns``:
    those of the words of each element type.
    """
    by_depth = np.argsort(depth, kind="stable")
    path = np.zeros(len(parent), dtype=np.int64)
    levels, count = [], 0
    for scopes in np.split(by_depth, np.searchsorted(depth[by_depth], np.arange(1, int(depth.max(initial=0)) + 1))):
        codes = path[parent[scopes]] * len(columns) + type_of_scope[scopes]
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        levels.append((count, path[parent[scopes[first]]], type_of_scope[scopes[first]]))
        path[scopes] = count + inverse
        count += len(first)
    own = [columns[kind] for kind in np.concatenate([kinds for *_, kinds in levels]).tolist()]
    near = np.zeros((count, words), dtype=np.float32)
    near[np.repeat(np.arange(count), [*map(len, own)]), [*chain.from_iterable(own)]] = 1
    for begin, around, _ in levels[1:]:
        above, here = near[around], near[begin : begin + len(around)]
        np.maximum(here, above / (1 + above), out=here)
    return path, near
