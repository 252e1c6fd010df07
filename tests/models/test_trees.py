"""Trees as arrays give the same scores as the library that fitted them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("lightgbm")

import lightgbm

from scrapy_semtext.models import trees as ensembles
from scrapy_semtext.models.trees import TreeEnsemble
from scrapy_semtext.train.fit import ensemble_of


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(5000, 6)).astype(np.float32)


def test_scores_equal_those_of_the_library(rows: np.ndarray) -> None:
    targets = (rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(int)
    settings = {"objective": "binary", "num_leaves": 15, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(rows, targets), 30)
    trees = ensemble_of(booster)
    assert np.allclose(trees.scores(rows), booster.predict(rows, raw_score=True))
    assert np.allclose(trees.predict(rows), booster.predict(rows))
    assert ((trees.predict(rows) > 0.5) == targets).mean() > 0.9


def test_rows_go_where_the_trees_of_double_precision_send_them() -> None:
    """0.1 has no single-precision representation: the nearest one is greater, and goes to the right."""
    trees = TreeEnsemble(
        roots=np.array([0, 3], dtype=np.int32),
        feature=np.array([0, -1, -1, -1], dtype=np.int32),  # the second tree is a leaf alone
        threshold=np.array([0.1, 0, 0, 0]),
        left=np.array([1, 1, 2, 3], dtype=np.int32),
        right=np.array([2, 1, 2, 3], dtype=np.int32),
        value=np.array([0.0, 1.0, 2.0, 10.0]),
        depth=1,
        columns=1,
    )
    assert trees.scores(np.array([[0.1], [0.09999999], [np.nan]], dtype=np.float32)).tolist() == [12.0, 11.0, 12.0]


def ensemble(rows: np.ndarray, leaves: int) -> tuple[TreeEnsemble, np.ndarray]:
    """Return trees with this many leaves, and the library's scores of the rows."""
    settings = {"objective": "l2", "num_leaves": max(leaves, 2), "min_data_in_leaf": 1, "verbose": -1, "num_threads": 1}
    targets = np.ones(len(rows)) if leaves == 1 else np.exp(rows[:, 0]) - rows[:, 1]
    booster = lightgbm.train(settings, lightgbm.Dataset(rows, targets), 6)
    return ensemble_of(booster), np.asarray(booster.predict(rows, raw_score=True))


@pytest.mark.parametrize("leaves", [1, 2, 24, 31, 32, 33, 64])
def test_the_kernel_and_numpy_give_identical_scores(
    rows: np.ndarray, leaves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, expected = ensemble(rows, leaves)
    count = 3 if leaves > 1 else 1  # without a split there is one tree
    scores, outputs = trees.scores(rows), trees.output_scores(rows, count)
    assert np.allclose(scores, expected)
    assert np.allclose(outputs.sum(1), expected)
    monkeypatch.setattr(ensembles, "quickscorer", None)
    assert np.array_equal(trees.scores(rows), scores)
    assert np.array_equal(trees.output_scores(rows, count), outputs)


@pytest.mark.parametrize("leaves", [1, 2, 24, 33])
def test_rows_have_the_same_scores_alone_and_among_others(rows: np.ndarray, leaves: int) -> None:
    trees, _ = ensemble(rows, leaves)
    scores = trees.scores(rows)
    for count in (0, 1, 8, 9, 16, 17, 33, 64, 65, 513):
        assert np.array_equal(trees.scores(rows[:count]), scores[:count])
        assert np.array_equal(trees.scores(np.asfortranarray(rows[:count])), scores[:count])


def test_trees_of_more_than_64_leaves_are_refused(rows: np.ndarray) -> None:
    with pytest.raises(ValueError, match="65 leaves; at most 64"):
        ensemble(rows, 65)


@pytest.mark.slow
def test_trees_are_trained_without_torch() -> None:
    modules = ", ".join(f"scrapy_semtext.train.{name}" for name in ("kinds", "pairs", "sections", "structure"))
    code = f"import sys; sys.modules['torch'] = None; import {modules}"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
