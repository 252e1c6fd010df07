"""Trees of replies as dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_semtext import QAPair
from scrapy_semtext.read.pair_rows import Row, conversations, pair_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def dialogues(rows: Sequence[Row], **options: bool) -> Iterator[list[str]]:
    return (turns for turns, _ in conversations(rows, **{"dialogues": True, **options}))


def rows(*pairs: QAPair) -> list[Row]:
    return list(pair_rows({"qa_pairs": list(pairs)}, {}, {}))


def post(answer: str, answer_to: int | None = None, depth: int = 1) -> QAPair:
    return QAPair("It leaks.", answer, answer_to=answer_to, depth=depth)


def test_answers_that_nobody_replies_to_are_pairs() -> None:
    assert [*dialogues(rows(post("Glue it."), post("Buy one.")))] == [
        ["It leaks.", "Glue it."],
        ["It leaks.", "Buy one."],
    ]


@pytest.mark.smoke
def test_there_is_a_dialogue_along_each_branch() -> None:
    thread = rows(
        post("Glue it."),
        post("Which glue?", 1, 2),
        post("Any.", 2, 3),
        post("Epoxy.", 2, 3),
        post("Is that safe?", 4, 4),
        post("Yes.", 5, 5),
        post("Buy one."),
    )
    assert [*dialogues(thread)] == [
        ["It leaks.", "Glue it.", "Which glue?", "Any."],
        ["It leaks.", "Glue it.", "Which glue?", "Epoxy.", "Is that safe?", "Yes."],
        ["It leaks.", "Buy one."],
    ]


def test_no_dialogue_is_the_beginning_of_another() -> None:
    thread = rows(post("Glue it."), post("Thanks!", 1, 2), post("Which glue?", 1, 2), post("Any.", 3, 3))
    assert [*dialogues(thread)] == [["It leaks.", "Glue it.", "Which glue?", "Any."]]


def test_replies_whose_parent_was_filtered_out_are_left_out() -> None:
    answered_by_nobody = post("Any.", None, 3)  # the reply that it answers is missing
    thread = rows(answered_by_nobody, post("Is it safe?", 1, 4), post("Yes.", 2, 5), post("Buy one."))
    assert [*dialogues(thread)] == [["It leaks.", "Buy one."]]


def test_replies_may_stand_before_what_they_answer() -> None:
    thread = rows(post("Any.", 2, 3), post("Which glue?", 3, 2), post("Glue it."))
    assert [*dialogues(thread)] == [["It leaks.", "Glue it.", "Which glue?", "Any."]]


def test_pairs_that_do_not_say_what_they_answer_answer_the_question() -> None:
    of_a_spider = pair_rows({"qa_pairs": [{"question": "How long?", "answer": "An hour."}]}, {}, {})
    an_item = pair_rows({"question": "How hot?", "answer": "Very."}, {}, {})
    assert [*dialogues([*of_a_spider, *an_item])] == [["How long?", "An hour."], ["How hot?", "Very."]]


def said(author: str | None, answer: str, answer_to: int | None = None, depth: int = 1, **values: Any) -> QAPair:
    values = {"author": author, "question_author": "Mia", "answer_to": answer_to, "depth": depth, **values}
    return QAPair("It leaks.", answer, **values)


def test_answers_by_the_asker_are_not_the_assistants() -> None:
    thread = rows(said("mia ", "I forgot: it is a boat."), said("Ben", "Glue it."), said(None, "Sell it."))
    assert [*dialogues(thread, dialogues=False)] == [["It leaks.", "Glue it."], ["It leaks.", "Sell it."]]
    assert len([*dialogues(thread, dialogues=False, keep_asker=True)]) == 3
    assert [*dialogues(thread)] == [["It leaks.", "Glue it."], ["It leaks.", "Sell it."]]


def test_a_thread_of_the_asker_alone_is_no_conversation() -> None:
    alone = rows(said("Mia", "I forgot: it is a boat."), said("Mia", "I sold it."))
    for is_dialogue in (False, True):
        assert [*dialogues(alone, dialogues=is_dialogue)] == []
        assert len([*dialogues(alone, dialogues=is_dialogue, keep_asker=True)]) == 2


def test_what_the_asker_adds_belongs_to_the_turn_before_it() -> None:
    thread = rows(
        said("Mia", "I forgot: it is a boat."),
        said("Ben", "Glue it.", 1, 2),
        said("Eva", "Really?", 2, 3),
        said("Mia", "I doubt it, too.", 3, 4),
        said("Ben", "Tar it.", 4, 5),
        said("Mia", "Thanks.", 5, 6),
    )
    assert [*dialogues(thread)] == [
        ["It leaks.\n\nI forgot: it is a boat.", "Glue it.", "Really?\n\nI doubt it, too.", "Tar it."]
    ]


@pytest.mark.parametrize("name", ["", "Guest", "[deleted]", "Anonymous"])
def test_names_of_many_are_not_those_of_the_asker(name: str) -> None:
    thread = rows(said(name, "Glue it.", question_author=name))
    assert [*dialogues(thread, dialogues=False)] == [*dialogues(thread)] == [["It leaks.", "Glue it."]]


def test_a_thread_whose_asker_comes_back_is_one_dialogue() -> None:
    posts = [("Ben", "Glue it."), ("Eva", "Yes."), ("Mia", "Which?"), ("Ben", "Any."), ("Mia", "Thanks.")]
    thread = rows(*(said(*each) for each in posts))
    assert [*dialogues(thread)] == [["It leaks.", "Glue it.\n\nYes.", "Which?", "Any."]]


def test_a_thread_whose_asker_does_not_come_back_or_is_not_answered_is_pairs() -> None:
    for thread in (
        rows(said("Ben", "Glue it."), said("Eva", "Tape.")),
        rows(said("Ben", "Glue it.", votes=2), said("Mia", "I bought one.", votes=1), said("Eva", "Tape.", votes=0)),
    ):
        assert [*dialogues(thread)] == [["It leaks.", "Glue it."], ["It leaks.", "Tape."]]
