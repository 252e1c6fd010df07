"""Trees of replies as dialogues."""

from __future__ import annotations

from scrapy_semtext import QAPair
from scrapy_semtext.qa.pair_rows import Row, dialogues, rows_of


def rows(*pairs: QAPair) -> list[Row]:
    return list(rows_of({"qa_pairs": list(pairs)}, {}, {}))


def post(answer: str, answer_to: int | None = None, depth: int = 1) -> QAPair:
    return QAPair("It leaks.", answer, answer_to=answer_to, depth=depth)


def test_answers_that_nobody_replies_to_are_pairs() -> None:
    assert [*dialogues(rows(post("Glue it."), post("Buy one.")))] == [
        ["It leaks.", "Glue it."],
        ["It leaks.", "Buy one."],
    ]


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


def test_a_last_reply_without_an_answer_is_left_out() -> None:
    thread = rows(post("Glue it."), post("Thanks!", 1, 2), post("Which glue?", 1, 2))
    assert [*dialogues(thread)] == [["It leaks.", "Glue it."]]


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


def test_questions_of_a_page_are_dialogues_of_their_own() -> None:
    faq = rows(QAPair("How long?", "An hour."), QAPair("How hot?", "Very."))
    assert [*dialogues(faq)] == [["How long?", "An hour."], ["How hot?", "Very."]]


def test_pairs_that_do_not_say_what_they_answer_answer_the_question() -> None:
    of_a_spider = rows_of({"qa_pairs": [{"question": "How long?", "answer": "An hour."}]}, {}, {})
    an_item = rows_of({"question": "How hot?", "answer": "Very."}, {}, {})
    assert [*dialogues([*of_a_spider, *an_item])] == [["How long?", "An hour."], ["How hot?", "Very."]]


def test_without_pairs_there_are_no_dialogues() -> None:
    assert [*dialogues([])] == []


def said(author: str, answer: str, votes: int | None = None) -> QAPair:
    return QAPair("It leaks.", answer, author=author, question_author="Mia", votes=votes)


def test_a_thread_whose_asker_comes_back_is_one_dialogue() -> None:
    posts = [("Ben", "Glue it."), ("Eva", "Yes."), ("Mia", "Which?"), ("Ben", "Any."), ("Mia", "Thanks.")]
    thread = rows(*(said(*each) for each in posts))
    assert [*dialogues(thread)] == [["It leaks.", "Glue it.\n\nYes.", "Which?", "Any."]]


def test_a_thread_whose_asker_does_not_come_back_or_is_not_answered_is_pairs() -> None:
    for thread in (
        rows(said("Ben", "Glue it."), said("Eva", "Buy one.")),
        rows(said("Ben", "Glue it.", votes=2), said("Mia", "I bought one.", votes=1), said("Eva", "Tape.", votes=0)),
    ):
        assert len([*dialogues(thread)]) == len(thread)
    assert [*dialogues([])] == []
