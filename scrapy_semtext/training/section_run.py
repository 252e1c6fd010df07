"""The training of the section models, from page sets to a bundle: ``semtext train sections``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from scrapy_semtext.sections.models import LIKELY, save_section_models
from scrapy_semtext.training.datasets import SPLIT_SEED, may_ship, read_all, split_side
from scrapy_semtext.training.scoring import prf
from scrapy_semtext.training.section_examples import MISCELLANY, TITLE, UNKNOWN, examples_of
from scrapy_semtext.training.section_fit import SectionTrainingError, fit_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.sections.models import SectionModels
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.section_examples import SectionExample
    from scrapy_semtext.training.tree_job import TreeTrainingJob


def train_sections(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the section models, write them into the folder of a bundle, and return their training record.

    Raises SectionTrainingError if there are no pages to learn from; DatasetError for unusable data.
    """
    training: list[SectionExample] = []
    testing: list[SectionExample] = []
    for is_test, example in _examples(job, progress):
        (testing if is_test else training).append(example)
    models = fit_sections(training, job.seed)
    record = {
        **job.record(),
        "pages": {"training": _pages_by_set(training), "test": _pages_by_set(testing)},
        "lines": {"training": sum(len(one.rows) for one in training), "test": sum(len(one.rows) for one in testing)},
        "scores": role_scores(models, testing),
    }
    save_section_models(job.out, replace(models, training=record))
    return record


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


def _examples(job: TreeTrainingJob, progress: bool) -> Iterator[tuple[bool, SectionExample]]:
    """The examples of each usable page, with whether it is on the test side."""
    for page in tqdm(_pages(job), desc="preparing pages", unit=" pages", disable=not progress):
        is_test = split_side(page.domain, SPLIT_SEED, job.test_share, 0.0, job.test_fold) == "test"
        for example in examples_of(page, job.seed):
            yield is_test, example


def _pages(job: TreeTrainingJob) -> Iterator[AnnotatedPage]:
    found = 0
    for page in read_all(job.data):
        if job.any_licence or may_ship(page):
            found += 1
            yield page
    if not found:
        names = ", ".join(path.name for path in job.data)
        raise SectionTrainingError(f"There are no pages in {names} whose licence allows it (--any-licence takes all).")


def _pages_by_set(examples: Sequence[SectionExample]) -> dict[str, int]:
    pages = {(example.dataset, example.id) for example in examples}
    return dict(sorted(Counter(dataset for dataset, _ in pages).items()))


def _prf(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> dict[str, float]:
    scores = prf(float((found & true).sum()), float(found.sum()), float(true.sum()))
    return {name: round(value, 4) for name, value in scores._asdict().items()}
