"""Characters of many texts, classified and counted at once, compared with patterns on each text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.words.characters import BLANK, CAPITAL, COMMA, DIGIT, LETTER, SPACE, WORD, Characters

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = [
    "Plain text, of 12 words; or so.",
    " led in by\tblanks",
    "ÄRGER naïve ΟΔΟΣ İstanbul ǅungla \u0301",
    "第三章 总则，共１２条、附录",
    "x² Ⅷ ٣ \U0001f600 snake_case\xa0\u200b",
    "-",
]
KINDS: dict[int, Callable[[str], object]] = {
    WORD: re.compile(r"\w").match,
    SPACE: str.isspace,
    BLANK: " ".__eq__,
    DIGIT: re.compile(r"\d").match,
    COMMA: re.compile("[,;、，；،]").match,
    LETTER: str.isalpha,
    CAPITAL: str.isupper,
}


@pytest.mark.parametrize("kind", KINDS)
def test_characters_of_a_kind_are_counted_by_text(kind: int) -> None:
    characters = Characters(TEXTS)
    found = characters.sums(characters.kinds & kind != 0)
    ends = int(kind == SPACE)  # the newline behind each
    assert found.tolist() == [sum(bool(KINDS[kind](each)) for each in text) + ends for text in TEXTS]


def test_words_begin_behind_white_space() -> None:
    characters = Characters(TEXTS)
    assert characters.sums(characters.word_starts()).tolist() == [len(text.split()) for text in TEXTS]


def test_words_with_their_lines_and_hashes() -> None:
    characters = Characters(TEXTS)
    begins, ends = characters.words
    each = [(line, word) for line, text in enumerate(TEXTS) for word in re.findall(r"\w+", text)]
    assert characters.line_numbers(begins).tolist() == [line for line, _ in each]
    assert (ends - begins).tolist() == [len(word) for _, word in each]
    hashes = characters.word_hashes(begins, ends).tolist()
    assert len(set(hashes)) == len({word.lower() for _, word in each})


def test_lower_case_has_the_same_hash() -> None:
    pairs = [("WORD", "word"), ("ÄRGER", "ärger"), ("ΟΔΟΣ", "οδος"), ("ДОМ", "дом")]
    for upper, lower in pairs:
        characters = Characters([upper, lower])
        assert len(set(characters.word_hashes(*characters.words).tolist())) == 1
        assert len(set(characters.word_keys(*characters.words).tolist())) == 1
