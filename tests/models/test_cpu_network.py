"""The network for inference, on a CPU and on torch devices, compared with the network for training."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from gate import quality
from small_network import SMALL, FakeVectors, make_page

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.features.table import describe, page_input
from scrapy_semtext.labelers.bundle import load_labeler, load_network
from scrapy_semtext.models import network as cpu_network
from scrapy_semtext.models import torch_network
from scrapy_semtext.models.config import COMPACT, PAPER, NetworkConfig
from scrapy_semtext.models.network import CpuNetwork, TwoLabelChain
from scrapy_semtext.models.torch_network import (
    DeviceNetwork,
    DeviceVectors,
    LinearChainCRF,
    SemTextNetwork,
    collate,
    weights_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.models.config import PageInput
    from scrapy_semtext.models.vectors import Vectors

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")

CONFIGS = {
    "compact": SMALL,
    "paper": replace(PAPER, dim=8, filters=(3, 4, 5), hidden=6, max_blocks=None),
    "no page vector": replace(SMALL, page_vector=0),
    "few words": replace(SMALL, words=8),
}


@pytest.fixture(scope="module")
def real_pages() -> list[PageInput]:
    pages = (describe(page.html, page.url) for page in islice(quality.read_sample(), 24))
    return [page_input(page, COMPACT) for page in pages]


def trained(config: NetworkConfig) -> SemTextNetwork:
    """Return a network without zero or neutral parts."""
    torch.manual_seed(3)
    network = SemTextNetwork(config, len(FEATURES)).eval()
    with torch.no_grad():
        for values in (*network.parameters(), network.mean):
            values.add_(0.3 * torch.randn_like(values))
        network.deviation.uniform_(0.5, 2)
    return network


def by_the_network(network: SemTextNetwork, vectors: Vectors, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]:
    with torch.inference_mode():
        output = network(collate(pages, DeviceVectors(vectors, CPU), CPU))
    odds = (output.emissions[:, :, 1] - output.emissions[:, :, 0]).double().numpy()
    return [odds[row, : len(page)] for row, page in enumerate(pages)]


def reader_of(network: SemTextNetwork, vectors: Vectors | None = None) -> CpuNetwork:
    return CpuNetwork(weights_of(network), network.config, vectors or FakeVectors())


def assert_alike(got: Sequence[NDArray[np.float64]], expected: Sequence[NDArray[np.float64]]) -> None:
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_the_shipped_network_reads_real_pages_the_same(real_pages: list[PageInput]) -> None:
    labeler = load_labeler(device="cpu")
    pages = [page for page in real_pages if len(page)]
    network = load_network()
    expected = by_the_network(network, labeler.vectors, pages)
    reader = reader_of(network, labeler.vectors)
    assert_alike(reader.run(pages), expected)
    assert_alike(reader.run(pages), expected)  # now that all words and strings are cached
    assert_alike([result for page in pages for result in reader.run([page])], expected)


def test_a_device_computes_the_same_and_caches_words(
    real_pages: list[PageInput], monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [page for page in real_pages if len(page)]
    network, vectors = load_network(), load_labeler(device="cpu").vectors
    expected = reader_of(network, vectors).run(pages)
    reader = DeviceNetwork(weights_of(network), network.config, vectors, "cpu")
    assert_alike(reader.run(pages), expected)
    known = len(reader._vectors._rows)
    assert_alike(reader.run(pages[:3]), expected[:3])
    assert len(reader._vectors._rows) == known
    monkeypatch.setattr(torch_network, "MAX_CACHED_WORDS", 1)
    assert_alike(reader.run(pages[:3]), expected[:3])
    assert 0 < len(reader._vectors._rows) < known


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_every_configuration_is_read_the_same(config: NetworkConfig) -> None:
    pages = [make_page(blocks, seed=blocks) for blocks in (1, 1, 7, 40, 2, 7, 19)]
    network = trained(config)
    assert_alike(reader_of(network).run(pages), by_the_network(network, FakeVectors(), pages))


def test_caches_are_bounded_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_network, "MAX_CACHED_STRINGS", 50)
    monkeypatch.setattr(cpu_network, "MAX_CACHED_WORDS", 20)
    monkeypatch.setattr(cpu_network, "_MAX_BATCH_WORDS", 30)
    small = trained(SMALL)
    reader = reader_of(small)
    for seed in range(12):
        page = make_page(15, seed=seed)
        assert_alike(reader.run([page]), by_the_network(small, FakeVectors(), [page]))
        assert sum(map(len, reader._strings._ids)) <= 50 + 3 * 15
        assert all(len(encoder._words) <= 20 + 30 + 12 for encoder in reader._strings._encoders)


@pytest.mark.parametrize("blocks", [1, 2, 50, 3000])
def test_the_chain_of_two_labels_is_the_crf(blocks: int) -> None:
    torch.manual_seed(blocks)
    crf = LinearChainCRF().double()
    with torch.no_grad():
        for values in crf.parameters():
            values.normal_(0, 2)
    emissions, mask = 3 * torch.randn(1, blocks, 2, dtype=torch.float64), torch.ones(1, blocks, dtype=torch.bool)
    odds = (emissions[0, :, 1] - emissions[0, :, 0]).numpy()
    emissions.requires_grad_()
    chain = chain_of(crf)
    (marginals,) = torch.autograd.grad(crf.log_partition(emissions, mask).sum(), emissions)
    logs = (marginals[0, :, 1].log() - marginals[0, :, 0].log()).numpy()
    best = best_sequence(crf, emissions[0].detach())
    ends = np.array([blocks])
    np.testing.assert_allclose(chain.marginals(odds, ends), logs, atol=1e-8)
    assert (chain.viterbi(odds, ends) == best).all()
    twice, ends = np.tile(odds, 2), np.array([blocks, 2 * blocks])  # a chain of its own each
    np.testing.assert_allclose(chain.marginals(twice, ends), np.tile(logs, 2), atol=1e-8)
    assert (chain.viterbi(twice, ends) == np.tile(best, 2)).all()


def best_sequence(crf: LinearChainCRF, emissions: torch.Tensor) -> list[bool]:
    """Return the labels of the best-scored sequence, computed by a loop over the blocks."""
    with torch.no_grad():
        best, came_from = crf.start + emissions[0], []
        for emission in emissions[1:]:
            step = best.unsqueeze(1) + crf.transitions
            came_from.append(step.argmax(0).tolist())
            best = step.amax(0) + emission
        path = [int((best + crf.end).argmax())]
    for back in reversed(came_from):
        path.append(back[path[-1]])
    return [bool(label) for label in reversed(path)]


def chain_of(crf: LinearChainCRF) -> TwoLabelChain:
    return TwoLabelChain({f"crf.{name}": values.detach().numpy() for name, values in crf.named_parameters()})
