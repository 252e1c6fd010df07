"""Convert the posts of a thread or Q&A page to question-answer pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_semtext.dom.tree import language
from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.dates import read_dates
from scrapy_semtext.qa.facts import NO_FACTS, facts_of
from scrapy_semtext.qa.question import IS_OPENING, Question, question_of
from scrapy_semtext.qa.records import Records
from scrapy_semtext.qa.replies import parents_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.facts import PostFacts
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.posts import Posts

_NEARLY_ALL = 0.6

#: The minimum probability of main content for the best block of an answer; others are footers and user boxes.
IS_SAID = 0.2


def pairs_of_thread(
    nodes: PageNodes,
    posts: Posts,
    title: str | None,
    url: str | None,
    model: TreeEnsemble,
    main: NDArray[np.float64] | None = None,
) -> list[QAPair]:
    """Return a pair for each answer, in page order; ``model`` decides what the question is.

    ``main``: the probability of main content for each block of the nodes, (blocks,); without it, no answer is rejected
    as boilerplate.
    """
    records = Records(nodes, posts.bodies)
    facts = dict(zip(posts.bodies, facts_of(nodes, posts.bodies, records), strict=True))
    question = question_of(nodes, _by_somebody(facts), posts.scores, title, url, model)
    if main is not None:
        said = [node for node in question.answers if main[nodes.firsts[node] : nodes.lasts[node]].max() >= IS_SAID]
        if question.node is None and len(said) == 1 < len(question.answers):  # the remaining post is the opening post
            return []
        question = question._replace(answers=tuple(said))
    return _pairs(nodes, posts.bodies, facts, records, question, title, posts.probability)


def pairs_of_posts(nodes: PageNodes, bodies: Sequence[int], opening: int | None, title: str | None) -> list[QAPair]:
    """Return a pair for each answer, in page order, given the nodes of the posts and of the question.

    ``opening`` is the node of the opening post, one of ``bodies`` or another; by default it is the first of them.
    """
    records = Records(nodes, bodies, inside=True)  # elements named after users are whole posts
    facts = dict(zip(bodies, facts_of(nodes, bodies, records), strict=True))
    asks = bodies[0] if opening is None else opening
    question = Question(asks, tuple(node for node in bodies if node != asks), 1.0)
    return [replace(pair, source="rule") for pair in _pairs(nodes, bodies, facts, records, question, title, 1.0)]


def _pairs(
    nodes: PageNodes,
    bodies: Sequence[int],
    facts: Mapping[int, PostFacts],
    records: Records,
    question: Question,
    title: str | None,
    score: float,
) -> list[QAPair]:
    shown = question.answers if question.node is None else (question.node, *question.answers)
    authors = [facts[node].author if node in facts else None for node in shown]
    texts = dict(zip(shown, clean_bodies(nodes, shown, authors), strict=True))
    body, asked = None, NO_FACTS
    if question.node is not None:
        body = texts[question.node]
        asked = facts.get(question.node) or facts_of(nodes, shown)[0]
    is_sure = question.probability >= IS_OPENING or not title
    whole = "\n".join(part for part in (title, body if is_sure else None) if part)
    if not whole:
        return []
    answers = [node for node in question.answers if texts[node]]
    stated = [asked.date, *(facts[node].date for node in answers)]
    asked_at, *dates = read_dates(stated, nodes.texts, language(nodes.root))
    parents = dict(zip(bodies, parents_of(nodes, bodies, records), strict=True))
    positions = _positions(answers, {node: bodies[place] for node, place in parents.items() if place >= 0})
    return [
        QAPair(
            question=whole,
            answer=texts[node],
            question_title=title,
            question_body=body,
            author=facts[node].author,
            date=date,
            votes=facts[node].votes,
            accepted=facts[node].accepted,
            source="model",
            score=round(score, 4),
            question_author=asked.author,
            question_date=asked_at,
            question_score=round(question.probability, 4),
            answer_to=answer_to,
            depth=depth,
        )
        for node, date, (answer_to, depth) in zip(answers, dates, positions, strict=True)
    ]


def _positions(answers: Sequence[int], parents: Mapping[int, int]) -> list[tuple[int | None, int]]:
    """Return, for each answer, the position from 1 of the answer it replies to (None: the question), and its depth."""
    places: dict[int, tuple[int, int]] = {}  # the position and depth of each answer
    found: list[tuple[int | None, int]] = []
    for position, node in enumerate(answers, 1):
        above = parents.get(node)
        while above is not None and above not in places:  # that answer was dropped
            above = parents.get(above)
        replied, depth = (None, 0) if above is None else places[above]
        places[node] = position, depth + 1
        found.append((replied, depth + 1))
    return found


def _by_somebody(facts: dict[int, PostFacts]) -> Sequence[int]:
    """Return which posts to keep: if nearly all have author and date, those with neither are notices of the site."""
    signed = [fact.author is not None and fact.date is not None for fact in facts.values()]
    nearly_all = sum(signed) >= max(2, _NEARLY_ALL * len(facts))
    return [node for node, fact in facts.items() if not nearly_all or fact.author is not None or fact.date is not None]
