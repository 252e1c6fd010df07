"""The training of the record models, from page sets to a bundle: ``semtext train records``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.records.models import save_record_models
from scrapy_semtext.training.datasets import may_ship, read_all
from scrapy_semtext.training.record_fit import fit_records, read_ids, record_examples

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.training.tree_job import TreeTrainingJob


def train_records(job: TreeTrainingJob, ids: Path | None = None, *, progress: bool = True) -> dict[str, Any]:
    """Fit the record models, write them into the folder of a bundle, and return their training record.

    ``ids`` names a file with the ids of the pages to learn from. Raises RecordTrainingError if there are none,
    DatasetError for unusable data.
    """
    pages = (page for page in read_all(job.data) if not job.keeps_out(page) and (job.any_licence or may_ship(page)))
    examples = record_examples(pages, read_ids(ids), progress=progress)
    models = fit_records(examples, job.seed)
    record = {
        **job.record(),
        "pages": len(examples),
        "records": sum(len(example.truth) for example in examples),
    }
    save_record_models(job.out, replace(models, training=record))
    return record
