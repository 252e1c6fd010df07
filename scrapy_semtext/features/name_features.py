"""Which words stand in the tags, classes and ids around a block, and how far away."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.words import FIRST_NAMES, attribute_words, name_words
from scrapy_semtext.utils.remembering import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.dom.scope_tree import ElementTypes
    from scrapy_semtext.utils.arrays import Ints, Singles


# The most names whose columns are cached; beyond it, the cache is emptied.
_MOST_CACHED = 1 << 14


def scope_words(tag: str, names: str) -> Iterator[str]:
    """The words of an element: its tag as ``<tag``, and those of its id and class names."""
    return chain((f"<{tag}",), *map(name_words, names.split()[:FIRST_NAMES]))


class NameTable:
    """The columns of a vocabulary of words around blocks."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        column_of = {word: column for column, word in enumerate(self.vocabulary)}
        self._of_tag = {word[1:]: column for word, column in column_of.items() if word.startswith("<")}
        self._of_names = _NameColumns(column_of)

    def nearness(
        self, types: ElementTypes, parent: Ints, depth: Ints, of_block: Ints, out: Singles | None = None
    ) -> Singles:
        """Return how near each word is to each block, (words, blocks).

        1 on its scope itself, 1/2 one level up, 1/3 two levels up, 0 nowhere. ``types`` are those of the scopes;
        ``parent``, ``depth`` and ``of_block`` as in `ScopeTree`. Written into ``out`` if given.
        """
        by_depth = np.argsort(depth, kind="stable")
        place = np.empty_like(by_depth)
        place[by_depth] = np.arange(len(by_depth))
        near = self._own_words(types).take(types.of_scope[by_depth], axis=0)  # (scopes, words)
        parents = place[parent[by_depth]]
        levels = np.searchsorted(depth[by_depth], np.arange(1, int(depth.max(initial=0)) + 2)).tolist()
        for begin, end in pairwise(levels):
            above, here = near.take(parents[begin:end], axis=0), near[begin:end]
            np.maximum(here, above / (1 + above), out=here)
        if out is None:
            out = np.empty((len(self.vocabulary), len(of_block)), dtype=np.float32)
        out[:] = near.take(place[of_block], axis=0).T
        return out

    def _own_words(self, types: ElementTypes) -> Singles:
        """1 for the words of each element type, those of `scope_words`, and 0 for others; (types, words)."""
        own = np.zeros((len(types.pairs), len(self.vocabulary)), dtype=np.float32)
        of_names = [self._of_names[names] for _, names in types.pairs]
        own[np.repeat(np.arange(len(own)), [*map(len, of_names)]), [*chain.from_iterable(of_names)]] = 1
        of_tags = np.array([self._of_tag.get(tag, -1) for tag in types.tags], dtype=np.int64)
        known = np.flatnonzero(of_tags >= 0)
        own[known, of_tags[known]] = 1
        return own


class _NameColumns(dict[str, tuple[int, ...]]):
    """The columns of the words of id and class names, cached, as pages share many names."""

    def __init__(self, column_of: dict[str, int]) -> None:
        super().__init__()
        self._column_of = column_of
        self._words = frozenset(column_of)

    def __missing__(self, names: str) -> tuple[int, ...]:
        if len(self) >= _MOST_CACHED:
            self.clear()
        words = self._words.intersection(attribute_words(names).first)
        columns = tuple([self._column_of[word] for word in words])
        if len(names) <= LONGEST:
            self[names] = columns
        return columns
