"""Weights are read without torch, and equal those of the network that torch trains."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")


from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.models.config import COMPACT, PAPER, NetworkConfig
from scrapy_semtext.models.storage import shapes_of
from scrapy_semtext.models.torch_network import SemTextNetwork

SMALL = replace(COMPACT, dim=4, filters=(2, 3, 4), hidden=3, page_vector=5)


@pytest.mark.parametrize("config", [COMPACT, PAPER, replace(SMALL, page_vector=0, numbers=False)])
def test_the_shapes_are_those_of_the_network(config: NetworkConfig) -> None:
    parameters = SemTextNetwork(config, len(FEATURES)).state_dict()
    assert shapes_of(config, len(FEATURES)) == {name: tuple(values.shape) for name, values in parameters.items()}
