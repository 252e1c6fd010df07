"""The training of the model of page kinds, from page sets to a bundle: ``semtext train kinds``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.page_kinds.model import KINDS, save_kinds
from scrapy_semtext.training.datasets import may_ship, read_all, split_side
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.kind_fit import KIND_OF_TYPE, KindFit, fit_kinds, kind_examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.tree_job import TreeTrainingJob


def train_kinds(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Fit the model of page kinds, write it into the folder of a bundle, and return its training record.

    Raises TrainingError if there is no page to learn from, DatasetError for unusable data.
    """
    counted: Counter[str] = Counter()
    examples = kind_examples(_pages(job, counted), progress=progress)
    if not examples:
        raise TrainingError(
            f"There are no pages to learn from: none has a page_type out of {', '.join(KIND_OF_TYPE)} and is left "
            "after the split by domain and the check of licences. Give more pages."
        )
    model = fit_kinds(examples, KindFit(seed=job.seed))
    kinds = Counter(KINDS[example.kind] for example in examples)
    record = {
        **job.record(),
        "pages": dict(sorted(counted.items())),
        "kinds": dict(sorted(kinds.items())),
        "offsets": [round(offset, 3) for offset in model.offsets],
        "threshold": round(model.threshold, 4),
    }
    save_kinds(job.out, replace(model, training=record))
    return record


def _pages(job: TreeTrainingJob, counted: Counter[str]) -> Iterator[AnnotatedPage]:
    for page in read_all(job.data):
        if split_side(page.domain, test_share=job.test_share, test_fold=job.test_fold) == "test":
            continue
        if page.page_type in KIND_OF_TYPE and (job.any_licence or may_ship(page)):
            counted[page.dataset] += 1
            yield page
