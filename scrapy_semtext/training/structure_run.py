"""The training of the structure trees, from page sets to a bundle: ``semtext train structure``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy_semtext.labelers.structure_trees import StructureModel, save_structure
from scrapy_semtext.training.datasets import may_ship, read_all
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.out_of_fold_posts import OutOfFoldPostModels
from scrapy_semtext.training.pair_pages import has_posts
from scrapy_semtext.training.structure_fit import FitSettings, fit_structure, structure_examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.tree_job import TreeTrainingJob


def train_structure(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Fit the structure trees, write them into the folder of a bundle, and return their training record.

    If there are pages with known posts, the trees also use the features of posts. Raises TrainingError if there is
    no page to learn from, PairTrainingError if there are some threads, but too few, DatasetError for unusable data.
    """
    counted: Counter[str] = Counter()
    pages = list(_pages(job, counted))
    threads = sum(has_posts(page) for page in pages)
    post_models = OutOfFoldPostModels(pages, job.seed, progress=progress) if threads else None
    examples = structure_examples(pages, post_models, progress=progress)
    if not examples:
        raise TrainingError(
            "There are no pages to learn from: none are left after the split by domain and the check of licences. "
            "Give more pages."
        )
    trees = fit_structure(examples, FitSettings(seed=job.seed))
    record = {**job.record(), "pages": dict(sorted(counted.items())), "threads": threads}
    save_structure(job.out, StructureModel(trees, record))
    return record


def _pages(job: TreeTrainingJob, counted: Counter[str]) -> Iterator[AnnotatedPage]:
    for page in read_all(job.data):
        if job.keeps_out(page):
            continue
        if job.any_licence or may_ship(page):
            counted[page.dataset] += 1
            yield page
