"""The readers' comments on a page that is no thread, from the posts that were found on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.page import Comment
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.posts import Posts


def comments_of(nodes: PageNodes, posts: Posts) -> list[Comment]:
    """Return the comments in page order; those without text are left out."""
    texts, facts = clean_bodies(nodes, posts.bodies), facts_of(nodes, posts.bodies)
    place: dict[int, int] = {}  # of each comment among those with text
    comments: list[Comment] = []
    for number, (text, fact, parent) in enumerate(zip(texts, facts, parents_of(nodes, posts.bodies), strict=True)):
        if text:
            place[number] = len(comments)
            comments.append(Comment(text, fact.author, fact.date, place.get(parent)))
    return comments


def parents_of(nodes: PageNodes, bodies: Sequence[int]) -> list[int]:
    """Return for each comment the number of the one that it answers, -1 where the page's structure shows none.

    Replies stand inside the record of what they answer: the innermost element that holds both is deeper than the one
    that holds all comments, and the reply's body is deeper than that of its parent.
    """
    outermost = int(nodes.depth[innermost_around(nodes, bodies[0], bodies[-1])])
    parents, open_comments = [], list[int]()
    for number, body in enumerate(bodies):
        while open_comments and nodes.depth[bodies[open_comments[-1]]] >= nodes.depth[body]:
            open_comments.pop()
        parent = open_comments[-1] if open_comments else -1
        if parent >= 0 and nodes.depth[innermost_around(nodes, bodies[parent], body)] <= outermost:
            parent = -1
        parents.append(parent)
        open_comments.append(number)
    return parents


def innermost_around(nodes: PageNodes, one: int, other: int) -> int:
    """The innermost element that holds a node and the last block of another that stands behind it."""
    while nodes.lasts[one] < nodes.lasts[other]:
        one = nodes.parents[one]
    return one
