"""From posts to pairs: which post is the question, and what is not a post."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from posting import posts_of

from scrapy_semtext.read.posts import Posts, load_pair_models
from scrapy_semtext.read.question import Question, find_question
from scrapy_semtext.read.threads import pairs_of_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.tree.nodes import PageNodes


def _pairs(html: str) -> list[QAPair]:
    """Return the pairs of a page with certain posts; the shipped model decides which of them is the question."""
    nodes, bodies = posts_of(html)
    scores = np.full(len(nodes), -6.0)
    scores[bodies] = 6.0
    posts = Posts(tuple(bodies), 0.87654, scores=scores)
    return pairs_of_thread(nodes, posts, _TITLE, None, load_pair_models().posts.question)


def _post(text: str, author: str = "", date: str = "", kind: str = "post") -> str:
    by = f"<a class='author' href='/user/{author}'>{author}</a>" if author else ""
    return f"<article class='{kind}'>{by} <time>{date}</time><div class='text'>{text}</div></article>"


_TITLE = "Why does the spout of my kettle leak?"
_OPENING = (
    "The spout of my kettle leaks since last week, and I do not know why. The seal looks fine. Has anybody an idea what"
    " else it could be, and how can I make it tight again?"
)
_THREAD = (
    _post(_OPENING, "Ann", "2024-05-03") + _post("Glue it.", "Bob", "2024-05-04") + _post("No!", "Cy", "2024-05-05")
)


@pytest.mark.smoke
def test_the_first_post_is_the_question() -> None:
    pairs = _pairs(_THREAD)
    assert [(pair.answer, pair.author) for pair in pairs] == [("Glue it.", "Bob"), ("No!", "Cy")]
    assert {(pair.question_title, pair.question_body) for pair in pairs} == {(_TITLE, _OPENING)}
    assert (pairs[0].source, pairs[0].score) == ("model", 0.8765)
    assert (pairs[0].question_author, pairs[0].question_date) == ("Ann", "2024-05-03")
    assert 0.5 < pairs[0].question_score <= 1


def test_a_doubtful_body_is_part_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubtful(_nodes: PageNodes, posts: Sequence[int], *_: object) -> Question:
        return Question(posts[0], tuple(posts[1:]), 0.55)

    monkeypatch.setattr("scrapy_semtext.read.threads.find_question", doubtful)
    pairs = _pairs(_THREAD)
    assert {(pair.question, pair.question_score) for pair in pairs} == {(f"{_TITLE}\n{_OPENING}", 0.55)}


def test_what_answers_what_is_counted_among_the_pairs() -> None:
    reply = _post("Which glue?", "Ann", "2024-05-05")
    nested = _post("Glue it.", "Bob", "2024-05-04").replace("</article>", f"{reply}</article>")
    opening, last = _post(_OPENING, "Ann", "2024-05-03"), _post("No!", "Cy", "2024-05-06")
    pairs = _pairs(f"{opening}<section>{nested}{last}</section>")
    assert [(pair.answer, pair.answer_to, pair.depth) for pair in pairs] == [
        ("Glue it.", None, 1),
        ("Which glue?", 1, 2),
        ("No!", None, 1),
    ]


def test_furniture_is_neither_question_nor_answer() -> None:
    nodes, posts = posts_of(_THREAD)
    scores, model = np.zeros(len(nodes)), load_pair_models().posts.question
    furniture = {block for post in (posts[0], posts[2]) for block in range(nodes.firsts[post], nodes.lasts[post])}
    found = find_question(nodes, posts, scores, _TITLE, None, model, furniture=furniture)
    assert (found.node, found.answers) == (None, (posts[1],))


def test_a_notice_of_the_site_among_signed_posts_is_no_post() -> None:
    notice = "<article><div class='text'>Thanks for contributing an answer!</div></article>"
    assert [pair.answer for pair in _pairs(_THREAD + notice)] == ["Glue it.", "No!"]


def test_a_signature_directly_behind_a_post_is_no_post() -> None:
    foot = "<p class='profile'><b><a href='#top'>Top</a></b></p>"
    page = "".join(
        _post(text, name, f"2024-05-0{day}").replace("</article>", f"{sign}{foot}</article>")
        for day, (text, name, sign) in enumerate(
            [
                (_OPENING, "Ann", "<p>Kettles since 1999</p>"),
                ("Glue it.", "Bob", "<div class='text'>Only the brave.</div>"),
                ("No!", "Cy", "<p>Tea first</p>"),
            ],
            start=3,
        )
    )
    assert [(pair.answer, pair.author) for pair in _pairs(page)] == [("Glue it.", "Bob"), ("No!", "Cy")]


def test_a_notice_below_an_unanswered_question_is_no_answer() -> None:
    opening, answer = _post(_OPENING, "Ann", "2024-05-03"), "<div class='text'>Log in to reply.</div>"
    assert _pairs(f"<main>{opening}{answer}</main>") == []
    assert [pair.answer for pair in _pairs(f"<main>{opening}{_post('Glue it.', 'Bob', '2024-05-04')}</main>")] == [
        "Glue it."
    ]
