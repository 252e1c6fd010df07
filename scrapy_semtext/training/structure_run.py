"""From page sets to structure trees in a bundle: what ``semtext train-structure`` does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import lightgbm

from scrapy_semtext import __version__
from scrapy_semtext.structure.files import StructureModel, save_structure
from scrapy_semtext.training.datasets import SPLIT_SEED, may_ship, read_all, side_of
from scrapy_semtext.training.run import TrainingError
from scrapy_semtext.training.structure_fit import FitSettings, fit_structure, structure_examples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy_semtext.training.datasets import TruthPage


@dataclass(frozen=True, slots=True)
class StructurePlan:
    """What to fit to what; see `scrapy_semtext.training.run.Plan`. Only the test side of the split is kept out."""

    data: tuple[Path, ...]
    out: Path
    seed: int = 1
    any_licence: bool = False
    test_share: float = 0.2
    test_fold: int = 0


def train_structure(plan: StructurePlan, *, progress: bool = True) -> dict[str, Any]:
    """Fit the structure trees, write them into the folder of a bundle, and return their training record.

    Raises TrainingError if there is no page to learn from, DatasetError for unusable data.
    """
    counted: Counter[str] = Counter()
    examples = structure_examples(_pages(plan, counted), progress=progress)
    if not examples:
        raise TrainingError(
            "There are no pages to learn from: none are left after the split by domain and the check of licences. "
            "Give more pages."
        )
    trees = fit_structure(examples, FitSettings(seed=plan.seed))
    record = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "version": __version__,
        "lightgbm": lightgbm.__version__,
        "seed": plan.seed,
        "any_licence": plan.any_licence,
        "pages": dict(sorted(counted.items())),
        "split": {"seed": SPLIT_SEED, "test_share": plan.test_share, "test_fold": plan.test_fold},
    }
    save_structure(plan.out, StructureModel(trees, record))
    return record


def _pages(plan: StructurePlan, counted: Counter[str]) -> Iterator[TruthPage]:
    for page in read_all(plan.data):
        if side_of(page.domain, test_share=plan.test_share, test_fold=plan.test_fold) == "test":
            continue
        if plan.any_licence or may_ship(page):
            counted[page.dataset] += 1
            yield page
