from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.utils.bootstrap import Resamples


def test_draws_are_the_same_for_all_systems_so_equal_ones_differ_by_nothing() -> None:
    easy = np.random.default_rng(5).random((50, 1))
    draws = Resamples(50, resamples=200, seed=3)
    difference = draws.mean(easy - 0.1) - draws.mean(easy)
    assert difference == pytest.approx(np.full((201, 1), -0.1))
    assert (Resamples(50, 200, seed=4).mean(easy) != draws.mean(easy))[1:].any()


def test_pooled_scores_are_of_the_summed_counts() -> None:
    counts = np.array([[3, 4, 6], [1, 1, 1], [0, 0, 3]], dtype=float)
    scores = Resamples(3, resamples=500).pooled(counts)
    assert scores.shape == (501, 3)
    assert scores[0] == pytest.approx((4 / 5, 4 / 10, 8 / 15))
    # three times the last page: nothing is found
    assert any(row == pytest.approx((0, 0, 0)) for row in scores)
    assert Resamples(2, resamples=1).pooled(np.zeros((2, 3))) == pytest.approx(np.ones((2, 3)))
