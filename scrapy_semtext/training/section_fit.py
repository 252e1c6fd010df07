"""Fit the section models: which lines are main content, which of these are titles, and which belong to no section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sectioning.evidence import evidence
from scrapy_semtext.sectioning.models import SectionModels
from scrapy_semtext.training.boosting import fit_trees
from scrapy_semtext.training.section_examples import MISCELLANY, PROSE, TITLE, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from scrapy_semtext.training.section_examples import SectionExample

_SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 20,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
}
_ROUNDS = {"shape": 70, "title": 70, "miscellany": 40}
# Few pages weigh the evidence, so few leaves.
_EVIDENCE: dict[str, Any] = {**_SETTINGS, "num_leaves": 6, "min_data_in_leaf": 200, "feature_fraction": 0.8}
_EVIDENCE_ROUNDS = 50


class SectionTrainingError(ValueError):
    """A training that cannot start; the message says what is missing."""


@dataclass(slots=True)
class ScoredExample:
    """An example with the network's probability for the block of each line, (lines,)."""

    example: SectionExample
    probabilities: NDArray[np.float64]


def fit_sections(
    training: Sequence[ScoredExample], weighing: Sequence[ScoredExample], seed: int
) -> SectionModels:
    """Fit to pages of the training side.

    ``weighing`` are pages that neither these trees nor the network were fitted to: on pages that it knows the network
    is surer than it will be. Raises SectionTrainingError if one of the two has nothing to learn from.
    """
    if not training or not weighing:
        side = "learn from" if not training else "weigh the evidence by"
        raise SectionTrainingError(f"There are no pages to {side}. Give more pages.")
    rows = np.concatenate([one.example.rows for one in training])
    relevant = np.concatenate([one.example.relevant for one in training])
    roles = np.concatenate([one.example.roles for one in training])
    weights = _page_weights([one.example for one in training])
    settings = {**_SETTINGS, "seed": seed}
    known = roles != UNKNOWN
    for role, what in ((TITLE, "titles"), (PROSE, "prose"), (MISCELLANY, "miscellany")):
        if not (roles == role).any():
            raise SectionTrainingError(f"There is no {what} among the lines of the pages to learn from.")
    text = known & (roles != TITLE)
    shape = fit_trees(rows, relevant, settings, _ROUNDS["shape"], weights=weights)
    return SectionModels(
        shape=shape,
        relevant=_weigh(shape, weighing, seed),
        title=fit_trees(rows[known], roles[known] == TITLE, settings, _ROUNDS["title"], weights=weights[known]),
        miscellany=fit_trees(
            rows[text], roles[text] == MISCELLANY, settings, _ROUNDS["miscellany"], weights=weights[text]
        ),
    )


def _weigh(shape: Any, weighing: Sequence[ScoredExample], seed: int) -> Any:
    shown = [
        evidence(shape.scores(one.example.rows), one.probabilities, one.example.words, one.example.rows)
        for one in weighing
    ]
    relevant = np.concatenate([one.example.relevant for one in weighing])
    weights = _page_weights([one.example for one in weighing])
    return fit_trees(
        np.concatenate(shown), relevant, {**_EVIDENCE, "seed": seed}, _EVIDENCE_ROUNDS, weights=weights
    )


def _page_weights(examples: Sequence[SectionExample]) -> NDArray[np.float64]:
    """A weight for each line by which long pages count less than their lines, more than others; mean 1."""
    weights = np.concatenate([np.full(len(one.rows), len(one.rows) ** -0.5) for one in examples])
    result: NDArray[np.float64] = weights / weights.mean()
    return result
