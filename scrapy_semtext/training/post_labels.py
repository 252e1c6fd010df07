"""Training labels of nodes, and scores of sets of nodes, on pages with known posts."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.nodes import PageNodes

#: Word F1 from which a text counts as the same post (as in the scorer of the pairs).
MATCH = 0.8

_WORD = re.compile(r"\w+")
_MISSED_OPENING = 1 / 3
_LEAST, _BELOW_BEST = 0.75, 0.04  # a node is a body with this word F1, and no more than this below the best node

Words = Counter[str]


def words_of(text: str) -> Words:
    """The words of a text with their counts."""
    return Counter(_WORD.findall(text.lower()))


def word_f1(one: Words, two: Words) -> float:
    """The harmonic mean of precision and recall of the words."""
    shared = sum((one & two).values())
    return 2 * shared / (one.total() + two.total()) if shared else 0.0


def body_labels(nodes: PageNodes, posts: Sequence[str]) -> NDArray[np.int8]:
    """1 for each node whose text is that of a post, or next to it; (nodes,)."""
    words = [words_of(block.text) for block in nodes.blocks]
    totals = np.concatenate([[0], np.cumsum([found.total() for found in words])])
    sizes = totals[nodes.last] - totals[nodes.first]
    labels = np.zeros(len(nodes), dtype=np.int8)
    known: dict[tuple[int, int], Words] = {}
    for post in filter(None, map(words_of, posts)):
        near = np.flatnonzero((sizes >= 0.6 * post.total()) & (sizes <= 1.7 * post.total() + 4))
        likeness = {node: word_f1(_node_words(nodes, node, words, known), post) for node in near.tolist()}
        least = max(_LEAST, max(likeness.values(), default=0) - _BELOW_BEST)
        for node, value in likeness.items():
            labels[node] |= value >= least
    return labels


def _node_words(nodes: PageNodes, node: int, words: list[Words], known: dict[tuple[int, int], Words]) -> Words:
    key = (int(nodes.first[node]), int(nodes.last[node]))
    if key not in known:
        total: Words = Counter()
        for found in words[key[0] : key[1]]:
            total.update(found)
        known[key] = total
    return known[key]


def set_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """`posts_f1`; a third of that if the first text is not the first post, since that is the question of all pairs."""
    mine, theirs = (next((words for words in map(words_of, texts) if words), Words()) for texts in (found, posts))
    opens = not mine or not theirs or word_f1(mine, theirs) >= MATCH
    return posts_f1(found, posts) * (1 if opens else _MISSED_OPENING)


def posts_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """F1 of the posts of a page: a text is found if its word F1 with a post of its own is at least MATCH."""
    mine = [words for words in map(words_of, found) if words]
    theirs = [words for words in map(words_of, posts) if words]
    near = (
        (word_f1(one, two), i, j)
        for i, one in enumerate(mine)
        for j, two in enumerate(theirs)
        if 3 * min(one.total(), two.total()) >= max(one.total(), two.total()) * 2 - 3
    )
    taken: set[int] = set()
    used: set[int] = set()
    for value, i, j in sorted(near, reverse=True):
        if value >= MATCH and i not in taken and j not in used:
            taken.add(i)
            used.add(j)
    if not mine or not theirs:
        return float(not mine and not theirs)
    return 2 * len(taken) / (len(mine) + len(theirs))
