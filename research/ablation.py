"""Table III of the paper: the effect of adding the tags, the class names, or both to the text of a block.

Uses the articles of the given sets, with the usual split by registered domain. The network is a small version of the
paper's: only word strings, without numeric features and page summary, trained with the likelihood of the CRF. All four
share word vectors, pages, seed and number of epochs; inputs that one does not use are blanked in training and testing.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from research.experiment import main
from research.trials import Strings, blinded, required
from scrapy_semtext.inference.config import COMPACT
from scrapy_semtext.training.datasets import AnnotatedPage, Side, read_all, split_side
from scrapy_semtext.training.trainer import PAPER_LOSS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from research.measuring import SystemScores
    from research.trials import Trials
    from scrapy_semtext.training.corpus import Example

CONFIG = replace(COMPACT, name="words alone", numbers=False, page_vector=0)
SETTINGS_USED = replace(
    SETTINGS["compact"], epochs=5, batch_pages=4, string_dropout=0.0, repeats=1, loss=PAPER_LOSS, vector_epochs=3
)

#: What each does not see; the first is the paper's system.
WITHOUT: dict[str, frozenset[Strings]] = {
    "text, tags and classes": frozenset(),
    "text and tags": frozenset({"names"}),
    "text and classes": frozenset({"tags"}),
    "text": frozenset({"tags", "names"}),
}


def run(paths: Sequence[Path], trials: Trials) -> dict[str, SystemScores]:
    """Train and test the four. Raises ExperimentError if there are no articles on a side of the split."""
    pages: dict[Side, list[AnnotatedPage]] = {"train": [], "valid": [], "test": []}
    for page in read_all(paths):
        if page.page_type == "article":
            pages[split_side(page.domain)].append(page)
    training = trials.examples(required(pages["train"], "articles")[:: trials.every], CONFIG)
    validation = trials.examples(required(pages["valid"], "articles"), CONFIG, scored=True)
    vectors = trials.vectors(training, CONFIG, SETTINGS_USED)
    found = {}
    for name, without in WITHOUT.items():
        seen, checked = ([_blinded(example, without) for example in examples] for examples in (training, validation))
        bundle = trials.train(name, CONFIG, SETTINGS_USED, vectors, seen, checked)
        found[name] = trials.test(bundle, required(pages["test"], "articles"), without)
    return found


def _blinded(example: Example, without: Iterable[Strings]) -> Example:
    return replace(example, input=blinded(example.input, frozenset(without)))


if __name__ == "__main__":
    sys.exit(main(run, __doc__))
