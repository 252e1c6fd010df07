"""Fit the section models: which lines are main content, which of these are titles, and which belong to no section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sections.models import SectionModels
from scrapy_semtext.training.boosting import fit_trees
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.section_examples import MISCELLANY, PROSE, TITLE, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.training.section_examples import SectionExample

_SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 24,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
}
_ROUNDS = {"relevant": 100, "title": 80, "miscellany": 40}


class SectionTrainingError(UserError):
    """A training that cannot start; the message says what is missing."""


def fit_sections(examples: Sequence[SectionExample], seed: int) -> SectionModels:
    """Fit the models; raise SectionTrainingError if a role has no lines."""
    if not examples:
        raise SectionTrainingError("There are no pages to learn from. Give more pages.")
    rows = np.concatenate([example.rows for example in examples])
    relevant = np.concatenate([example.relevant for example in examples])
    roles = np.concatenate([example.roles for example in examples])
    weights = _page_weights(examples)
    for role, what in ((TITLE, "titles"), (PROSE, "prose"), (MISCELLANY, "miscellany")):
        if not (roles == role).any():
            raise SectionTrainingError(f"There is no {what} among the lines of the pages to learn from.")
    known = roles != UNKNOWN
    text = known & (roles != TITLE)

    def fitted(name: str, chosen: NDArray[np.bool_], targets: NDArray[np.bool_]) -> TreeEnsemble:
        settings = {**_SETTINGS, "seed": seed}
        return fit_trees(rows[chosen], targets[chosen], settings, _ROUNDS[name], weights=weights[chosen])

    return SectionModels(
        relevant=fitted("relevant", np.ones(len(rows), dtype=np.bool_), relevant),
        title=fitted("title", known, roles == TITLE),
        miscellany=fitted("miscellany", text, roles == MISCELLANY),
    )


def _page_weights(examples: Sequence[SectionExample]) -> NDArray[np.float64]:
    """A weight for each line, with mean 1: the weight of a page is the square root of its number of lines."""
    weights = np.concatenate([np.full(len(one.rows), len(one.rows) ** -0.5) for one in examples])
    result: NDArray[np.float64] = weights / weights.mean()
    return result
