"""Table I of the paper: CleanEval, its development pages learned from, its final pages tested.

Learning goes on from the shipped bundle, which was trained on other sets, by the likelihood of the CRF alone: blocks
count and not words. How many epochs, and how labels are chosen, is found on a quarter of the development pages; then
all of them are learned from. Further sets that are given are only searched for copies of the tested pages: name those
that the bundle was trained on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_semtext.model.bundle import SHIPPED, read_manifest
from scrapy_semtext.model.config import COMPACT
from scrapy_semtext.model.vectors import WordVectors
from scrapy_semtext.training.datasets import read_all, read_pages
from scrapy_semtext.training.experiments.overlap import without_copies
from scrapy_semtext.training.experiments.trials import required
from scrapy_semtext.training.loss import PAPER_LOSS
from scrapy_semtext.training.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.training.comparison import Measured
    from scrapy_semtext.training.experiments.trials import Trials

#: Small steps and small batches for few pages; more dropout, as they are soon known by heart.
SETTINGS_USED = replace(
    SETTINGS["compact"],
    epochs=8,
    patience=8,
    learning_rate=1e-3,
    batch_pages=4,
    averaging=0.98,
    word_dropout=0.3,
    string_dropout=0.2,
    loss=PAPER_LOSS,
)


def run(paths: Sequence[Path], trials: Trials) -> dict[str, Measured]:
    """Train on cleaneval_dev and test on cleaneval_final. Raises ExperimentError if one of them is not given."""
    sets = {path.name.split(".", 1)[0]: path for path in paths}
    final, known = ([sets[name]] if name in sets else [] for name in ("cleaneval_final", "cleaneval_dev"))
    tested = required((page for path in final for page in read_pages(path)), "cleaneval_final")
    pages, copies = without_copies(required(read_all(known), "cleaneval_dev"), tested)
    trials.notes.append(f"{len(pages)} pages learned from; {copies} copies of tested pages left out")
    for name, path in sets.items():
        if path not in (*final, *known):
            trials.notes.append(f"{without_copies(read_pages(path), tested)[1]} copies of tested pages in {name}")
    examples = trials.examples(pages, COMPACT, scored=True)
    aside = examples[::4]
    rest = [example for place, example in enumerate(examples) if place % 4]
    vectors = WordVectors.load(SHIPPED)
    found = read_manifest(trials.train("found", COMPACT, SETTINGS_USED, vectors, rest, aside, SHIPPED))
    epochs = found.training["best_epoch"]
    trials.notes.append(f"{epochs} epochs and {found.decision}, by a quarter of the pages learned from")
    settings = replace(SETTINGS_USED, epochs=epochs)
    bundle = trials.train("cleaneval", COMPACT, settings, vectors, examples, aside, SHIPPED)
    return {
        "shipped": trials.test(None, tested),
        "CleanEval learned": trials.test(bundle, tested, decision=found.decision),
    }
