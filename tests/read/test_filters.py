"""The filters of pairs, and language detection."""

from __future__ import annotations

import re
from typing import Any

import pytest

from scrapy_semtext import QAPair
from scrapy_semtext.read.pair_rows import AnswerMemory, PairRules

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
