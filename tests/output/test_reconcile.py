"""Merging pairs of the markup with pairs of the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrapy_semtext.output.reconcile import reconciled
from scrapy_semtext.page import QAPair

_LONG = "Take the battery out, wait for a minute, put it back in and press the button until the light goes on again."
_PAGE = ["How do I reset it?", "It does not start.", _LONG, "Mine had to be replaced.", "Which model is it?"]


def _pair(answer: str, source: str = "model", **more: object) -> QAPair:
    pair = QAPair("How do I reset it?\nIt does not start.", answer, "How do I reset it?", "It does not start.")
    return replace(pair, source=source, **more)  # type: ignore[arg-type]


def test_without_markup_the_pairs_are_those_of_the_page() -> None:
    shown = [_pair(_LONG)]
    assert reconciled([], shown, _PAGE) == shown


def test_text_that_the_markup_cuts_short_is_taken_from_the_page() -> None:
    (pair,) = reconciled([_pair(_LONG[:90] + "…", "markup", author="Ann")], [_pair(_LONG, author="A.")], _PAGE)
    assert (pair.answer, pair.author, pair.source, pair.shown) == (_LONG, "Ann", "markup", True)


def test_a_pair_that_the_page_does_not_show_is_marked() -> None:
    stated = [_pair(_LONG, "markup"), _pair("Call us and we will be pleased to help.", "markup")]
    assert [pair.shown for pair in reconciled(stated, [_pair(_LONG)], _PAGE)] == [True, False]


def test_posts_that_the_markup_leaves_out_come_from_the_page_in_its_order() -> None:
    shown = [_pair(_LONG), _pair("Mine had to be replaced."), _pair("Which model is it?")]
    pairs = reconciled([_pair("Mine had to be replaced.", "markup", votes=3)], shown, _PAGE)
    assert [(pair.source, pair.votes) for pair in pairs] == [("model", None), ("markup", 3), ("model", None)]


def test_markup_that_says_more_than_the_page_stands() -> None:
    stated = [_pair(_LONG, "markup"), _pair("Mine had to be replaced.", "markup")]
    assert reconciled(stated, [_pair("Which model is it?")], _PAGE) == stated


def test_facts_that_the_markup_lacks_are_taken_from_the_page() -> None:
    (pair,) = reconciled([_pair(_LONG, "markup")], [_pair(_LONG, date="2024-05-03", accepted=True)], _PAGE)
    assert (pair.date, pair.accepted) == ("2024-05-03", True)


def test_questions_that_only_the_page_lists_are_not_added_to_those_of_the_markup() -> None:
    stated = [_pair(_LONG, "markup"), _pair("Which model is it?", "markup", question_title="What now?")]
    shown = [_pair(_LONG), _pair("Which model is it?", question_title="What now?"), _pair("Mine had to be replaced.")]
    assert len(reconciled(stated, shown, _PAGE)) == 2


def test_what_answers_what_is_what_the_page_shows() -> None:
    shown = [_pair(_LONG), _pair("Which model is it?", answer_to=1, depth=2), _pair("Mine.", answer_to=2, depth=3)]
    stated = [_pair("Call us.", "markup"), _pair("Mine.", "markup"), _pair(_LONG, "markup")]
    assert [(pair.answer, pair.answer_to, pair.depth) for pair in reconciled(stated, shown, _PAGE)] == [
        ("Call us.", None, 1),  # the page does not show it
        ("Mine.", 3, 3),  # the reply between this and the next is not in the markup
        (_LONG, None, 1),
    ]


def test_what_answers_what_is_what_the_markup_states_if_it_does() -> None:
    replies = [_pair(_LONG, "markup"), _pair("Which model is it?", "markup", answer_to=1, depth=2)]
    flat = [_pair("Mine."), _pair(_LONG), _pair("Which model is it?")]

    of_page = reconciled(replies, flat, _PAGE)  # in the order of the page, which shows more
    assert [(pair.answer, pair.answer_to, pair.depth) for pair in of_page] == [
        ("Mine.", None, 1),
        (_LONG, None, 1),
        ("Which model is it?", 2, 2),
    ]
    assert [(pair.answer_to, pair.depth) for pair in reconciled(replies, flat[1:], _PAGE)] == [(None, 1), (1, 2)]


def test_posts_that_the_markup_leaves_out_have_its_question() -> None:
    shown = [_pair(_LONG), _pair("Mine had to be replaced.")]
    stated = [_pair(_LONG, "markup", question="Reset", question_title="Reset", question_body=None)]
    pairs = reconciled(stated, shown, _PAGE)
    assert {pair.question for pair in pairs} == {"Reset\nIt does not start."}
    assert [pair.source for pair in pairs] == ["markup", "model"]


def test_who_asked_and_how_sure_that_is_comes_from_the_page() -> None:
    of_page: dict[str, Any] = {"question_author": "Ann", "question_date": "2024-05-01", "question_score": 0.8}
    untold = _pair(_LONG, "markup", question="How do I reset it?", question_body=None)
    (pair,) = reconciled([untold], [_pair(_LONG, **of_page)], _PAGE)
    assert (pair.question_body, pair.question_author, pair.question_date) == ("It does not start.", "Ann", "2024-05-01")
    assert pair.question_score == 0.8

    (pair,) = reconciled([_pair(_LONG, "markup")], [_pair(_LONG, **of_page)], _PAGE)
    assert pair.question_score == 1.0, "the markup states the body"


def test_a_doubtful_body_stays_apart_from_the_question() -> None:
    doubtful = _pair(_LONG, question="How do I reset it?", question_score=0.5)
    untold = replace(doubtful, source="markup", question_body=None, question_score=1.0)
    (pair,) = reconciled([untold], [doubtful], _PAGE)
    assert (pair.question, pair.question_body, pair.question_score) == ("How do I reset it?", "It does not start.", 0.5)

    (pair,) = reconciled([_pair(_LONG, "markup")], [doubtful], _PAGE)
    assert (pair.question, pair.question_score) == ("How do I reset it?\nIt does not start.", 1.0)


def test_what_the_markup_states_as_an_answer_is_not_the_body_of_the_question() -> None:
    title = "How do I reset it?"
    stated = [
        _pair(answer, "markup", question=title, question_body=None) for answer in (_LONG, "Mine had to be replaced.")
    ]
    first_post_as_body = _pair("Mine had to be replaced.", question=f"{title}\n{_LONG}", question_body=_LONG)
    pairs = reconciled(stated, [first_post_as_body], [_LONG, "Mine had to be replaced."])
    assert [(pair.question, pair.question_body, pair.answer) for pair in pairs] == [
        (title, None, _LONG),
        (title, None, "Mine had to be replaced."),
    ]
