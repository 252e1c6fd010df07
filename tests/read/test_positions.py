"""Renumbering of pairs after some are removed."""

from __future__ import annotations

from scrapy_semtext import QAPair
from scrapy_semtext.page import renumbered


def tree(*answers_to: int | None) -> list[QAPair]:
    """Return pairs named by their positions, which answer those at these positions."""
    return [QAPair("Why?", str(place), answer_to=above) for place, above in enumerate(answers_to, 1)]


def kept(pairs: list[QAPair], *positions: int) -> list[tuple[str, int | None]]:
    """Return what the pairs at these positions answer when in this order."""
    places = {position - 1: new for new, position in enumerate(positions, 1)}
    return [(pair.answer, pair.answer_to) for pair in renumbered(pairs, places)]


def test_pairs_that_all_stay_are_as_they_were() -> None:
    pairs = tree(None, 1, 2, None)
    assert renumbered(pairs, {0: 1, 1: 2, 2: 3, 3: 4}) == pairs


def test_pairs_that_are_left_out_are_not_counted() -> None:
    assert kept(tree(None, None, 2, 3), 2, 3, 4) == [("2", None), ("3", 1), ("4", 2)]


def test_a_reply_to_what_is_left_out_answers_what_stands_above() -> None:
    assert kept(tree(None, 1, 2, 3, 3), 1, 4, 5) == [("1", None), ("4", 1), ("5", 1)]
    assert kept(tree(None, 1, 2), 3) == [("3", None)]


def test_pairs_may_come_in_another_order() -> None:
    assert kept(tree(None, 1, None, 2), 4, 3, 2, 1) == [("4", 3), ("3", None), ("2", 4), ("1", None)]


def test_depth_stays_so_that_replies_can_be_told_from_answers() -> None:
    pairs = [QAPair("Why?", "Thus."), QAPair("Why?", "How so?", answer_to=1, depth=2)]
    assert renumbered(pairs, {1: 1}) == [QAPair("Why?", "How so?", depth=2)]


def test_answers_to_no_pair_answer_the_question() -> None:
    assert kept(tree(0, 7, -1), 1, 2, 3) == [("1", None), ("2", None), ("3", None)]


def test_pairs_that_answer_each_other_in_a_circle_end() -> None:
    assert kept(tree(2, 3, 1, 1), 4) == [("4", None)]
