"""The posts of a thread or Q&A page to question-answer pairs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.facts import facts_of
from scrapy_semtext.qa.posts import Posts
from scrapy_semtext.qa.thread_pages import previous_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.facts import PostFacts
    from scrapy_semtext.qa.nodes import PageNodes

_ANSWER = frozenset(("answer", "answers", "reply", "replies"))
_QUESTION = frozenset(("question", "topic", "starter", "original", "opening", "first"))
_NEARLY_ALL = 0.6
_LEVELS = 4  # elements around the first post whose names tell what it is

# What gives the number of a page in an address, and the highest number of a first page.
_PAGES = (
    (
        re.compile(
            r"[?&;](?:page|pg|seite|sivu)=(\d+)|/(?:page|seite|sivu)[-/]?(\d+)(?=[/?#.]|$)"
            r"|[-_](?:page|seite|sivu)[-_]?(\d+)",
            re.IGNORECASE,
        ),
        1,
    ),
    (re.compile(r"[?&;](?:start|offset|st)=(\d+)", re.IGNORECASE), 0),
)
# So many digits of a number tell whether it is higher; an address may have thousands.
_DIGITS = 9


def pairs_of_thread(nodes: PageNodes, posts: Posts, title: str | None, url: str | None, root: Any) -> list[QAPair]:
    """Return a pair for each answer, in page order.

    The first post is the question's body, unless the page is not a thread's first, or shows answers alone (as Quora
    does, where the title is the whole question).
    """
    facts = facts_of(nodes, posts.bodies)
    kept = [place for place, stays in enumerate(_by_somebody(facts)) if stays]
    posts = Posts(tuple(posts.bodies[place] for place in kept), posts.probability)
    facts = [facts[place] for place in kept]
    texts = clean_bodies(nodes, posts.bodies)
    opens = not is_later_page(url, root) and not _begins_with_answer(nodes, posts)
    body = texts[0] if opens else None
    question = "\n".join(part for part in (title, body) if part)
    if not question:
        return []
    return [
        QAPair(
            question=question,
            answer=text,
            question_title=title,
            question_body=body,
            author=fact.author,
            date=fact.date,
            votes=fact.votes,
            accepted=fact.accepted,
            source="model",
            score=round(posts.probability, 4),
        )
        for text, fact in list(zip(texts, facts, strict=True))[1 if opens else 0 :]
        if text
    ]


def is_later_page(url: str | None, root: Any) -> bool:
    """Whether the address, or a link to the page before, says that this is not the first page of a thread.

    A link "prev" may as well lead to the thread before; it counts if both addresses differ by the page alone.
    """
    if not url:
        return False
    if any(
        int(next(filter(None, found.groups()))[:_DIGITS]) > least
        for pattern, least in _PAGES
        for found in pattern.finditer(url)
    ):
        return True
    before = previous_url(root, url)
    return before is not None and _without_page(before) == _without_page(url)


def _without_page(url: str) -> str:
    for pattern, _ in _PAGES:
        url = pattern.sub("", url)
    return url.partition("#")[0].rstrip("/?&").partition("://")[2]


def _by_somebody(facts: Sequence[PostFacts]) -> list[bool]:
    """Which posts to keep: where nearly all have author and date, what has neither is a notice of the site."""
    signed = [fact.author is not None and fact.date is not None for fact in facts]
    nearly_all = sum(signed) >= max(2, _NEARLY_ALL * len(facts))
    return [not nearly_all or fact.author is not None or fact.date is not None for fact in facts]


def _begins_with_answer(nodes: PageNodes, posts: Posts) -> bool:
    """Whether the first post is named an answer, and as the others are, so that it is not the question."""
    first = nodes.names_near(posts.bodies[:1], _LEVELS)
    return not first.isdisjoint(_ANSWER) and first.isdisjoint(_QUESTION)
