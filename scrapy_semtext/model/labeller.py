"""The labeller that ships as the default: pages -> words and numbers -> the network -> scores of every block."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch

from scrapy_semtext.model.collate import collate
from scrapy_semtext.model.config import PAGE_KINDS
from scrapy_semtext.model.inputs import page_input, sequences
from scrapy_semtext.model.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        # scores of whole label sequences grow with the page: single precision would mix up those of long pages
        self._crf = deepcopy(network.crf).double()
        self.vectors = vectors
        self.probability: Probability = probability
        self.temperature = temperature

    def score(self, pages: Sequence[Described]) -> list[Scores]:
        """Describe pages by words and numbers and score them; a page without blocks gets empty scores."""
        config = self.network.config
        return self.score_inputs([page_input(p.text_blocks, config, title=p.title, lang=p.lang) for p in pages])

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
        with torch.inference_mode():
            output = self.network(collate(inputs, self.vectors, self.device))
            emissions, mask = output.emissions.double(), output.mask
            logs = self._crf.marginal_scores(emissions, mask) if self.probability == "marginal" else emissions
            main = torch.sigmoid((logs[:, :, 1] - logs[:, :, 0]) / self.temperature).cpu().numpy()
            best = self._crf.viterbi(emissions, mask).bool().cpu().numpy()
            kinds = None if output.kinds is None else output.kinds.argmax(1).tolist()
        return [
            Scores(main[row, : len(page)], best[row, : len(page)], None if kinds is None else PAGE_KINDS[kinds[row]])
            for row, page in enumerate(inputs)
        ]


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
    """The scores of a page from those of its sequences; its kind is what the first one says."""
    if not parts:
        return Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))
    if len(parts) == 1:
        return parts[0]
    return Scores(
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.viterbi for part in parts]),
        parts[0].kind,
    )
