"""The section models on disk, and their scores for lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.sections.line_features import FEATURES

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

_FILES = TreeFiles("sections", "section models", 1, "semtext train sections")
#: The decision threshold of all three scores.
LIKELY = 0.5
_NAMES = ("relevant", "title", "miscellany")


@dataclass(frozen=True, slots=True)
class LineScores:
    """The models' probabilities for lines, (lines,) each, 0 to 1.

    ``relevant``: belongs to the main content; ``title``: is a title, if it does; ``miscellany``: belongs to no
    section, if it is relevant and no title.
    """

    relevant: Floats
    title: Floats
    miscellany: Floats


@dataclass(frozen=True, slots=True)
class SectionModels:
    """Trees over lines, one ensemble for each of LineScores. ``training`` holds data, seed, dates and scores."""

    relevant: TreeEnsemble
    title: TreeEnsemble
    miscellany: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)

    def score(self, rows: Singles) -> LineScores:
        """Score lines by their features, (lines, FEATURES). Raises ValueError for rows of another number of columns."""
        return LineScores(self.relevant.predict(rows), self.title.predict(rows), self.miscellany.predict(rows))

    def score_where_needed(self, rows: Singles, is_main: Bools) -> LineScores:
        """Score lines as far as sections need it; ``is_main``: (lines,), which ones are main content in any case.

        These have 1 for ``relevant``. Other lines are needed from a score of LIKELY on. Those that are not have 0 for
        ``title`` and ``miscellany``, titles have 0 for ``miscellany``. Raises as `score` does.
        """
        relevant, title, miscellany = is_main.astype(np.float64), np.zeros(len(rows)), np.zeros(len(rows))
        lines = np.flatnonzero(~is_main)
        relevant[lines] = self.relevant.predict(_taken(rows, lines))
        lines = np.flatnonzero(relevant >= LIKELY)
        title[lines] = self.title.predict(_taken(rows, lines))
        lines = lines[title[lines] < LIKELY]
        miscellany[lines] = self.miscellany.predict(_taken(rows, lines))
        return LineScores(relevant, title, miscellany)


def _taken(rows: Singles, lines: Ints) -> Singles:
    """Some rows, each column in one piece of memory as it is in what `line_features` gives."""
    taken: Singles = rows.T.take(lines, axis=1).T
    return taken


def save_section_models(folder: Path, models: SectionModels) -> None:
    """Write the models into the folder of a bundle, which is made if need be."""
    arrays: dict[str, NDArray[np.generic]] = {}
    for name in _NAMES:
        arrays |= getattr(models, name).arrays(name)
    _FILES.save(folder, arrays, {"features": list(FEATURES), "training": models.training})


def load_section_models(folder: Path | None = None) -> SectionModels:
    """Load the models from the folder of a bundle, or the shipped ones where it has none.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """
    return _FILES.load_or_shipped(folder, _models)


def _models(description: dict[str, Any], arrays: dict[str, Any]) -> SectionModels:
    if description["features"] != list(FEATURES):
        raise ValueError("the models were fitted to other line features")
    trees = {name: TreeEnsemble.from_arrays(arrays, name) for name in _NAMES}
    models = SectionModels(**trees, training=description["training"])
    models.score(np.zeros((1, len(FEATURES)), dtype=np.float32))
    return models
