"""The CRF compared with brute force: every label sequence of short inputs is enumerated."""

from __future__ import annotations

from itertools import product

import pytest

pytest.importorskip("torch")

import torch

from scrapy_semtext.models.torch_network import LinearChainCRF

LENGTHS = [1, 2, 3, 5, 8]


def random_case(labels: int, seed: int) -> tuple[LinearChainCRF, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    crf = LinearChainCRF(labels).double()
    for parameter in crf.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.double)
    emissions = 2 * torch.randn(len(LENGTHS), max(LENGTHS), labels, generator=generator, dtype=torch.double)
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    return crf, emissions, mask


def brute_score(crf: LinearChainCRF, emissions: torch.Tensor, sequence: tuple[int, ...]) -> float:
    total = crf.start[sequence[0]] + crf.end[sequence[-1]]
    for t, label in enumerate(sequence):
        total = total + emissions[t, label]
        if t:
            total = total + crf.transitions[sequence[t - 1], label]
    return total.item()


@pytest.mark.parametrize("labels", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_sum_over_all_sequences_and_its_gradient_equal_brute_force(labels: int, seed: int) -> None:
    crf, emissions, mask = random_case(labels, seed)
    emissions.requires_grad_()
    log_partition = crf.log_partition(emissions, mask)
    (marginals,) = torch.autograd.grad(log_partition.sum(), emissions)  # d log Z / d emission = marginal
    for page, length in enumerate(LENGTHS):
        scores = {s: brute_score(crf, emissions[page], s) for s in product(range(labels), repeat=length)}
        logs = torch.tensor(list(scores.values()), dtype=torch.double)
        assert log_partition[page].item() == pytest.approx(torch.logsumexp(logs, 0).item())
        weights = torch.softmax(logs, 0)
        for t in range(length):
            for label in range(labels):
                truth = sum(w.item() for s, w in zip(scores, weights, strict=True) if s[t] == label)
                assert marginals[page, t, label].item() == pytest.approx(truth)
        assert not marginals[page, length:].any(), "padding"
