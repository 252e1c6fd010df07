"""The two convolutional networks of Web2Text (Vogels et al. 2018, 3.4): features -> potentials.

Each has five layers over the sequence of blocks (or of pairs of neighbours), stride 1, zero padding that keeps its
length, ReLU between them. The paper's 17,960 and 12,870 parameters are the weights; the biases come on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.labelers.web2text.features import Feature

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

    def set_standard(self, rows: NDArray[np.float32], features: Sequence[Feature]) -> None:
        """Take mean and deviation of the training pages' rows, (rows, features); binary features stay as they are."""
        table = torch.from_numpy(rows).double()
        there = ~table.isnan()
        number = there.sum(0).clamp(min=1)
        mean = table.nan_to_num().sum(0) / number
        scale = (((table - mean).nan_to_num() ** 2 * there).sum(0) / number).sqrt()
        binary = torch.tensor([feature.binary for feature in features])
        self.mean.copy_(torch.where(binary, 0.0, mean))
        self.scale.copy_(torch.where(binary | (scale == 0), 1.0, scale))

    def standardized(self, rows: Tensor) -> Tensor:
        """Features of zero mean and unit deviation; what is missing is 0."""
        return ((rows - self.mean) / self.scale).nan_to_num(nan=0.0)

    def forward(self, rows: Tensor) -> Tensor:
        """Give the logits of standardized features, (pages, blocks, features) -> (pages, blocks, classes)."""
        x = rows.transpose(1, 2)  # (pages, features, blocks)
        for layer in self.convolutions[:-1]:
            x = self.dropout(torch.relu(layer(x)))
        logits: Tensor = self.convolutions[-1](x).transpose(1, 2)
        return logits
