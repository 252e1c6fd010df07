"""The labeller that ships as the default: pages -> words and numbers -> the network -> scores of every block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import torch

from scrapy_semtext.model.chain import TwoLabelChain
from scrapy_semtext.model.collate import collate
from scrapy_semtext.model.inference import CpuNetwork
from scrapy_semtext.model.inputs import page_input, sequences
from scrapy_semtext.model.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described
    from scrapy_semtext.model.inputs import PageInput
    from scrapy_semtext.model.network import SemTextNetwork
    from scrapy_semtext.model.vectors import Vectors

Probability = Literal["marginal", "emission"]
PROBABILITIES: tuple[Probability, ...] = ("marginal", "emission")

# The most blocks that go through the network at once: longer batches only cost memory. The few pages that are longer
# are cut into sequences of that length.
_BATCH_BLOCKS = 6000


class NetworkLabeller:
    """A network with its word vectors, ready to label pages on one device.

    ``probability`` says what a block's probability is: the CRF's marginal, or the softmax of the block's emission.
    ``temperature`` divides its log-odds, because networks are surer than they are right (see training/calibration.py).
    """

    def __init__(
        self,
        network: SemTextNetwork,
        vectors: Vectors,
        probability: Probability = "marginal",
        temperature: float = 1.0,
        device: str = "cpu",
    ) -> None:
        self.device = torch.device(device)
        self.network = network.to(self.device).eval()
        self.vectors = vectors
        self._cpu = CpuNetwork(network, vectors) if self.device.type == "cpu" else None
        self._chain = TwoLabelChain(network.crf)
        self.probability: Probability = probability
        self.temperature = temperature

    def score(self, pages: Sequence[Described]) -> list[Scores]:
        """Describe pages by words and numbers and score them; a page without blocks gets empty scores."""
        config = self.network.config
        return self.score_inputs([page_input(page, config) for page in pages])

    def score_inputs(self, pages: Sequence[PageInput]) -> list[Scores]:
        """Score described pages in as few batches as memory allows."""
        longest = self.network.config.max_blocks or _BATCH_BLOCKS
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
        return [self._scores(odds) for odds in (self._cpu.run if self._cpu else self._run_padded)(inputs)]

    def _scores(self, odds: NDArray[np.float64]) -> Scores:
        logs = self._chain.marginals(odds) if self.probability == "marginal" else odds
        return Scores(_sigmoid(logs / self.temperature), self._chain.viterbi(odds))

    def _run_padded(self, inputs: list[PageInput]) -> list[NDArray[np.float64]]:
        """Run the network itself, on devices that are made for large padded batches."""
        with torch.inference_mode():
            output = self.network(collate(inputs, self.vectors, self.device))
            odds = (output.emissions[:, :, 1] - output.emissions[:, :, 0]).double().cpu().numpy()
        return [odds[row, : len(page)] for row, page in enumerate(inputs)]


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
