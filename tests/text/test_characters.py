"""Characters of many texts, told and counted at once, against patterns that look at each text by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.text.characters import BLANK, CAPITAL, COMMA, DIGIT, LETTER, SPACE, WORD, Characters

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
    assert characters.sums(characters.begins()).tolist() == [len(text.split()) for text in TEXTS]


def test_the_share_of_words_that_others_hold_too() -> None:
    words = frozenset(("text", "of", "words", "naïve", "总则", "snake_case", "tixt"))
    each = [re.findall(r"\w+", text) for text in TEXTS]
    expected = [sum(word in words for word in found) / (len(found) or 1) for found in each]
    assert Characters(TEXTS).share_of(words).tolist() == expected
    assert not np.any(Characters(TEXTS).share_of(frozenset()))
