"""Web2Text as a labeler: pages -> features -> potentials -> labels and probabilities of their blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.labelers.web2text.features import (
    BLOCK_FEATURES,
    EDGE_FEATURES,
    Feature,
    PageFeatures,
    page_features,
)
from scrapy_semtext.utils.arrays import Bools, Floats, Singles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage

#: The paper's lambda.
INFLUENCE = 0.1

Logs = Floats


def viterbi(unary: Logs, pairwise: Logs, influence: float = INFLUENCE) -> Bools:
    """Return the labels with the greatest weight, (blocks,); ties go to boilerplate.

    ``unary``: (blocks, 2), logarithms of the unary potentials; ``pairwise``: (blocks - 1, 2, 2), of the pairwise ones,
    by the labels of the first and of the second block.
    """
    steps = influence * pairwise
    best = unary[0]
    came_from = []
    for step, own in zip(steps, unary[1:], strict=True):
        reached = best[:, None] + step  # (previous label, label)
        came_from.append(reached.argmax(0))
        best = reached.max(0) + own
    labels = [int(best.argmax())]
    for before in reversed(came_from):
        labels.append(int(before[labels[-1]]))
    return np.array(labels[::-1], dtype=np.bool_)


def marginals(unary: Logs, pairwise: Logs, influence: float = INFLUENCE) -> Floats:
    """Return the probability that each block is main content, (blocks,), from the weights of all labelings."""
    steps = influence * pairwise
    forward, backward = np.empty_like(unary), np.zeros_like(unary)
    forward[0] = unary[0]
    for block in range(1, len(unary)):
        forward[block] = unary[block] + np.logaddexp(*(forward[block - 1][:, None] + steps[block - 1]))
    for block in range(len(unary) - 2, -1, -1):
        backward[block] = np.logaddexp(*(steps[block] + unary[block + 1] + backward[block + 1]).T)
    odds = forward + backward
    result: Floats = np.exp(odds[:, 1] - np.logaddexp(odds[:, 0], odds[:, 1]))
    return result


FILTERS = (50, 50, 50, 10)
KERNELS = (1, 1, 3, 3, 3)
DROPOUT = 0.2


class PotentialNetwork(nn.Module):
    """Potentials of ``classes`` kinds for each block: 2 (boilerplate, main), or 4 for a pair (00, 01, 10, 11)."""

    mean: Tensor
    scale: Tensor

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        widths = (features, *FILTERS, classes)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(before, after, kernel, padding=kernel // 2)
            for before, after, kernel in zip(widths[:-1], widths[1:], KERNELS, strict=True)
        )
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))

    def set_standard(self, rows: Singles, features: Sequence[Feature]) -> None:
        """Set mean and deviation from the training pages' rows, (rows, features); binary features are not scaled."""
        table = torch.from_numpy(rows).double()
        there = ~table.isnan()
        number = there.sum(0).clamp(min=1)
        mean = table.nan_to_num().sum(0) / number
        scale = (((table - mean).nan_to_num() ** 2 * there).sum(0) / number).sqrt()
        binary = torch.tensor([feature.binary for feature in features])
        self.mean.copy_(torch.where(binary, 0.0, mean))
        self.scale.copy_(torch.where(binary | (scale == 0), 1.0, scale))

    def standardized(self, rows: Tensor) -> Tensor:
        """Return features with zero mean and unit deviation; missing values become 0."""
        return ((rows - self.mean) / self.scale).nan_to_num(nan=0.0)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the logits of standardized features, (pages, blocks, features) -> (pages, blocks, classes)."""
        x = rows.transpose(1, 2)  # (pages, features, blocks)
        for layer in self.convolutions[:-1]:
            x = self.dropout(torch.relu(layer(x)))
        logits: Tensor = self.convolutions[-1](x).transpose(1, 2)
        return logits


class Web2TextNetworks(torch.nn.Module):
    """Both networks: for blocks and for pairs of adjacent blocks."""

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
        """Score pages, each independently; a page without blocks gets empty scores."""
        return [self.score_features(page_features(page)) if page.text_blocks else _EMPTY for page in pages]

    def score_features(self, page: PageFeatures) -> Scores:
        """Score a page with at least one block."""
        with torch.inference_mode():
            unary = self._potentials(self.networks.unary, page.blocks)
            pairwise = self._potentials(self.networks.pairwise, page.edges).reshape(-1, 2, 2)
        return Scores(marginals(unary, pairwise), viterbi(unary, pairwise))

    def _potentials(self, network: PotentialNetwork, rows: Singles) -> Logs:
        """Return logarithms of the potentials, whose exponentials sum to one for each row."""
        if not len(rows):
            return np.zeros((0, 1))
        logits = network(network.standardized(torch.from_numpy(rows).to(self.device)).unsqueeze(0))[0]
        logs: Logs = torch.log_softmax(logits.double(), dim=1).cpu().numpy()
        return logs


_EMPTY = Scores(np.zeros(0), np.zeros(0, dtype=np.bool_))
