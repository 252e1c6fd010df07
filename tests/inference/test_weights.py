"""Weights are read without torch, and are those of the network that torch trains."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("torch")

import safetensors.numpy

from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.inference import layers
from scrapy_semtext.inference.config import COMPACT, PAPER, NetworkConfig
from scrapy_semtext.inference.layers import sums_of_rows
from scrapy_semtext.inference.storage import read_weights, shapes_of
from scrapy_semtext.inference.torch_network import SemTextNetwork, network_of, weights_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SMALL = replace(COMPACT, dim=4, filters=(2, 3, 4), hidden=3, page_vector=5)


@pytest.mark.parametrize("config", [COMPACT, PAPER, replace(SMALL, page_vector=0, numbers=False)])
def test_the_shapes_are_those_of_the_network(config: NetworkConfig) -> None:
    parameters = SemTextNetwork(config, len(FEATURES)).state_dict()
    assert shapes_of(config, len(FEATURES)) == {name: tuple(values.shape) for name, values in parameters.items()}


def test_weights_make_the_network_that_they_are_of(tmp_path: Path) -> None:
    weights = weights_of(SemTextNetwork(SMALL, 7))
    file = tmp_path / "weights.safetensors"
    safetensors.numpy.save_file(dict(weights), file)
    again = weights_of(network_of(read_weights(file, SMALL, 7), SMALL))
    assert again.keys() == weights.keys()
    for name, values in weights.items():
        np.testing.assert_array_equal(again[name], values)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"mean": None}, "mean is missing"),
        ({"median": np.zeros(7)}, "median has no place in it"),
        ({"emission.weight": np.zeros((2, 3))}, "emission.weight is 2 x 3, not 2 x 11"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, NDArray[Any] | None], problem: str, tmp_path: Path) -> None:
    weights = {**weights_of(SemTextNetwork(SMALL, 7)), **change}
    file = tmp_path / "weights.safetensors"
    safetensors.numpy.save_file({name: values for name, values in weights.items() if values is not None}, file)
    with pytest.raises(ValueError, match=problem):
        read_weights(file, SMALL, 7)


@pytest.mark.parametrize("batch_bytes", [1, 100, 4 << 20])
def test_rows_are_summed_in_portions_of_any_size(batch_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "_BATCH_BYTES", batch_bytes)
    table = np.arange(30, dtype=np.float32).reshape(10, 3)
    places = np.array([[0, 9, 4, 4, 1], [1, 2, 4, 0, 1]])
    np.testing.assert_array_equal(sums_of_rows(table, places), table[places].sum(0))
    assert sums_of_rows(table, places[:, :0]).shape == (0, 3)
