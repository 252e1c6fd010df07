"""Threads over several pages: their links, and merging their pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scrapy_semtext import Block, Comment, Page, QAPair, Section
from scrapy_semtext.page import Chunk
from scrapy_semtext.read.thread_pages import as_article, canonical_url, merge_pages, merge_pairs, previous_url
from scrapy_semtext.threads import next_url

URL = "https://forum.test/bread/page-2"


def pair(answer: str, title: str | None = "Bread", body: str | None = None, author: str | None = None) -> QAPair:
    question = "\n".join(filter(None, [title, body]))
    return QAPair(question, answer, question_title=title, question_body=body, author=author)


@pytest.mark.smoke
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


def test_the_first_post_of_a_later_page_is_an_answer_even_if_it_was_taken_for_the_question() -> None:
    first = [replace(pair("Mix.", body="How?"), question_author="Ann", question_date="1 May", question_score=0.9)]
    taken: dict[str, Any] = {"question_author": "Bob", "question_date": "2 May", "question_score": 0.7, "score": 0.8}
    second = [replace(pair(answer, "Bread - Page 2", "Buy it."), **taken) for answer in ("No!", "Eat.")]
    doubtful = replace(pair("Thanks.", "Bread - Page 3"), question_body="Yes.", question_score=0.5)
    merged = merge_pairs([first, second, [doubtful]])
    assert [p.answer for p in merged] == ["Mix.", "Buy it.", "No!", "Eat.", "Yes.", "Thanks."]
    assert (merged[1].author, merged[1].date, merged[1].score) == ("Bob", "2 May", 0.8)
    assert {(p.question, p.question_author, p.question_date, p.question_score) for p in merged} == {
        ("Bread\nHow?", "Ann", "1 May", 0.9)
    }


def test_a_question_without_a_title_is_given_back_too() -> None:
    merged = merge_pairs([[pair("Mix.", None, "How?")], [pair("Eat.", None, "Buy it.")]])
    assert [(p.question, p.answer) for p in merged] == [("How?", "Mix."), ("How?", "Buy it."), ("How?", "Eat.")]


def test_a_later_page_may_show_the_question_again_above_its_answers() -> None:
    question = "How do I bake it? " * 20
    merged = merge_pairs([[pair("Mix.", body=question)], [pair("Eat.", body=f"{question} Edited: thanks.")]])
    assert [(p.answer, p.question_body) for p in merged] == [("Mix.", question), ("Eat.", question)]


@pytest.mark.parametrize("body", ["???", "\N{THINKING FACE}"])
def test_a_question_of_signs_is_no_answer(body: str) -> None:
    merged = merge_pairs([[pair("Mix.", body=body)], [pair(body), pair("!"), pair("Eat.", body=body)]])
    assert [p.answer for p in merged] == ["Mix.", "!", "Eat."]


def tree(page: list[QAPair]) -> list[tuple[str, int | None, int]]:
    return [(p.answer, p.answer_to, p.depth) for p in page]


def reply(answer: str, answer_to: int, depth: int = 2) -> QAPair:
    return replace(pair(answer), answer_to=answer_to, depth=depth)


def test_replies_are_counted_in_the_whole_thread() -> None:
    first = [pair("Mix."), reply("What?", 1), reply("Flour.", 2, 3)]
    second = [replace(p, question_body="Buy it.") for p in (pair("No!"), reply("Why?", 1))]
    assert tree(merge_pairs([first, second])) == [
        ("Mix.", None, 1),
        ("What?", 1, 2),
        ("Flour.", 2, 3),
        ("Buy it.", None, 1),  # was taken for the question
        ("No!", None, 1),
        ("Why?", 5, 2),
    ]


def test_replies_to_what_is_shown_again_are_replies_to_what_was_shown_before() -> None:
    first = [pair("Mix.", body="How?"), replace(reply("What?", 1), question="Bread\nHow?", question_body="How?")]
    second = [pair("How?"), reply("Tell us more.", 1), pair("What?"), reply("Flour.", 3), reply("And water.", 4, 3)]
    assert tree(merge_pairs([first, second])) == [
        ("Mix.", None, 1),
        ("What?", 1, 2),
        ("Tell us more.", None, 1),  # answers the question
        ("Flour.", 2, 3),
        ("And water.", 4, 4),
    ]


def test_replies_to_no_pair_of_their_page_are_replies_to_none() -> None:
    page = [reply("Mix.", 0), reply("Eat.", 3), reply("Wait.", 7)]
    assert [p.answer_to for p in merge_pairs([[pair("Salt it.")], page])] == [None] * 4


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


def test_chunks_and_markdown_of_later_pages_follow() -> None:
    pages = [
        Page(
            "u",
            "Bread",
            text,
            chunks=[Chunk(text, ["Bread"], "u", 0, 0, len(text), 1)],
            markdown=f"# Bread\n\n{text}\n",
        )
        for text in ("One", "Two", "Three")
    ]
    merged = merge_pages(pages)
    assert [merged.main_text[chunk.start : chunk.end] for chunk in merged.chunks] == ["One", "Two", "Three"]
    assert [chunk.position for chunk in merged.chunks] == [0, 1, 2]
    assert merged.markdown == "# Bread\n\nOne\n\nTwo\n\nThree\n"


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
        ('<base href="https://forum.test/x/"><a rel=next href="p3">', URL, "https://forum.test/x/p3", None),
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


def test_a_thread_as_an_article_ends_where_its_first_comment_begins() -> None:
    texts = ("A post.", "Its end.", "Thank you all!", "Agreed.", "Not in a pair")
    pairs = [
        QAPair("A post.", "Thank you all!\nSee you.", author="Ann", date="2024-05-01"),
        QAPair("A post.", "Agreed.", answer_to=1, depth=2),
    ]
    page = Page(
        main_text="\n".join(texts),
        blocks=[Block("Agreed.", "boilerplate", 0.1), *(Block(text, "main", 0.9) for text in texts)],
        qa_pairs=pairs,
        page_kind="forum",
        markdown="# Post\n\nA post.\n\nIts end.\n\n**Thank you** all!\n",
    )
    article = as_article(page)
    assert (article.main_text, article.page_kind, article.qa_pairs) == ("A post.\nIts end.", "article", [])
    assert [block.text for block in article.blocks if block.is_main] == ["A post.", "Its end."]
    assert article.markdown == "# Post\n\nA post.\n\nIts end.\n"
    assert article.comments == [
        Comment("Thank you all!\nSee you.", "Ann", "2024-05-01"),
        Comment("Agreed.", parent=0),
    ]
    alone = replace(page, main_text="Agreed.\nAll of it.", blocks=[])
    assert as_article(alone).main_text == alone.main_text
