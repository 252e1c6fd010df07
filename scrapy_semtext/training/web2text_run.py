"""The training of Web2Text, from page sets to a bundle: ``semtext train labels --labeller web2text``."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_semtext.labelers.web2text.bundle import Web2TextManifest, save_web2text
from scrapy_semtext.training.run import data_record, no_pages, pages_of
from scrapy_semtext.training.web2text import Web2TextSettings, decision_scores, prepare, train_networks

if TYPE_CHECKING:
    from scrapy_semtext.training.datasets import Side
    from scrapy_semtext.training.run import TrainingJob
    from scrapy_semtext.training.web2text import Web2TextExample


def train_web2text(
    job: TrainingJob, settings: Web2TextSettings | None = None, *, progress: bool = True
) -> dict[str, Any]:
    """Train on the training side of the job's pages, write the weights, and return the training record.

    The job's ``work``, ``config`` and ``epochs`` are not used. Raises TrainingError if a side of the split has no
    pages, DatasetError for unusable data.
    """
    settings = settings or Web2TextSettings()
    training = _examples(job, "train", progress=progress)
    validation = _examples(job, "valid", progress=progress)
    networks, history = train_networks(
        training, validation, settings, seed=job.seed, device=job.device, progress=progress
    )
    scores = decision_scores(networks.cpu(), validation)
    decision = max(scores, key=lambda name: scores[name])
    record = {
        **data_record(job, training, validation),
        "settings": asdict(settings),
        "validation_word_f1": {name: round(score, 4) for name, score in scores.items()},
        "history": {name: [round(error, 4) for error in errors] for name, errors in history.items()},
    }
    save_web2text(job.out, networks, Web2TextManifest(decision, record))
    return record


def _examples(job: TrainingJob, side: Side, *, progress: bool) -> list[Web2TextExample]:
    left_out: Counter[str] = Counter()
    pages = pages_of(job, side, left_out)
    examples = prepare(pages, scored=side == "valid", workers=job.workers, progress=progress)
    if not examples:
        raise no_pages(job, side, left_out)
    return examples
