from __future__ import annotations

import pytest

from scrapy_semtext.training.scoring import PRF, mean_prf, word_prf, words


def test_words_are_lower_cased_and_without_signs() -> None:
    assert words("Don't PANIC, it's café-time: 42_a") == ["don", "t", "panic", "it", "s", "café", "time", "42_a"]


def test_word_prf_counts_each_word_as_often_as_both_texts_have_it() -> None:
    # the(2) cat sat on mat | the cat sat(2): three words in common of six and of four
    score = word_prf("The cat sat on the mat.", "the cat sat; sat")
    assert score == pytest.approx((3 / 6, 3 / 4, 0.6))


def test_word_prf_does_not_look_at_order() -> None:
    assert word_prf("b a", "a b") == PRF(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("predicted", "truth", "expected"),
    [
        ("", "", PRF(1.0, 1.0, 1.0)),
        ("...", "", PRF(1.0, 1.0, 1.0)),
        ("words", "", PRF(0.0, 0.0, 0.0)),
        ("", "words", PRF(0.0, 0.0, 0.0)),
        ("some", "others", PRF(0.0, 0.0, 0.0)),
    ],
)
def test_word_prf_of_empty_texts(predicted: str, truth: str, expected: PRF) -> None:
    assert word_prf(predicted, truth) == expected


def test_mean_prf_is_the_mean_of_pages() -> None:
    assert mean_prf([PRF(1.0, 0.5, 0.6), PRF(0.0, 0.5, 0.0)]) == PRF(0.5, 0.5, 0.3)
    assert mean_prf([]) == PRF(0.0, 0.0, 0.0)
