"""Pairs of the markup and pairs of the page, put together."""

from __future__ import annotations

from dataclasses import replace

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
