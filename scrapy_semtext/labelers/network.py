"""The network as a labeller: from pages to their inputs, emissions, and scores of every block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from scrapy_semtext.features.block_words import page_input
from scrapy_semtext.inference.inputs import PageInput, sequences
from scrapy_semtext.inference.network import CpuNetwork, TwoLabelChain
from scrapy_semtext.inference.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.storage import Weights
    from scrapy_semtext.inference.vectors import Vectors

Probability = Literal["marginal", "emission"]
PROBABILITIES: tuple[Probability, ...] = ("marginal", "emission")

# The most blocks of a batch: larger ones only cost memory. The few longer pages are cut into sequences of at most that
# length.
_BATCH_BLOCKS = 6000


class NetworkLabeler:
    """A trained network with its word vectors on one device: "cpu", without torch, or another of torch's names.

    ``probability``: what a block's probability is, the marginal of the CRF or the softmax of the block's emission;
    ``temperature`` divides its log-odds, since networks are overconfident (see training/calibration.py).
    """

    def __init__(
        self,
        weights: Weights,
        config: NetworkConfig,
        vectors: Vectors,
        probability: Probability = "marginal",
        temperature: float = 1.0,
        device: str = "cpu",
    ) -> None:
        self.config = config
        self.vectors = vectors
        self.device = device
        self._network = _runner(weights, config, vectors, device)
        self._chain = TwoLabelChain(weights)
        self.probability: Probability = probability
        self.temperature = temperature

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        return self.score_inputs([page_input(page, self.config) for page in pages])

    def score_inputs(self, pages: Sequence[PageInput]) -> list[Scores]:
        """Score pages given by their inputs, in batches of at most _BATCH_BLOCKS blocks."""
        longest = self.config.max_blocks or _BATCH_BLOCKS
        spans = [(page, b, e) for page in range(len(pages)) for b, e in sequences(len(pages[page]), longest)]
        spans.sort(key=lambda span: span[2] - span[1])
        parts: dict[tuple[int, int], Scores] = {}
        for batch in _batches(spans):
            inputs = [pages[page].cut(begin, end) for page, begin, end in batch]
            for (page, begin, _), scores in zip(batch, self._run(inputs), strict=True):
                parts[page, begin] = scores
        return [
            _joined([parts[page, begin] for begin, _ in sequences(len(pages[page]), longest)])
            for page in range(len(pages))
        ]

    def _run(self, inputs: list[PageInput]) -> list[Scores]:
        pages = self._network.run(inputs)
        emissions, ends = np.concatenate(pages), np.cumsum([len(page) for page in pages], dtype=np.int64)
        log_odds = self._chain.marginals(emissions, ends) if self.probability == "marginal" else emissions
        probabilities = np.split(_sigmoid(log_odds / self.temperature), ends[:-1])
        best = np.split(self._chain.viterbi(emissions, ends), ends[:-1])
        return list(map(Scores, probabilities, best))


class _Network(Protocol):
    def run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]: ...


def _runner(weights: Weights, config: NetworkConfig, vectors: Vectors, device: str) -> _Network:
    if device == "cpu":
        return CpuNetwork(weights, config, vectors)
    from scrapy_semtext.inference.device import DeviceNetwork

    return DeviceNetwork(weights, config, vectors, device)


def _sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 0.5 + 0.5 * np.tanh(log_odds / 2)
    return result


def _batches(spans: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """Group spans, sorted by length, into batches of at most _BATCH_BLOCKS blocks, padding included."""
    batches: list[list[tuple[int, int, int]]] = []
    for span in spans:
        longest = span[2] - span[1]
        if batches and (len(batches[-1]) + 1) * longest <= _BATCH_BLOCKS:
            batches[-1].append(span)
        else:
            batches.append([span])
    return batches


def _joined(parts: list[Scores]) -> Scores:
    """Concatenate the scores of a page's sequences."""
    if not parts:
        return Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))
    if len(parts) == 1:
        return parts[0]
    return Scores(
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.viterbi for part in parts]),
    )
