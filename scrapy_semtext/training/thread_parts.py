"""Where the posts of a thread stand in its tree, so that variants of the page can be made of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.qa.nodes import disjoint
from scrapy_semtext.qa.replies import innermost_around
from scrapy_semtext.training.post_labels import MATCH, body_labels, word_f1, words_of

if TYPE_CHECKING:
    from scrapy_semtext.training.pair_pages import PairPage


@dataclass(frozen=True, slots=True)
class ThreadParts:
    """The elements of a thread with at least two answers; ``root`` is its tree.

    ``bodies`` hold the text of each post; ``records``, one for each, hold all that belongs to the post and nothing of
    another. ``answers`` is the innermost element around the answers, which may hold the opening post as well.
    """

    root: Any
    bodies: list[Any]
    records: list[Any]
    answers: Any


def parts_of(page: PairPage) -> ThreadParts | None:
    """Find the posts of a page; None where not all are found, or where two share an element that is not of both."""
    nodes = page.nodes()
    found = disjoint(np.flatnonzero(body_labels(nodes, page.posts)).tolist(), nodes.first, nodes.last)
    if len(found) < 3 or len(found) != len(page.posts):
        return None
    texts = zip(map(nodes.text, found), page.posts, strict=True)
    if any(word_f1(words_of(text), words_of(post)) < MATCH for text, post in texts):
        return None
    bodies = [nodes.scopes[node].element for node in found]
    answers = nodes.scopes[innermost_around(nodes, found[1], found[-1])].element
    around_all = nodes.scopes[innermost_around(nodes, found[0], found[-1])].element
    records = [child_with(bodies[0], around_all), *(child_with(body, answers) for body in bodies[1:])]
    if any(one is other for one, other in pairwise(records)) or _holds(records[0], bodies[1]):
        return None
    return ThreadParts(nodes.root, bodies, records, answers)


def child_with(element: Any, outer: Any) -> Any:
    """The child of an element that another, inside it, is or is in."""
    while element.getparent() is not outer:
        element = element.getparent()
    return element


def drop(element: Any) -> None:
    """Take an element out of its tree; the text behind it stays."""
    parent, before, tail = element.getparent(), element.getprevious(), element.tail
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    element.tail = None
    parent.remove(element)


def _holds(outer: Any, element: Any) -> bool:
    return any(around is outer for around in element.iterancestors())
