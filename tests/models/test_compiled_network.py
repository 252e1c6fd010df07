"""The compiled kernels of the network agree with their numpy fallback, with each SIMD width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.models import network as cpu_network
from scrapy_semtext.models.config import NetworkConfig, PageInput
from scrapy_semtext.models.network import CpuNetwork
from scrapy_semtext.models.vectors import WordVectors
from scrapy_semtext.utils.extensions import network

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.models.config import WordString

pytestmark = pytest.mark.skipif(network is None, reason="nothing is compiled here")

RANDOM = np.random.default_rng(7)
# 144 filters of a width are more than registers hold the sums of; the kernel has no unrolled loop for width 2.
CONFIG = NetworkConfig(
    "tiny", dim=12, widths=(1, 3, 5, 2, 7), filters=(16, 32, 144, 48, 80), words=9, hidden=48, page_vector=5
)
COLUMNS = sum(CONFIG.filters)
WORDS = ["", "a", "of", "naïve", "北京", "😀😀", "\ud800", "Straße", "</s>", "x" * 300]


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.fixture(params=[4, 8, 16], autouse=True)
def _width(request: pytest.FixtureRequest) -> Iterator[None]:
    if network.set_simd_width(request.param) != request.param:
        pytest.skip("this processor has no registers of that width")
    yield
    network.set_simd_width(network.lanes)


@pytest.fixture(scope="module")
def word_vectors() -> WordVectors:
    return WordVectors.of(["the", "page"], normal(2, CONFIG.dim), normal(50, CONFIG.dim), 1, 4)


def use_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use numpy in the objects created from now on."""
    monkeypatch.setattr(cpu_network, "network", None)


def weights_of_network() -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)

    def some(*shape: int) -> np.ndarray:
        return random.normal(size=shape, scale=0.3).astype(np.float32)

    hidden, features = CONFIG.hidden, len(FEATURES)
    weights: dict[str, np.ndarray] = {"mean": some(features), "deviation": np.exp(some(features))}
    for kind in range(3):
        for layer, (width, filters) in enumerate(zip(CONFIG.widths, CONFIG.filters, strict=True)):
            name = f"encoders.{kind}.convolutions.{layer}"
            weights |= {f"{name}.weight": some(filters, CONFIG.dim, width), f"{name}.bias": some(filters)}
    inputs = 3 * COLUMNS + features
    for direction in ("onward", "backward_"):
        shapes = (("weight_hh", (hidden,)), ("weight_ih", (inputs,)), ("bias_ih", ()), ("bias_hh", ()))
        weights |= {f"lstm.{direction}.{part}_l0": some(4 * hidden, *shape) for part, shape in shapes}
    size = CONFIG.page_vector
    weights |= {"summary.vector.weight": some(size, 2 * inputs), "summary.vector.bias": some(size)}
    return weights | {"emission.weight": some(2, 2 * hidden + size), "emission.bias": some(2)}


@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("lengths", [[1], [40, 7, 7, 2, 1, 1, 1, 9]])
def test_pages_are_read_alike(
    monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors, lengths: list[int], numbers: bool
) -> None:
    pages, weights = list(map(page_of, lengths)), weights_of_network()
    config = CONFIG
    if not numbers:
        inputs = 3 * COLUMNS
        config = NetworkConfig(**(config.to_dict() | {"numbers": False, "page_vector": 0}))
        for direction in ("onward", "backward_"):
            name = f"lstm.{direction}.weight_ih_l0"
            weights[name] = np.ascontiguousarray(weights[name][:, :inputs])
        weights["emission.weight"] = weights["emission.weight"][:, : 2 * CONFIG.hidden]
    compiled = CpuNetwork(weights, config, word_vectors)
    assert compiled._packed_weight is not None
    found = [compiled.run(pages), compiled.run(pages)]
    use_fallback(monkeypatch)
    expected = CpuNetwork(weights, config, word_vectors).run(pages)
    for run in found:
        np.testing.assert_allclose(np.concatenate(run), np.concatenate(expected), atol=1e-4)


def page_of(blocks: int) -> PageInput:
    def string() -> WordString:
        return tuple(RANDOM.choice(WORDS, RANDOM.integers(0, CONFIG.words + 1)).tolist())

    tags, names, text = ([string() for _ in range(blocks)] for _ in range(3))
    return PageInput(tags, names, text, normal(blocks, len(FEATURES)))
