"""What becomes of pairs that were found: rules, duplicates, positions and dialogues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_semtext import QAPair
from scrapy_semtext.page import renumbered
from scrapy_semtext.read.pair_rows import AnswerMemory, PairMemory, PairRules, Row, conversations, pair_rows

pytest.importorskip("datasketch")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


PAIR = QAPair("How do I bake bread?", "Slowly.", votes=2, accepted=False, score=0.5)
REPLY = QAPair("How do I bake bread?", "How slowly?", answer_to=1, depth=2)
SILENT = QAPair("How do I bake bread?", "Slowly.")  # neither votes nor accepted


SIGN_IN = "Please sign in or create an account to reply to this topic."
HOSTS = ("https://a.test/1", "https://a.test/2", "https://b.test/1", None)


def repeated(answers: list[tuple[str, str | None]], most: int = 3, size: int = 50_000) -> list[bool]:
    memory = AnswerMemory(size)
    pairs = [(url, QAPair(f"Question {number}?", answer)) for number, (answer, url) in enumerate(answers)]
    return [memory.is_repeated(url, pair, most) for url, pair in pairs]


@pytest.mark.parametrize(
    ("answers", "dropped"),
    [
        ([(SIGN_IN, HOSTS[place % 2]) for place in range(5)], [False, False, False, True, True]),
        ([(SIGN_IN, HOSTS[0])] * 3 + [(SIGN_IN.upper(), HOSTS[1])], [False, False, False, True]),
        ([("请先登录或注册账号，然后才能回复这个主题。" * 2, HOSTS[0])] * 4, [False, False, False, True]),
        ([(SIGN_IN, HOSTS[place * 2 % 4]) for place in range(6)], [False] * 6),
        ([("Thanks!", HOSTS[0])] * 5, [False] * 5),
        ([(SIGN_IN, None)] * 5, [False] * 5),
    ],
)
def test_answers_under_many_questions_of_a_host_are_none(
    answers: list[tuple[str, str | None]], dropped: list[bool]
) -> None:
    assert repeated(answers) == dropped


def test_an_answer_may_stand_again_under_its_own_questions() -> None:
    memory = AnswerMemory()
    pairs = [QAPair(f"Question {place % 2}?", SIGN_IN) for place in range(9)]
    assert not any(memory.is_repeated(HOSTS[0], pair, 2) for pair in pairs)
    assert memory.is_repeated(HOSTS[0], QAPair("Another?", SIGN_IN), 2)


def test_few_answers_are_remembered() -> None:
    others = [(f"{SIGN_IN} {number}", HOSTS[0]) for number in range(3)]
    assert repeated([(SIGN_IN, HOSTS[0]), *others, (SIGN_IN, HOSTS[0])], most=1, size=2) == [False] * 5


@pytest.mark.parametrize(
    ("rules", "pair", "reason"),
    [
        ({}, PAIR, None),
        ({"min_score": 0.5}, PAIR, None),
        ({"min_score": 0.6}, PAIR, "score"),
        ({"min_votes": 2}, PAIR, None),
        ({"min_votes": 3}, PAIR, "votes"),
        ({"min_votes": 3}, SILENT, None),  # a page that shows no votes says nothing against its answers
        ({"accepted_only": True}, PAIR, "not_accepted"),
        ({"accepted_only": True}, SILENT, "not_accepted"),
        ({"accepted_only": True}, QAPair("Q", "A", accepted=True), None),
        ({"min_question": 21}, PAIR, "question_short"),
        ({"min_question": 20, "max_question": 20}, PAIR, None),
        ({"max_question": 19}, PAIR, "question_long"),
        ({"min_answer": 8}, PAIR, "answer_short"),
        ({"max_answer": 6}, PAIR, "answer_long"),
        ({"max_depth": 1}, PAIR, None),
        ({"max_depth": 1}, REPLY, "depth"),
        ({"max_depth": 2}, REPLY, None),
    ],
)
def test_rules(rules: dict[str, Any], pair: QAPair, reason: str | None) -> None:
    assert PairRules(**rules).reason_to_drop(pair) == reason


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"min_score": 2}, "min_score is 2; it has to be a number from 0 to 1"),
        ({"min_score": float("nan")}, "min_score is nan; it has to be a number from 0 to 1"),
        ({"min_votes": 1.5}, "min_votes is 1.5; it has to be a whole number or None"),
        ({"accepted_only": "yes"}, "accepted_only is 'yes'; it has to be True or False"),
        ({"min_question": -1}, "min_question is -1; it has to be a whole number of at least 0"),
        ({"min_answer": 5, "max_answer": 4}, "max_answer is 4; it has to be None or a whole number of at least 5"),
        ({"max_depth": 0}, "max_depth is 0; it has to be a whole number of at least 1 or None"),
        ({"max_depth": 1.5}, "max_depth is 1.5; it has to be a whole number of at least 1 or None"),
        ({"max_depth": True}, "max_depth is True; it has to be a whole number of at least 1 or None"),
        ({"languages": "en"}, "languages is 'en'; it has to be a list of language codes, such as ['en', 'de']"),
        ({"languages": ["English!"]}, "languages has 'English!' in it, which is not a language code"),
    ],
)
def test_rules_that_cannot_be_say_what_would_do(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        PairRules(**rules)


def test_of_a_language_tag_the_language_counts() -> None:
    assert PairRules(languages=("pt-BR", "EN", "zh_Hant")).languages == ("pt", "en", "zh")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "answer", "language"),
    [
        ("How do I bake bread at home?", "Mix flour and water, wait for a day, then bake it.", "en"),
        ("Wie backe ich Brot?", "Mehl und Wasser mischen, einen Tag warten, dann backen.", "de"),
        ("怎么在家烤面包?", "把面粉和水混合,等一天,然后烤。", "zh"),
        ("家でパンを焼くにはどうすればいいですか?", "小麦粉と水を混ぜます。", "ja"),
        ("ok?", "42", None),
        ("", "", None),
        ("\ud83d", "\ud83d", None),
    ],
)
def test_languages(question: str, answer: str, language: str | None) -> None:
    pytest.importorskip("py3langid")
    from scrapy_semtext.read.pair_rows import language_of

    assert language_of(QAPair(question, answer)) == language


def test_languages_that_cannot_be_told_are_refused() -> None:
    pytest.importorskip("py3langid")
    from scrapy_semtext.read.pair_rows import check_languages

    check_languages(["en", "zh"])
    with pytest.raises(ValueError, match=r"the language 'tlh' cannot be detected; did you mean .+ these can: ace, af"):
        check_languages(["en", "tlh"])
    with pytest.raises(ValueError, match=r"'eng' cannot be detected; did you mean 'en'\?"):
        check_languages(["eng"])


LONG = " ".join(f"This is step number {n} of the recipe, and step {n * 7} is like it." for n in range(30))


def memory(size: int = 100, threshold: float = 0.85) -> PairMemory:
    return PairMemory(threshold, size)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (("How do I bake?", "Mix it, then bake it."), ("How do I bake?", "Mix it, then bake it."), True),
        (("How do I bake?", "Mix it, then bake it."), ("HOW DO I BAKE", "mix it;  then bake it!"), True),
        (("How?", LONG), ("How?", LONG + " Enjoy."), True),
        (("How?", "Yes."), ("How?", "No."), False),
        (("May I?", "Yes."), ("Must I?", "Yes."), False),
        ((LONG, "Mix it, then bake it."), (LONG, "Buy it at the shop."), False),  # answers to a long question
        (("面包怎么烤?", "把面粉和水混合,然后烤四十分钟。"), ("面包怎么烤", "把面粉和水混合,然后烤四十分钟!"), True),
        (("面包怎么烤?", "把面粉和水混合,然后烤四十分钟。"), ("面包怎么烤?", "去商店买。"), False),
        (("パンの焼き方は?", "小麦粉と水を混ぜて焼きます。"), ("パンの焼き方は", "小麦粉と水を混ぜて焼きます"), True),
        (("?", "!"), ("?", "..."), True),
        (("half \ud83d?", "\ud83d"), ("half \ud83d", "\ud83d"), True),
    ],
)
def test_near_identical_pairs(first: tuple[str, str], second: tuple[str, str], *, same: bool) -> None:
    seen = memory()
    assert seen.is_new(QAPair(*first))
    assert seen.is_new(QAPair(*second)) is not same


def test_the_threshold_says_how_near() -> None:
    first, second = QAPair("How?", LONG), QAPair("How?", LONG[: len(LONG) * 3 // 4])
    strict, loose = memory(threshold=0.95), memory(threshold=0.5)
    assert [strict.is_new(first), strict.is_new(second)] == [True, True]
    assert [loose.is_new(first), loose.is_new(second)] == [True, False]


def test_no_more_are_remembered_than_fit_and_what_is_met_stays() -> None:
    seen = memory(size=3)
    pairs = [QAPair(f"Question {name}?", f"{name} is the answer to it.") for name in ("one", "two", "three", "four")]
    assert [seen.is_new(pair) for pair in pairs[:3]] == [True] * 3
    assert not seen.is_new(pairs[0])  # met again, so the second is now the one that was not met for longest
    assert seen.is_new(pairs[3])
    assert len(seen) == 3
    assert not seen.is_new(pairs[0])
    assert seen.is_new(pairs[1])


def test_what_was_saved_is_remembered(tmp_path: Path) -> None:
    seen, later, small = memory(), memory(), memory(size=1)
    pairs = [QAPair(f"Question {n}?", f"Answer {n} of many.") for n in ("one", "two")]
    assert all(seen.is_new(pair) for pair in pairs)
    seen.save(tmp_path / "state.npy")
    later.load(str(tmp_path / "state.npy"))
    small.load(tmp_path / "state.npy")
    assert [later.is_new(pair) for pair in pairs] == [False, False]
    assert [small.is_new(pair) for pair in reversed(pairs)] == [False, True], "the last ones are kept"


@pytest.mark.parametrize("content", [b"", b"not numpy", b"\x93NUMPY\x01\x00"])
def test_a_broken_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "state.npy").write_bytes(content)
    with pytest.raises((ValueError, OSError)):
        memory().load(tmp_path / "state.npy")


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
