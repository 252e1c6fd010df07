"""From page sets to Web2Text's weights: what ``semtext train --labeller web2text`` does."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_semtext.labelers.web2text.bundle import Web2TextManifest, save_web2text
from scrapy_semtext.training.run import data_record, no_pages, pages_of
from scrapy_semtext.training.web2text import Web2TextSettings, decision_scores, prepare, train_networks

if TYPE_CHECKING:
    from scrapy_semtext.training.datasets import Side
    from scrapy_semtext.training.run import Plan
    from scrapy_semtext.training.web2text import Web2TextExample


def train_web2text(plan: Plan, settings: Web2TextSettings | None = None, *, progress: bool = True) -> dict[str, Any]:
    """Train on the training side of the plan's pages, write the weights, and return the training record.

    The plan's ``work``, ``config`` and ``epochs`` are not used. Raises TrainingError if a side of the split has no
    pages, DatasetError for unusable data.
    """
    settings = settings or Web2TextSettings()
    training = _examples(plan, "train", progress=progress)
    validation = _examples(plan, "valid", progress=progress)
    networks, history = train_networks(
        training, validation, settings, seed=plan.seed, device=plan.device, progress=progress
    )
    scores = decision_scores(networks.cpu(), validation)
    decision = max(scores, key=lambda name: scores[name])
    record = {
        **data_record(plan, training, validation),
        "settings": asdict(settings),
        "validation_word_f1": {name: round(score, 4) for name, score in scores.items()},
        "history": {name: [round(error, 4) for error in errors] for name, errors in history.items()},
    }
    save_web2text(plan.out, networks, Web2TextManifest(decision, record))
    return record


def _examples(plan: Plan, side: Side, *, progress: bool) -> list[Web2TextExample]:
    left_out: Counter[str] = Counter()
    pages = pages_of(plan, side, left_out)
    examples = prepare(pages, scored=side == "valid", workers=plan.workers, progress=progress)
    if not examples:
        raise no_pages(plan, side, left_out)
    return examples
