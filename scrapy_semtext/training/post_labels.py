"""Training labels of nodes and of sets of nodes (posts and comments), and scores of sets on pages with known posts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.facts import facts_of
from scrapy_semtext.training.scoring import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.runs import Candidate
    from scrapy_semtext.training.post_fit import PostExample

#: Word F1 from which a text counts as the same post (as in the scoring of pairs).
MATCH = 0.8

_MISSED_OPENING = 1 / 3
_LEAST, _BELOW_BEST = 0.75, 0.04  # a body has at least this word F1, and at most this much less than the best node
_FOUND = 0.6  # F1 from which a set counts as known comments; lower without the first comment
_INSIDE, _OUTSIDE = 0.5, 0.2  # shares of the texts' three-word runs that are in the main text
_WITH_FACTS = 0.5  # minimum share of texts with an author, or a date

Words = Counter[str]


def words_of(text: str) -> Words:
    """Return the words of a text with their counts."""
    return Counter(words(text))


def word_f1(one: Words, two: Words) -> float:
    """Return the harmonic mean of precision and recall of the words."""
    shared = sum((one & two).values())
    return 2 * shared / (one.total() + two.total()) if shared else 0.0


def body_labels(nodes: PageNodes, posts: Sequence[str]) -> NDArray[np.int8]:
    """Return 1 for each node whose text is nearly that of a post, else 0; (nodes,)."""
    of_blocks = [words_of(block.text) for block in nodes.blocks]
    totals = np.concatenate([[0], np.cumsum([found.total() for found in of_blocks])])
    sizes = totals[nodes.last] - totals[nodes.first]
    labels = np.zeros(len(nodes), dtype=np.int8)
    known: dict[tuple[int, int], Words] = {}
    for post in filter(None, map(words_of, posts)):
        near = np.flatnonzero((sizes >= 0.6 * post.total()) & (sizes <= 1.7 * post.total() + 4))
        likeness = {node: word_f1(_node_words(nodes, node, of_blocks, known), post) for node in near.tolist()}
        least = max(_LEAST, max(likeness.values(), default=0) - _BELOW_BEST)
        for node, value in likeness.items():
            labels[node] |= value >= least
    return labels


def _node_words(nodes: PageNodes, node: int, of_blocks: list[Words], known: dict[tuple[int, int], Words]) -> Words:
    key = (int(nodes.first[node]), int(nodes.last[node]))
    if key not in known:
        total: Words = Counter()
        for found in of_blocks[key[0] : key[1]]:
            total.update(found)
        known[key] = total
    return known[key]


def set_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """Return `posts_f1`, or a third of it if the first text is not the first post, the question of all pairs."""
    mine, theirs = (next(filter(None, map(words_of, texts)), Words()) for texts in (found, posts))
    opens = not mine or not theirs or word_f1(mine, theirs) >= MATCH
    return posts_f1(found, posts) * (1 if opens else _MISSED_OPENING)


def posts_f1(found: Sequence[str], posts: Sequence[str]) -> float:
    """Return the F1 of the posts of a page: a text is found if its word F1 with a distinct post is at least MATCH."""
    mine = list(filter(None, map(words_of, found)))
    theirs = list(filter(None, map(words_of, posts)))
    if not mine or not theirs:
        return float(not mine and not theirs)
    found_posts = likest_pairs(
        (value, i, j)
        for i, one in enumerate(mine)
        for j, two in enumerate(theirs)
        if 3 * min(one.total(), two.total()) >= max(one.total(), two.total()) * 2 - 3
        and (value := word_f1(one, two)) >= MATCH
    )
    return 2 * len(found_posts) / (len(mine) + len(theirs))


def likest_pairs(near: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """Pair texts one to one, the most similar first, given similarities and the indexes of both."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, one, other in sorted(near, reverse=True):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def comment_label(example: PostExample, bodies: Candidate, texts: Sequence[str], *, named: bool) -> bool | None:
    """Return whether ``bodies``, with these texts, are the comments of a page; None if unknown.

    It is known on pages made for this purpose. Other page sets only give the main text: texts outside it, in elements
    ``named`` for comments, with an author or a date each, are assumed to be comments; texts in the main text, or
    without any of these, are not; the rest is unknown.
    """
    page = example.page
    if page.role == "comments":
        return set_f1(texts, page.posts) >= _FOUND
    if not example.may_have_comments:
        return False
    inside = _share_inside(texts, page.main_text)
    if inside >= _INSIDE:
        return False
    facts = facts_of(example.nodes, bodies)
    known = max(sum(fact.author is not None for fact in facts), sum(fact.date is not None for fact in facts))
    if named and inside < _OUTSIDE and known >= _WITH_FACTS * len(facts):
        return True
    return None if named or known else False


def _share_inside(texts: Iterable[str], main_text: str) -> float:
    """Return the share of the texts' three-word runs that the main text has."""
    runs: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        runs.update(_runs(text))
    return (runs & _runs(main_text)).total() / max(1, runs.total())


def _runs(text: str) -> Counter[tuple[str, ...]]:
    found = words(text)
    return Counter(zip(found, found[1:], found[2:], strict=False))
