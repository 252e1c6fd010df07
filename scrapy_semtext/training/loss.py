"""The loss of the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

if TYPE_CHECKING:
    from scrapy_semtext.inference.torch_crf import LinearChainCRF
    from scrapy_semtext.inference.torch_network import Output


@dataclass(slots=True)
class Targets:
    """The truth of a batch.

    ``labels``: (pages, blocks) int64, 1 for main content; ``words``: (pages, blocks) words of each block, 0 after the
    end of a page; ``kinds``: (pages,) index of the page kind, -1 if unknown.
    """

    labels: Tensor
    words: Tensor
    kinds: Tensor


@dataclass(frozen=True, slots=True)
class LossWeights:
    """The weights of the parts. The paper uses the likelihood of the CRF alone."""

    likelihood: float = 1.0
    words: float = 1.0
    f1: float = 1.0
    kind: float = 0.2


PAPER_LOSS = LossWeights(likelihood=1.0, words=0.0, f1=0.0, kind=0.0)


def loss_of(output: Output, targets: Targets, crf: LinearChainCRF, weights: LossWeights) -> Tensor:
    """The loss of a batch, a scalar; pages have equal weights."""
    likelihood = crf.log_likelihood(output.emissions, output.mask, targets.labels) / output.mask.sum(1)
    loss = -weights.likelihood * likelihood.mean()
    if weights.words:
        loss = loss + weights.words * word_cross_entropy(output.emissions, targets)
    if weights.f1:
        loss = loss + weights.f1 * (1 - soft_word_f1(output.emissions, targets)).mean()
    if weights.kind and output.kinds is not None and bool((targets.kinds >= 0).any()):
        loss = loss + weights.kind * functional.cross_entropy(output.kinds, targets.kinds, ignore_index=-1)
    return loss


def word_cross_entropy(emissions: Tensor, targets: Targets) -> Tensor:
    """Cross-entropy of the emissions with blocks weighted by their words; a scalar."""
    each = functional.cross_entropy(emissions.flatten(0, 1), targets.labels.flatten(), reduction="none")
    each = each.view_as(targets.words)  # (pages, blocks)
    total = (each * targets.words).sum(1) / targets.words.sum(1).clamp(min=1)
    return total.mean()


def soft_word_f1(emissions: Tensor, targets: Targets) -> Tensor:
    """Word F1 of each page, (pages,), with probabilities instead of labels."""
    main = torch.softmax(emissions, dim=2)[:, :, 1] * targets.words
    truth = targets.labels * targets.words
    hits = (main * targets.labels).sum(1)
    return (2 * hits + 1) / (main.sum(1) + truth.sum(1) + 1)  # 1 keeps pages without words from dividing by zero
