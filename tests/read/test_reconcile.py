"""Merging pairs of the markup with pairs of the page."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import pytest

from scrapy_semtext.page import QAPair
from scrapy_semtext.read.markup import reconciled

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


def test_other_answers_to_questions_of_the_markup_are_not_added() -> None:
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


_QUOTE = "Take the battery out, wait for a minute, put it back in and press the button."


def _answers(pairs: list[QAPair]) -> list[tuple[str, str | None]]:
    return [(pair.answer, pair.author) for pair in pairs]


@pytest.mark.parametrize("reply", [f"{_QUOTE} That helped, thank you very much!", f"Ann wrote: {_QUOTE} That helped."])
def test_an_answer_that_another_one_quotes_keeps_its_text(reply: str) -> None:
    posts = [(_QUOTE, "Ann"), (reply, "Ben")]
    stated = [_pair(text, "markup", author=author) for text, author in posts]
    for authors in (("Ann", "Ben"), (None, None)):
        shown = [_pair(text, author=author) for (text, _), author in zip(posts, authors, strict=True)]
        assert _answers(reconciled(stated, shown, _PAGE)) == posts
    only_reply = [_pair(reply, author="Ben")]
    assert _answers(reconciled(stated, only_reply, _PAGE)) == posts
    cut = [replace(pair, answer=f"{pair.answer[:40]}...") for pair in stated]
    assert _answers(reconciled(cut, [_pair(text, author=author) for text, author in posts], _PAGE))[0] == posts[0]


def test_a_quotation_that_the_markup_leaves_out_does_not_part_a_post() -> None:
    own = "I tried that twice, and the light still does not go on."
    stated = [_pair(_QUOTE, "markup", votes=3), _pair(own, "markup", author="Ben", votes=1)]
    shown = [_pair(_QUOTE), _pair(f"Ann said: {_QUOTE} {own}", author="Ben"), _pair("Which model is it?")]
    pairs = reconciled(stated, shown, _PAGE)
    assert [(pair.answer, pair.votes) for pair in pairs] == [(_QUOTE, 3), (own, 1), ("Which model is it?", None)]


def test_equal_answers_are_told_apart_by_their_authors() -> None:
    stated = [_pair("Thanks!", "markup", author=name, date=name) for name in ("Ann", "Ben")]
    shown = [_pair("Thanks!", author=name, votes=votes) for name, votes in (("Ben", 2), ("Ann", 1), ("Eva", 0))]
    pairs = reconciled(stated, shown, _PAGE)
    assert [(pair.author, pair.date, pair.votes) for pair in pairs] == [
        ("Ben", "Ben", 2),
        ("Ann", "Ann", 1),
        ("Eva", None, 0),
    ]


def _faq(question: str, answer: str, source: str = "model") -> QAPair:
    return replace(QAPair(question, answer, question), source=source)  # type: ignore[arg-type]


_FAQ = [
    ("Wie lange darf ich es behalten?", "Bis zu vierzehn Tage. Danach kostet es einen Euro am Tag."),
    ("Was kostet ein Schlüssel?", "Acht Euro."),
    ("Darf ich bei Regen fahren?", "Ja."),
    ("Darf ich Kinder mitnehmen?", "Ja."),
]


def test_questions_that_the_markup_leaves_out_come_from_the_page() -> None:
    shown = [_faq(*each) for each in _FAQ]
    old = _faq("Was kostet ein Ersatzrad?", "Danach fragte niemand mehr.", "markup")
    stated = [_faq(*_FAQ[1], "markup"), old, _faq(*_FAQ[3], "markup")]
    pairs = reconciled(stated, shown, [text for each in _FAQ for text in each])
    assert [(pair.answer, pair.source) for pair in pairs] == [
        (_FAQ[0][1], "model"),
        ("Acht Euro.", "markup"),
        (old.answer, "markup"),
        ("Ja.", "model"),
        ("Ja.", "markup"),
    ]


def test_short_answers_to_different_questions_are_different() -> None:
    shown = [_faq(*each) for each in _FAQ]
    for stated in ([_faq(*_FAQ[3], "markup")], [_faq(*_FAQ[1], "markup"), _faq(*_FAQ[3], "markup")]):
        pairs = reconciled(stated, shown, [answer for _, answer in _FAQ])
        assert [(pair.question, pair.answer) for pair in pairs] == _FAQ
        assert pairs[2].source == "model"


def test_markup_of_another_list_than_the_page_shows_stands_alone() -> None:
    stated = [_faq(f"Frage {n}?", f"Antwort auf die Frage mit der Nummer {n}.", "markup") for n in range(3)]
    assert reconciled(stated, [_faq(*each) for each in _FAQ], [pair.answer for pair in stated]) == stated


@pytest.mark.parametrize("end", ["...", " …", " [...]", "… Mehr lesen", ""])
def test_short_answers_that_the_markup_cuts_are_taken_from_the_page(end: str) -> None:
    shown = [_faq(*each) for each in _FAQ]
    stated = [_faq(_FAQ[0][0], _FAQ[0][1][:30] + end, "markup"), _faq(_FAQ[1][0], _FAQ[1][1] + end, "markup")]
    assert [pair.answer for pair in reconciled(stated, shown, [])] == [pair.answer for pair in shown]


def test_cut_text_may_begin_later_on_the_page() -> None:
    shown = [_faq(_FAQ[0][0], f"Antwort: {_FAQ[0][1]}"), _faq(*_FAQ[1])]
    stated = [_faq(_FAQ[0][0], _FAQ[0][1][:30] + "...", "markup"), _faq(*_FAQ[1], "markup")]
    assert [pair.answer for pair in reconciled(stated, shown, [])] == [pair.answer for pair in shown]


def test_what_stands_below_a_whole_answer_is_not_added_to_it() -> None:
    (pair,) = reconciled([_pair("It is broken.", "markup", author="A")], [_pair("It is broken.\nEdited by A")], _PAGE)
    assert pair.answer == "It is broken."


def test_an_answer_that_quotes_the_question_does_not_take_its_place() -> None:
    body = "It does not start any more since I dropped it into the water of the harbour."
    question = {"question": f"How do I reset it?\n{body}", "question_body": body}
    stated = [_pair(f"{body} You cannot.", "markup", question="How do I reset it?", question_body=None)]
    (pair,) = reconciled(stated, [_pair(f"{body} You cannot.", **question)], _PAGE)
    assert pair.question_body == body


@pytest.mark.parametrize("end", ["", " " + _LONG[:50] + "…"])
def test_the_body_of_the_question_is_not_an_answer(end: str) -> None:
    question = {"question": f"How do I reset it?\n{_QUOTE}{end}", "question_body": _QUOTE + end}
    shown = [_pair(f"{_QUOTE} {_LONG}" if end else _QUOTE), _pair(_LONG), _pair("Mine had to be replaced.")]
    pairs = reconciled([_pair(_LONG, "markup", **question)], shown, _PAGE)
    assert [pair.answer for pair in pairs] == [_LONG, "Mine had to be replaced."]


def test_time_is_linear_in_the_pairs() -> None:
    many = [_pair("Thanks!", author=str(n % 7)) for n in range(5_000)]
    begin = perf_counter()
    assert len(reconciled([replace(pair, source="markup") for pair in many], many, [])) == len(many)
    assert perf_counter() - begin < 2.5
