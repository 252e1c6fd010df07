"""The choice of blocks by expected F1, compared with all possible choices."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from scrapy_semtext.models.scores import expected_f1_choice, highest_expected_f1, shifted
from scrapy_semtext.words.characters import word_counts


def ratio(keep: tuple[int, ...], p: np.ndarray, w: np.ndarray) -> float:
    """Return F1 computed from expected counts, for any choice."""
    kept = np.array(keep, dtype=bool)
    size = w[kept].sum() + (p * w).sum()
    return float(2 * (p * w)[kept].sum() / size) if size else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_no_other_choice_has_a_higher_ratio(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, w = rng.random(9) ** 2, rng.integers(1, 60, 9).astype(float)
    chosen = ratio(tuple(expected_f1_choice(p, w, logit_shift_std=0.0)), p, w)
    assert chosen == pytest.approx(max(ratio(keep, p, w) for keep in product((0, 1), repeat=9)))


@pytest.mark.smoke
def test_of_an_unsure_page_the_likelier_half_is_kept_where_a_threshold_keeps_nothing() -> None:
    keep = expected_f1_choice([0.4, 0.45, 0.01, 0.02], [50, 100, 10, 10])
    assert keep.tolist() == [True, True, False, False]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_doubtful_page_is_judged_by_the_mean_over_strict_and_generous_readers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, w = rng.random(12), rng.integers(1, 60, 12).astype(float)
    shifts = rng.standard_normal(4000)
    order = np.argsort(-p)
    prefixes = [np.isin(np.arange(12), order[: k + 1]) for k in range(12)]
    means = [np.mean([ratio(tuple(keep), shifted(p, s), w) for s in shifts]) for keep in prefixes]
    chosen = expected_f1_choice(p, w, logit_shift_std=1.0)
    assert means[int(chosen.sum()) - 1] == pytest.approx(max(means), abs=0.003)
    assert highest_expected_f1(p, w) == pytest.approx(max(means), abs=0.01)


def test_shifts_are_of_the_log_odds() -> None:
    assert shifted(np.array([0.0, 0.5, 1.0]), np.log(3.0)).tolist() == pytest.approx([0.0, 0.75, 1.0])


def test_nothing_is_kept_of_a_page_without_blocks_or_without_probability() -> None:
    assert expected_f1_choice([], []).tolist() == []
    assert expected_f1_choice([0.0, 0.0], [5, 5]).tolist() == [False, False]
    assert highest_expected_f1([0.0, 0.0], [5, 5]) == 1.0


def test_words_are_counted_as_the_word_f1_counts_them() -> None:
    assert word_counts(["It's 5 o'clock - now", "…", ""]).tolist() == [6, 0, 0]
