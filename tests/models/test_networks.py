"""The networks of torch, and what they read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_network import SMALL, FakeVectors, make_page

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.labelers.bundle import PROBABILITIES, NetworkLabeler, Probability
from scrapy_semtext.models.config import PAPER, NetworkConfig, sequences
from scrapy_semtext.models.torch_network import SemTextNetwork, WordEncoder, weights_of

pytest.importorskip("torch")


def make_labeler(config: NetworkConfig = SMALL) -> NetworkLabeler:
    torch.manual_seed(0)
    return labeler_of(SemTextNetwork(config, len(FEATURES)))


def labeler_of(
    network: SemTextNetwork, probability: Probability = "marginal", temperature: float = 1.0
) -> NetworkLabeler:
    return NetworkLabeler(weights_of(network), network.config, FakeVectors(), probability, temperature)


@pytest.mark.parametrize("words", [1, 3, 8, 9, 10])
def test_the_word_encoder_is_convolution_over_ten_zero_padded_words_and_max_pooling(words: int) -> None:
    torch.manual_seed(words)
    encoder = WordEncoder(dim=4, n=10, widths=(1, 3, 5), filters=(2, 3, 4))
    vectors = torch.cat([torch.zeros(1, 4), torch.randn(words, 4)])
    numbers = torch.arange(1, words + 1).unsqueeze(0)
    got = encoder(numbers, torch.tensor([words]), encoder.word_products(vectors))
    matrix = torch.zeros(10, 4)  # the paper's M, n x k
    matrix[:words] = vectors[1:]
    expected = []
    for layer in encoder.convolutions:
        assert isinstance(layer, torch.nn.Conv1d)
        assert layer.bias is not None
        width = layer.kernel_size[0]
        for weight, bias in zip(layer.weight, layer.bias, strict=True):  # weight: (k, v)
            expected.append(max((weight.T * matrix[j : j + width]).sum() + bias for j in range(10 - width + 1)))
    torch.testing.assert_close(got[0], torch.stack(expected))


def test_the_paper_s_network_reads_long_pages_as_sequences() -> None:
    labeler = make_labeler(replace(PAPER, dim=8, filters=(3, 4, 5), hidden=6, max_blocks=10))
    page = make_page(23, seed=5)
    (whole,) = labeler.score_inputs([page])
    parts = labeler.score_inputs([page.cut(0, 7), page.cut(7, 15), page.cut(15, 23)])
    np.testing.assert_allclose(whole.probabilities, np.concatenate([part.probabilities for part in parts]), atol=1e-6)


def test_the_temperature_divides_the_log_odds() -> None:
    page = make_page(6, seed=9)
    network = SemTextNetwork(SMALL, len(FEATURES))
    for probability in PROBABILITIES:
        (sure,) = labeler_of(network, probability).score_inputs([page])
        (calm,) = labeler_of(network, probability, temperature=2.0).score_inputs([page])
        odds = np.log(sure.probabilities / (1 - sure.probabilities))
        np.testing.assert_allclose(calm.probabilities, 1 / (1 + np.exp(-odds / 2)), atol=1e-6)
        assert (calm.viterbi == sure.viterbi).all()


@pytest.mark.parametrize(
    ("blocks", "longest", "expected"),
    [
        (0, 85, []),
        (3, None, [(0, 3)]),
        (85, 85, [(0, 85)]),
        (86, 85, [(0, 43), (43, 86)]),
        (256, 85, [(0, 64), (64, 128), (128, 192), (192, 256)]),
    ],
)
def test_long_pages_are_cut_as_evenly_as_can_be(
    blocks: int, longest: int | None, expected: list[tuple[int, int]]
) -> None:
    assert sequences(blocks, longest) == expected


def test_a_configuration_with_unknown_settings_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown network settings: depth"):
        NetworkConfig.from_dict({"name": "x", "depth": 3})
