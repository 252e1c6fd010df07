"""Weights are read without torch, and are those of the network that torch trains."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("torch")

import safetensors.numpy

from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.inference.config import COMPACT, PAPER, NetworkConfig
from scrapy_semtext.inference.storage import read_weights, shapes_of
from scrapy_semtext.inference.torch_network import SemTextNetwork, weights_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SMALL = replace(COMPACT, dim=4, filters=(2, 3, 4), hidden=3, page_vector=5)


@pytest.mark.parametrize("config", [COMPACT, PAPER, replace(SMALL, page_vector=0, numbers=False)])
def test_the_shapes_are_those_of_the_network(config: NetworkConfig) -> None:
    parameters = SemTextNetwork(config, len(FEATURES)).state_dict()
    assert shapes_of(config, len(FEATURES)) == {name: tuple(values.shape) for name, values in parameters.items()}


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
