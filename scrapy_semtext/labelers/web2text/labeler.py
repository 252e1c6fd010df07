"""Web2Text as a labeller: pages -> features -> potentials -> labels and probabilities of their blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.labelers.web2text.chain import marginals, viterbi
from scrapy_semtext.labelers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, page_features
from scrapy_semtext.labelers.web2text.network import PotentialNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.labelers.web2text.chain import Logs
    from scrapy_semtext.labelers.web2text.features import PageFeatures


class Web2TextNetworks(torch.nn.Module):
    """Both networks: of blocks and of pairs of neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.unary = PotentialNetwork(len(BLOCK_FEATURES), 2)
        self.pairwise = PotentialNetwork(len(EDGE_FEATURES), 4)


class Web2TextLabeler:
    """Labels blocks by Viterbi; a block's probability is its marginal in the chain that Viterbi maximizes."""

    def __init__(self, networks: Web2TextNetworks, device: str = "cpu") -> None:
        self.device = torch.device(device)
        self.networks = networks.to(self.device).eval()

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each by itself; a page without blocks gets empty scores."""
        return [self.score_features(page_features(page)) if page.text_blocks else _EMPTY for page in pages]

    def score_features(self, page: PageFeatures) -> Scores:
        """Score a page with at least one block."""
        with torch.inference_mode():
            unary = self._potentials(self.networks.unary, page.blocks)
            pairwise = self._potentials(self.networks.pairwise, page.edges).reshape(-1, 2, 2)
        return Scores(marginals(unary, pairwise), viterbi(unary, pairwise))

    def _potentials(self, network: PotentialNetwork, rows: NDArray[np.float32]) -> Logs:
        """Logarithms of the potentials, which sum to one for each row."""
        if not len(rows):
            return np.zeros((0, 1))
        logits = network(network.standardized(torch.from_numpy(rows).to(self.device)).unsqueeze(0))[0]
        logs: Logs = torch.log_softmax(logits.double(), dim=1).cpu().numpy()
        return logs


_EMPTY = Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))
