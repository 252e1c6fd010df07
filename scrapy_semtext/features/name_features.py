"""Which words stand in the tags, classes and ids around a block, and how far away."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.words import FIRST_NAMES, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.dom.scope_tree import ElementTypes
    from scrapy_semtext.utils.arrays import Ints, Singles


def scope_words(tag: str, names: str) -> Iterator[str]:
    """The words of an element: its tag as ``<tag``, and those of its id and class names."""
    return chain((f"<{tag}",), *map(name_words, names.split()[:FIRST_NAMES]))


class NameTable:
    """The columns of a vocabulary of words around blocks."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._column_of = {word: column for column, word in enumerate(self.vocabulary)}
        self._of_tag = {word[1:]: column for word, column in self._column_of.items() if word.startswith("<")}

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
        near = self._own_words(types, by_depth)  # (scopes, words)
        parents = place[parent[by_depth]]
        levels = np.searchsorted(depth[by_depth], np.arange(1, int(depth.max(initial=0)) + 2)).tolist()
        for begin, end in pairwise(levels):
            above, here = near.take(parents[begin:end], axis=0), near[begin:end]
            np.maximum(here, above / (1 + above), out=here)
        if out is None:
            out = np.empty((len(self.vocabulary), len(of_block)), dtype=np.float32)
        out[:] = near.take(place[of_block], axis=0).T
        return out

    def _own_words(self, types: ElementTypes, scopes: Ints) -> Singles:
        """1 for the words of each of some ``scopes``, those of `scope_words`, and 0 for others; (scopes, words)."""
        names, of_scope = types.names
        words, number, counts = types.first_words
        own = np.zeros((len(names), len(self.vocabulary)), dtype=np.float32)
        columns = np.array([self._column_of.get(word, -1) for word in words], dtype=np.int64)[number]
        known = np.flatnonzero(columns >= 0)
        own[np.arange(len(names)).repeat(counts)[known], columns[known]] = 1
        own = own.take(of_scope[scopes], axis=0)
        of_tags = types.by_tag(self._of_tag, -1)[scopes]
        known = np.flatnonzero(of_tags >= 0)
        own[known, of_tags[known]] = 1
        return own
