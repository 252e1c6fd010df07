from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")


from scrapy_semtext.models.config import PageInput
from scrapy_semtext.train.corpus import Example
from scrapy_semtext.train.trainer import fit_temperature


def make_example(odds: np.ndarray, rng: np.random.Generator) -> Example:
    """Return a page whose labels are as likely as these log-odds say."""
    labels = rng.random(len(odds)) < 1 / (1 + np.exp(-odds))
    empty = PageInput([], [], [], np.zeros((0, 0), dtype=np.float32))
    known = np.ones(len(odds), dtype=np.bool_)
    return Example("id", "set", None, empty, labels, known, rng.integers(1, 50, len(odds)).astype(float))


@pytest.mark.parametrize("surer", [1.0, 2.0, 3.5])
def test_the_temperature_takes_back_how_much_surer_a_network_is_than_it_is_right(surer: float) -> None:
    rng = np.random.default_rng(0)
    honest = [3 * rng.standard_normal(200) for _ in range(60)]
    examples = [make_example(odds, rng) for odds in honest]
    assert fit_temperature([surer * odds for odds in honest], examples) == pytest.approx(surer, abs=0.3)
