"""Table I of the paper: CleanEval, trained on the development pages and tested on the final pages.

The shipped bundle, which was trained on other sets, is fine-tuned: the network with the likelihood of the CRF as the
only loss, so that blocks count rather than words, the structure trees with additional trees. Hyperparameters are chosen
by cross-validation over the development pages. Further sets are only searched for copies of the tested pages: name the
sets that the bundle was trained on.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from research.experiment import main
from research.fine_tuning import FineTuner
from research.overlap import without_copies
from research.side_by_side import Labeling, read_by
from research.trials import required
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.labelers.bundle import load_labeler, read_manifest
from scrapy_semtext.labelers.structure_trees import AveragedLabeler, require_structure
from scrapy_semtext.qa.pair_models import load_pair_models
from scrapy_semtext.training.datasets import read_all, read_pages
from scrapy_semtext.training.trainer import PAPER_LOSS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from research.measuring import SystemScores
    from research.trials import Trials

#: Small batches for few pages, and more dropout against overfitting.
SETTINGS_USED = replace(
    SETTINGS["compact"], epochs=8, batch_pages=4, averaging=0.98, word_dropout=0.3, string_dropout=0.2, loss=PAPER_LOSS
)


def run(paths: Sequence[Path], trials: Trials) -> dict[str, SystemScores]:
    """Train on cleaneval_dev and test on cleaneval_final. Raises ExperimentError if one of them is not given."""
    sets = {path.name.split(".", 1)[0]: path for path in paths}
    final, known = ([sets[name]] if name in sets else [] for name in ("cleaneval_final", "cleaneval_dev"))
    tested = required((page for path in final for page in read_pages(path)), "cleaneval_final")
    pages, copies = without_copies(required(read_all(known), "cleaneval_dev"), tested)
    trials.notes.append(f"{len(pages)} pages learned from; {copies} copies of tested pages left out")
    for name, path in sets.items():
        if path not in (*final, *known):
            trials.notes.append(f"{without_copies(read_pages(path), tested)[1]} copies of tested pages in {name}")
    tuner = FineTuner(pages, SETTINGS_USED, trials)
    choices = tuner.choose()
    trials.notes.append(f"by cross-validation: {choices}")
    decision = read_manifest(SHIPPED).decision
    network, trees = load_labeler(SHIPPED, device=trials.device), require_structure(SHIPPED).trees
    shipped = AveragedLabeler(network, trees)
    alone, both = tuner.labelers(choices)
    systems = {
        "shipped network": Labeling(network, decision),
        "shipped network and trees": Labeling(shipped, decision),
        "network, CleanEval learned": Labeling(alone, "viterbi"),
        "network and trees, CleanEval learned": Labeling(both, "viterbi"),
    }
    return read_by(systems, tested, load_pair_models().posts, progress=trials.progress)


if __name__ == "__main__":
    sys.exit(main(run, __doc__))
