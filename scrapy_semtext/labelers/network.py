"""The labeller that ships as the default: pages -> words and numbers -> the network -> scores of every block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from scrapy_semtext.inference.crf import TwoLabelChain
from scrapy_semtext.inference.inputs import sequences
from scrapy_semtext.inference.network import CpuNetwork
from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.labelers.network_inputs import page_input

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.config import NetworkConfig
    from scrapy_semtext.inference.inputs import PageInput
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.inference.weights import Weights

Probability = Literal["marginal", "emission"]
PROBABILITIES: tuple[Probability, ...] = ("marginal", "emission")

# The most blocks that go through the network at once: longer batches only cost memory. The few pages that are longer
# are cut into sequences of that length.
_BATCH_BLOCKS = 6000


class NetworkLabeler:
    """A network with its word vectors, ready to label pages on one device: "cpu", or another of torch's names.

    On "cpu" torch is not loaded.

    ``probability`` says what a block's probability is: the CRF's marginal, or the softmax of the block's emission.
    ``temperature`` divides its log-odds, because networks are surer than they are right (see training/calibration.py).
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
        self._network = _runner(weights, config, vectors, device)
        self._chain = TwoLabelChain(weights)
        self.probability: Probability = probability
        self.temperature = temperature

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Describe pages by words and numbers and score them; a page without blocks gets empty scores."""
        return self.score_inputs([page_input(page, self.config) for page in pages])

    def score_inputs(self, pages: Sequence[PageInput]) -> list[Scores]:
        """Score described pages in as few batches as memory allows."""
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
        odds, ends = np.concatenate(pages), np.cumsum([len(page) for page in pages], dtype=np.int64)
        logs = self._chain.marginals(odds, ends) if self.probability == "marginal" else odds
        probabilities = np.split(_sigmoid(logs / self.temperature), ends[:-1])
        best = np.split(self._chain.viterbi(odds, ends), ends[:-1])
        return list(map(Scores, probabilities, best))


class _Network(Protocol):
    def run(self, pages: Sequence[PageInput]) -> list[NDArray[np.float64]]: ...


def _runner(weights: Weights, config: NetworkConfig, vectors: Vectors, device: str) -> _Network:
    if device == "cpu":
        return CpuNetwork(weights, config, vectors)
    from scrapy_semtext.inference.device import DeviceNetwork

    return DeviceNetwork(weights, config, vectors, device)


def _sigmoid(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 0.5 + 0.5 * np.tanh(odds / 2)
    return result


def _batches(spans: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """Cut spans, sorted by length, so that no padded batch has more than _BATCH_BLOCKS blocks."""
    batches: list[list[tuple[int, int, int]]] = []
    for span in spans:
        longest = span[2] - span[1]
        if batches and (len(batches[-1]) + 1) * longest <= _BATCH_BLOCKS:
            batches[-1].append(span)
        else:
            batches.append([span])
    return batches


def _joined(parts: list[Scores]) -> Scores:
    """The scores of a page from those of its sequences."""
    if not parts:
        return Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))
    if len(parts) == 1:
        return parts[0]
    return Scores(
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.viterbi for part in parts]),
    )
