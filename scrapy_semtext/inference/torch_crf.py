"""A linear-chain conditional random field for training, whose sums over label sequences are parallel scans.

Writing the potentials between neighbouring labels as matrices, the forward variables are the prefix products of these
matrices, in the semiring (logsumexp, +) (Rush 2020, "Torch-Struct"). Prefix products of T matrices take log2(T) steps
over tensors (Hillis & Steele 1986).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

#: Stands for minus infinity: far below any score, but inf - inf has NaN as its gradient.
_NEVER = -1e4


class LinearChainCRF(nn.Module):
    """Scores and likelihoods of sequences of ``labels`` labels (Lafferty, McCallum & Pereira 2001).

    ``transitions[i, j]`` is the score of label j behind label i. Emissions have the shape (pages, blocks, labels);
    ``mask``, (pages, blocks), bool, is true where there is a block. Padding follows the blocks of a page, of which
    there is at least one.
    """

    def __init__(self, labels: int = 2) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.zeros(labels))
        self.end = nn.Parameter(torch.zeros(labels))
        self.transitions = nn.Parameter(torch.zeros(labels, labels))

    def log_likelihood(self, emissions: Tensor, mask: Tensor, sequence: Tensor) -> Tensor:
        """Natural logarithm of p(sequence | emissions); (pages,).

        ``sequence``: (pages, blocks), labels; -1 where the label is unknown, so that the probabilities of all sequences
        with the known labels are summed.
        """
        labels = torch.arange(emissions.shape[2], device=emissions.device)
        excluded = (sequence.unsqueeze(2) >= 0) & (sequence.unsqueeze(2) != labels)
        return self.log_partition(emissions.masked_fill(excluded, _NEVER), mask) - self.log_partition(emissions, mask)

    def log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Logarithm of the sum over all label sequences; (pages,)."""
        forward = _scan(self._matrices(emissions, mask))[:, :, 0]
        return torch.logsumexp(forward[:, -1] + self.end, dim=1)

    def _matrices(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """The potentials from block t - 1 to block t; (pages, blocks, labels, labels), neutral behind a page's end."""
        labels = emissions.shape[2]
        chain = self.transitions + emissions.unsqueeze(2)
        first = (self.start + emissions[:, :1]).unsqueeze(2).expand(-1, -1, labels, -1)
        chain = torch.cat([first, chain[:, 1:]], dim=1)
        neutral = torch.full((labels, labels), _NEVER, device=emissions.device, dtype=emissions.dtype)
        neutral.fill_diagonal_(0.0)
        return torch.where(mask[:, :, None, None], chain, neutral)


def _scan(matrices: Tensor) -> Tensor:
    """Prefix products of (pages, blocks, labels, labels) along the blocks, in the semiring of logsumexp and +."""
    step, length = 1, matrices.shape[1]
    while step < length:
        left, right = matrices[:, :-step], matrices[:, step:]
        product = torch.logsumexp(left.unsqueeze(4) + right.unsqueeze(2), 3)
        matrices = torch.cat([matrices[:, :step], product], dim=1)
        step *= 2
    return matrices
