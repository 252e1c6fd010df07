"""Fine-tuning of structure trees: more trees, fitted to other pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import lightgbm
import numpy as np

from scrapy_semtext.labelers.structure_trees import ALL_COLUMNS, NameTable
from scrapy_semtext.training.boosting import boosted, ensemble_of, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.labelers.structure_trees import StructureTrees
    from scrapy_semtext.training.structure_fit import StructureExample

# Small trees on few columns each, since there are few pages.
_SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "max_bin": 63,
}


@dataclass(frozen=True, slots=True)
class FineTuningSettings:
    """The number of trees that are added, and the seed."""

    rounds: int = 100
    seed: int = 1


def fine_tune_trees(
    trees: StructureTrees, examples: Sequence[StructureExample], settings: FineTuningSettings | None = None
) -> StructureTrees:
    """Return the trees with additional ones on the same columns, fitted to the blocks of ``examples``.

    Blocks have equal weights. Raises ValueError without examples.
    """
    settings = settings or FineTuningSettings()
    if not examples:
        raise ValueError("There are no pages to fine-tune on.")
    table = np.concatenate([_table(trees, example) for example in examples])
    labels = np.concatenate([example.labels for example in examples]).astype(np.float32)
    data = lightgbm.Dataset(table, labels, init_score=trees.trees.scores(table))
    more = ensemble_of(boosted(data, _SETTINGS, settings.rounds, settings.seed))
    return replace(trees, trees=joined([trees.trees, more]))


def _table(trees: StructureTrees, example: StructureExample) -> NDArray[np.float32]:
    """The columns of the trees for the blocks of a page, (blocks, columns)."""
    near = NameTable(trees.words).nearness(example.looks, example.parent, example.depth, example.of_block)
    own = example.rows[:, [ALL_COLUMNS.index(name) for name in trees.columns]]
    return np.concatenate([own, near.T], axis=1, dtype=np.float32)
