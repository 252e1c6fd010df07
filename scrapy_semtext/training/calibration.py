"""Calibration of a trained network, and the choice of the decision for labels.

A trained network is overconfident on new pages, and decisions by expected F1 require calibrated probabilities.
Temperature scaling (Guo et al. 2017, "On calibration of modern neural networks") divides all log-odds by one number,
which is fitted on the validation pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.inference.scores import Decision, expected_f1_choice, log_odds_of, probabilities_of
from scrapy_semtext.inference.torch_network import SemTextNetwork, weights_of
from scrapy_semtext.labelers.bundle import PROBABILITIES, NetworkLabeler, Probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.training.corpus import Example
    from scrapy_semtext.utils.arrays import Bools, Floats

TEMPERATURES = tuple(float(t) for t in np.arange(0.5, 5.25, 0.25))
_LEAST = 1e-7


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision for labels, and its mean F1 on the validation pages."""

    decision: Decision
    probability: Probability
    temperature: float
    f1: float

    @property
    def name(self) -> str:
        """Its name in the training record."""
        return self.decision if self.decision == "viterbi" else f"{self.decision} {self.probability}"


def decision_candidates(
    network: SemTextNetwork,
    vectors: Vectors,
    examples: Sequence[Example],
    device: torch.device,
) -> list[Choice]:
    """Evaluate Viterbi, and expected F1 with either kind of probability at its best temperature."""
    choices: list[Choice] = []
    for probability in PROBABILITIES:
        labeler = NetworkLabeler(weights_of(network), network.config, vectors, probability, device=str(device))
        scores = labeler.score_inputs([e.input for e in examples])
        odds = [log_odds_of(score.probabilities, _LEAST) for score in scores]
        temperature = fit_temperature(odds, examples)
        kept = [
            expected_f1_choice(probabilities_of(o / temperature), e.words) for o, e in zip(odds, examples, strict=True)
        ]
        choices.append(Choice("expected-f1", probability, temperature, _mean_f1(examples, kept)))
        if probability == "marginal":
            viterbi = _mean_f1(examples, [score.viterbi for score in scores])
            choices.append(Choice("viterbi", probability, temperature, viterbi))
    return choices


def labeler_choice(labeler: NetworkLabeler, decision: Decision, examples: Sequence[Example]) -> Choice:
    """Evaluate a labeler unchanged, with one decision."""
    scores = labeler.score_inputs([e.input for e in examples])
    kept = [
        score.viterbi if decision == "viterbi" else expected_f1_choice(score.probabilities, e.words)
        for score, e in zip(scores, examples, strict=True)
    ]
    f1 = _mean_f1(examples, kept)
    return Choice(decision, labeler.probability, labeler.temperature, f1)


def fit_temperature(odds: Sequence[Floats], examples: Sequence[Example]) -> float:
    """Return the temperature with the least cross-entropy; pages have equal weights, blocks are weighted by words."""
    return min(TEMPERATURES, key=lambda t: sum(map(_cross_entropy, (o / t for o in odds), examples)))


def _mean_f1(examples: Sequence[Example], kept: Sequence[Bools]) -> float:
    return round(float(np.mean([e.f1(keep) for e, keep in zip(examples, kept, strict=True)])), 4)


def _cross_entropy(odds: Floats, example: Example) -> float:
    signed = np.where(example.labels, odds, -odds)
    return float((np.logaddexp(0, -signed) * example.words).sum() / max(example.words.sum(), 1))
