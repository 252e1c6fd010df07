from __future__ import annotations

import pytest

from scrapy_semtext.train.corpus import word_prf


def test_word_prf_counts_each_word_as_often_as_both_texts_have_it() -> None:
    # the(2) cat sat on mat | the cat sat(2): three words in common of six and of four
    score = word_prf("The cat sat on the mat.", "the cat sat; sat")
    assert score == pytest.approx((3 / 6, 3 / 4, 0.6))
