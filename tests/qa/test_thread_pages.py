"""Threads over several pages: their links, and their pages put together."""

from __future__ import annotations

import pytest

from scrapy_semtext import Block, Page, QAPair, Section
from scrapy_semtext.qa.thread_pages import canonical_url, merge_pages, merge_pairs, next_url, previous_url

URL = "https://forum.test/bread/page-2"


def pair(answer: str, title: str | None = "Bread", body: str | None = None, author: str | None = None) -> QAPair:
    question = "\n".join(filter(None, [title, body]))
    return QAPair(question, answer, question_title=title, question_body=body, author=author)


def test_answers_of_later_pages_get_the_first_pages_question_in_order() -> None:
    first = [pair("Mix.", body="How do I bake it?"), pair("Bake.", body="How do I bake it?")]
    merged = merge_pairs([first, [pair("Wait."), pair("Eat.")], [pair("Thanks.")]])
    assert [p.answer for p in merged] == ["Mix.", "Bake.", "Wait.", "Eat.", "Thanks."]
    assert {(p.question, p.question_title, p.question_body) for p in merged} == {
        ("Bread\nHow do I bake it?", "Bread", "How do I bake it?")
    }


def test_a_title_that_counts_pages_is_the_same_question() -> None:
    merged = merge_pairs([[pair("Mix.", body="How?")], [pair("Eat.", title="Bread | Page 2")]])
    assert [p.question for p in merged] == ["Bread\nHow?"] * 2


def test_what_a_later_page_shows_again_comes_once() -> None:
    question, accepted = "How do I bake it?", "Mix, then bake."
    first = [pair(accepted, body=question, author="a"), pair("Buy it.", body=question)]
    second = [pair("How do I bake it ?"), pair(accepted, author="a"), pair(accepted, author="b")]
    merged = merge_pairs([first, second])
    assert [(p.answer, p.author) for p in merged] == [(accepted, "a"), ("Buy it.", None), (accepted, "b")]


@pytest.mark.parametrize("turn", [1, -1])
def test_pages_of_several_questions_keep_them(turn: int) -> None:
    pages = [[pair("Yes.", "Can I?"), pair("No.", "Must I?")], [pair("Soon.", "When?")]][::turn]
    assert {p.question for p in merge_pairs(pages)} == {"Can I?", "Must I?", "When?"}


def test_a_question_of_its_own_on_a_later_page_stays() -> None:
    merged = merge_pairs([[pair("Mix.", body="How?")], [pair("Salt.", "Taste", "Why so flat?")]])
    assert [p.question for p in merged] == ["Bread\nHow?", "Taste\nWhy so flat?"]


@pytest.mark.parametrize("pages", [[], [[]], [[], []]])
def test_threads_without_pairs_have_none(pages: list[list[QAPair]]) -> None:
    assert merge_pairs(pages) == []


def test_one_page_is_itself() -> None:
    page = Page("u", "Bread", "Text", [Block("Text", "main", 0.9)], [pair("Mix.", body="How?")], page_kind="forum")
    assert merge_pages([page]) == page


def test_pages_follow_each_other_under_the_first_ones_title() -> None:
    first = Page("u", "Bread", "One", [Block("One", "main", 0.9)], sections=[Section("Bread", "One")])
    second = Page("u/2", "Bread, page 2", "Two", [Block("Two", "main", 0.9)], sections=[Section(None, "Two")])
    merged = merge_pages([first, second])
    assert (merged.url, merged.title, merged.main_text) == ("u", "Bread", "One\nTwo")
    assert [block.text for block in merged.blocks] == ["One", "Two"]
    assert [section.text for section in merged.sections] == ["One", "Two"]
    assert first.main_text == "One"


def test_no_pages_make_no_thread() -> None:
    with pytest.raises(ValueError, match="no pages"):
        merge_pages([])


@pytest.mark.parametrize(
    ("html", "canonical", "following", "previous"),
    [
        (
            '<link rel="canonical" href="/bread"><link rel=prev href="/bread"><link rel="next" href="page-3#top">',
            "https://forum.test/bread",
            "https://forum.test/bread/page-3",
            "https://forum.test/bread",
        ),
        ('<a rel="nofollow NEXT" href="?page=3">', URL, f"{URL}?page=3", None),
        ('<base href="https://cdn.test/x/"><a rel=next href="p3">', URL, "https://cdn.test/x/p3", None),
        ('<a rel="next" href="javascript:void(0)"><a rel="prev" href="">', URL, None, None),
        ('<a rel="next" href="https://[::1">', URL, None, None),
        ('<a rel="next" href="#">', URL, None, None),
        ("", URL, None, None),
    ],
)
def test_links_of_a_page(html: str, canonical: str, following: str | None, previous: str | None) -> None:
    assert canonical_url(html, f"{URL}#post7") == canonical
    assert next_url(html, URL) == following
    assert previous_url(html, URL) == previous
