"""The posts of a thread in its tree of elements, and drawn trees of replies."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import html as lxml_html

from scrapy_semtext.read.threads import innermost_around
from scrapy_semtext.train.posts import MATCH, PairPage, body_labels, word_f1, words_of
from scrapy_semtext.tree.nodes import disjoint

if TYPE_CHECKING:
    from random import Random

    from lxml.html import HtmlElement


def element(tag: str, names: str | None, text: str | None = None, **attributes: str) -> HtmlElement:
    """Create an element with these names as its class, and a text."""
    made = lxml_html.Element(tag, **attributes)
    if names:
        made.set("class", names)
    made.text = text
    return made


_LIKELY_DEEPER = (0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, slots=True)
class ThreadParts:
    """The elements of a thread with at least two answers; ``root`` is its tree.

    ``bodies`` contain the text of each post; ``records``, one for each, contain everything that belongs to the post and
    nothing of another. ``answers`` is the innermost element around the answers, maybe with the opening post.
    """

    root: Any
    bodies: list[Any]
    records: list[Any]
    answers: Any


def parts_of(page: PairPage) -> ThreadParts | None:
    """Find the posts of a page; None if not all are found, or if two are in an element that belongs to one of them."""
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
    if any(one is other for one, other in pairwise(records)) or records[0] in bodies[1].iterancestors():
        return None
    return ThreadParts(nodes.root, bodies, records, answers)


def child_with(inner: Any, outer: Any) -> Any:
    """Return the child of ``outer`` that ``inner`` is, or is in."""
    while inner.getparent() is not outer:
        inner = inner.getparent()
    return inner


def random_parents(count: int, rng: Random) -> list[int]:
    """Draw the answer that each one replies to, -1 for the question; each follows its parent's other replies.

    Therefore the order of the answers is that of a displayed tree.
    """
    deeper = rng.choice(_LIKELY_DEEPER)
    above: list[int] = []  # the last answer and its ancestors
    parents = []
    for number in range(count):
        while above and rng.random() > deeper:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(number)
    return parents
