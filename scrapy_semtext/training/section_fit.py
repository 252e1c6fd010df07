"""Fit the section models, ``semtext train sections``.

They tell which lines are main content, which of these are titles, and which belong to no section.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from scrapy_semtext.sections.models import LIKELY, SectionModels, save_section_models
from scrapy_semtext.training.boosting import fit_trees
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.scoring import prf
from scrapy_semtext.training.section_examples import MISCELLANY, PROSE, TITLE, UNKNOWN, examples_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.training.section_examples import SectionExample
    from scrapy_semtext.training.tree_job import TreeTrainingJob

_SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 24,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
}
_ROUNDS = {"relevant": 100, "title": 80, "miscellany": 40}


def train_sections(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the section models, write them into the folder of a bundle, and return their training record.

    Raises TrainingError if there are no pages to learn from; DatasetError for unusable data.
    """
    training: list[SectionExample] = []
    testing: list[SectionExample] = []
    found = 0
    bar = tqdm(job.pages(tests=True), desc="preparing pages", unit=" pages", disable=not progress)
    for found, page in enumerate(bar, 1):  # noqa: B007  the number of pages
        (testing if job.keeps_out(page) else training).extend(examples_of(page, job.seed))
    if not found:
        names = ", ".join(path.name for path in job.data)
        raise TrainingError(f"There are no pages in {names} whose licence allows it (--any-licence takes all).")
    models = fit_sections(training, job.seed)
    record = {
        **job.record(),
        "pages": {"training": _pages_by_set(training), "test": _pages_by_set(testing)},
        "lines": {"training": sum(len(one.rows) for one in training), "test": sum(len(one.rows) for one in testing)},
        "scores": role_scores(models, testing),
    }
    save_section_models(job.out, replace(models, training=record))
    return record


def fit_sections(examples: Sequence[SectionExample], seed: int) -> SectionModels:
    """Fit the models; raise TrainingError if a role has no lines."""
    if not examples:
        raise TrainingError("There are no pages to learn from. Give more pages.")
    rows = np.concatenate([example.rows for example in examples])
    relevant = np.concatenate([example.relevant for example in examples])
    roles = np.concatenate([example.roles for example in examples])
    weights = _page_weights(examples)
    for role, what in ((TITLE, "titles"), (PROSE, "prose"), (MISCELLANY, "miscellany")):
        if not (roles == role).any():
            raise TrainingError(f"There is no {what} among the lines of the pages to learn from.")
    known = roles != UNKNOWN
    text = known & (roles != TITLE)

    def fitted(name: str, chosen: NDArray[np.bool_], targets: NDArray[np.bool_]) -> TreeEnsemble:
        return fit_trees(rows[chosen], targets[chosen], weights[chosen], _SETTINGS, _ROUNDS[name], seed)

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


def role_scores(models: SectionModels, examples: Sequence[SectionExample]) -> dict[str, dict[str, dict[str, float]]]:
    """Precision, recall and F1 of the lines of each role, on pages as they are and with their headings disguised.

    Titles and miscellany are scored on lines whose role is known.
    """
    report = {}
    for name, disguised in (("as they are", False), ("headings disguised", True)):
        chosen = [example for example in examples if example.disguised == disguised]
        if not chosen:
            continue
        scores = [models.score(example.rows) for example in chosen]
        relevant = np.concatenate([example.relevant for example in chosen])
        roles = np.concatenate([example.roles for example in chosen])
        found = np.concatenate([score.relevant for score in scores]) >= LIKELY
        title = np.concatenate([score.title for score in scores]) >= LIKELY
        miscellany = ~title & (np.concatenate([score.miscellany for score in scores]) >= LIKELY)
        known = roles != UNKNOWN
        report[name] = {
            "relevant": _prf(found, relevant),
            "title": _prf(title[known], roles[known] == TITLE),
            "miscellany": _prf(miscellany[known], roles[known] == MISCELLANY),
        }
    return report


def _pages_by_set(examples: Sequence[SectionExample]) -> dict[str, int]:
    pages = {(example.dataset, example.id) for example in examples}
    return dict(sorted(Counter(dataset for dataset, _ in pages).items()))


def _prf(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> dict[str, float]:
    scores = prf(float((found & true).sum()), float(found.sum()), float(true.sum()))
    return {name: round(value, 4) for name, value in scores._asdict().items()}
