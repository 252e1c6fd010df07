"""The readers' comments on a page that is no thread, from the posts that were found on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.page import Comment
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.facts import facts_of
from scrapy_semtext.qa.records import Records
from scrapy_semtext.qa.replies import parents_of

if TYPE_CHECKING:
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.posts import Posts


def comments_of(nodes: PageNodes, posts: Posts) -> list[Comment]:
    """Return the comments in page order; those without text are left out."""
    records = Records(nodes, posts.bodies)
    texts, facts = clean_bodies(nodes, posts.bodies), facts_of(nodes, posts.bodies, records)
    place: dict[int, int] = {}  # of each comment among those with text
    comments: list[Comment] = []
    parents = parents_of(nodes, posts.bodies, records)
    for number, (text, fact, parent) in enumerate(zip(texts, facts, parents, strict=True)):
        if text:
            place[number] = len(comments)
            comments.append(Comment(text, fact.author, fact.date, place.get(parent)))
    return comments
