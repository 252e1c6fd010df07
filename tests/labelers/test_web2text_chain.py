"""Viterbi and marginals of Web2Text's chain compared with all labelings."""

from __future__ import annotations

from itertools import pairwise as pairwise_of
from itertools import product

import numpy as np
import pytest

pytest.importorskip("torch")

from scrapy_semtext.labelers.web2text import Logs, marginals, viterbi


def make_chain(blocks: int, seed: int) -> tuple[Logs, Logs]:
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(blocks, 2))
    pairwise = 3 * rng.normal(size=(blocks - 1, 4))
    normal = pairwise - np.logaddexp.reduce(pairwise, axis=1, keepdims=True)
    return unary - np.logaddexp.reduce(unary, axis=1, keepdims=True), normal.reshape(-1, 2, 2)


def weights_of(unary: Logs, pairwise: Logs, influence: float) -> dict[tuple[int, ...], float]:
    """The paper's equation 3 for every labeling."""
    found = {}
    for labels in product((0, 1), repeat=len(unary)):
        own = np.prod([np.exp(unary[i, label]) for i, label in enumerate(labels)])
        pairs = np.prod([np.exp(pairwise[i, a, b]) for i, (a, b) in enumerate(pairwise_of(labels))])
        found[labels] = float(own * pairs**influence)
    return found


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("influence", [0.1, 1.0])
def test_against_all_labelings(blocks: int, influence: float) -> None:
    for seed in range(5):
        unary, pairwise = make_chain(blocks, seed)
        weights = weights_of(unary, pairwise, influence)
        best = max(weights, key=lambda labels: weights[labels])
        assert viterbi(unary, pairwise, influence).astype(int).tolist() == list(best)
        main = [sum(w for labels, w in weights.items() if labels[i]) / sum(weights.values()) for i in range(blocks)]
        np.testing.assert_allclose(marginals(unary, pairwise, influence), main)


def test_potentials_of_0_do_no_harm_on_long_pages() -> None:
    unary, pairwise = make_chain(3000, seed=1)
    unary[5] = [-1000, 0]
    probability = marginals(unary, pairwise)
    assert probability[5] == 1
    assert np.isfinite(probability).all()
