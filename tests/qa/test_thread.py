"""Posts to pairs: which post is the question, and what is no post."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from posting import posts_of

from scrapy_semtext.dom import tree
from scrapy_semtext.qa.posts import Posts
from scrapy_semtext.qa.thread import is_later_page, pairs_of_thread

if TYPE_CHECKING:
    from scrapy_semtext.page import QAPair


def _pairs(html: str, title: str | None = "Why?", url: str | None = None) -> list[QAPair]:
    nodes, bodies = posts_of(html)
    return pairs_of_thread(nodes, Posts(tuple(bodies), 0.87654), title, url, nodes.scopes[0].element)


def _post(text: str, author: str = "", date: str = "", kind: str = "post") -> str:
    by = f"<a class='author' href='/user/{author}'>{author}</a>" if author else ""
    return f"<article class='{kind}'>{by} <time>{date}</time><div class='text'>{text}</div></article>"


_THREAD = (
    _post("It leaks.", "Ann", "2024-05-03") + _post("Glue it.", "Bob", "2024-05-04") + _post("No!", "Cy", "2024-05-05")
)


def test_the_first_post_is_the_question() -> None:
    pairs = _pairs(_THREAD)
    assert [(pair.question, pair.answer, pair.author) for pair in pairs] == [
        ("Why?\nIt leaks.", "Glue it.", "Bob"),
        ("Why?\nIt leaks.", "No!", "Cy"),
    ]
    assert (pairs[0].question_title, pairs[0].question_body) == ("Why?", "It leaks.")
    assert (pairs[0].source, pairs[0].score) == ("model", 0.8765)


def test_on_later_pages_all_posts_are_answers() -> None:
    pairs = _pairs(_THREAD, url="https://example.com/thread/1?page=2")
    assert [(pair.question, pair.answer) for pair in pairs] == [
        ("Why?", "It leaks."),
        ("Why?", "Glue it."),
        ("Why?", "No!"),
    ]


def test_where_all_posts_are_named_answers_the_title_is_the_question() -> None:
    html = _post("Because.", kind="answer") + _post("Just so.", kind="answer")
    assert [(pair.question, pair.answer) for pair in _pairs(html)] == [("Why?", "Because."), ("Why?", "Just so.")]


def test_a_notice_of_the_site_among_signed_posts_is_no_post() -> None:
    notice = "<article><div class='text'>Thanks for contributing an answer!</div></article>"
    assert [pair.answer for pair in _pairs(_THREAD + notice)] == ["Glue it.", "No!"]


def test_without_title_and_question_there_are_no_pairs() -> None:
    assert _pairs(_THREAD, title=None, url="https://example.com/thread/1?page=2") == []


@pytest.mark.parametrize(
    ("url", "later"),
    [
        ("https://example.com/thread/1", False),
        ("https://example.com/thread/1?page=1", False),
        ("https://example.com/thread/1?page=2", True),
        ("https://example.com/threads/kettle.17/page-3", True),
        ("https://example.com/thema/kessel/seite/2", True),
        ("https://example.com/viewtopic.php?f=1&t=2&start=0", False),
        ("https://example.com/viewtopic.php?f=1&t=2&start=15", True),
        ("https://example.com/viewtopic.php?p=1234", False),
        ("https://example.com/page-setup-2024", False),
        (None, False),
    ],
)
def test_later_pages_by_their_address(url: str | None, later: bool) -> None:
    assert is_later_page(url, tree.parse("<p>x</p>")) is later


@pytest.mark.parametrize(
    ("url", "before", "later"),
    [
        ("https://example.com/t/kettle/3", "/t/kettle/3?page=1", True),
        ("https://example.com/viewtopic.php?t=3&view=next", "viewtopic.php?t=2&view=previous", False),
        ("https://example.com/t/kettle/3", "/t/spout/2", False),
    ],
)
def test_a_link_to_the_page_before_is_not_one_to_the_thread_before(url: str, before: str, later: bool) -> None:
    assert is_later_page(url, tree.parse(f"<head><link rel='prev' href='{before}'></head><p>x</p>")) is later


@pytest.mark.parametrize(
    ("url", "before"), [("https://[bad/t/1", "/t/1?page=1"), ("https://example.com/t/1", "http://[bad")]
)
def test_broken_addresses_do_no_harm(url: str, before: str) -> None:
    assert is_later_page(url, tree.parse(f"<head><link rel='prev' href='{before}'></head><p>x</p>")) is False


def test_the_number_of_a_page_may_be_absurd() -> None:
    assert is_later_page(f"https://example.com/thread/1?page={'9' * 5_000}", None)
