"""The section models on disk, and what they say of the lines of a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.sections.line_features import FEATURES

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_FILES = TreeFiles("sections", "section models", 1, "semtext train sections")
#: From this score on a line is what the score is of.
LIKELY = 0.5
_NAMES = ("relevant", "title", "miscellany")


@dataclass(frozen=True, slots=True)
class LineScores:
    """What the models say of a page's lines, (lines,) each, 0 to 1.

    ``relevant``: belongs to the main content; ``title``: is a title, if it does; ``miscellany``: belongs to no
    section, if it is relevant and no title.
    """

    relevant: NDArray[np.float64]
    title: NDArray[np.float64]
    miscellany: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SectionModels:
    """Trees over lines, one ensemble for each of LineScores. ``training`` holds data, seed, dates and scores."""

    relevant: TreeEnsemble
    title: TreeEnsemble
    miscellany: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)

    def score(self, rows: NDArray[np.float32]) -> LineScores:
        """Score the lines of a page, (lines, FEATURES). Raises ValueError for rows of another number of columns."""
        return LineScores(self.relevant.predict(rows), self.title.predict(rows), self.miscellany.predict(rows))

    def score_wanted(self, rows: NDArray[np.float32], wanted: NDArray[np.bool_]) -> LineScores:
        """Score the lines of a page as far as its reading needs it; ``wanted``, (lines,), are wanted in any case.

        These have 1 for ``relevant``. Other lines are wanted from a score of LIKELY on. Lines that are not have 0 for
        ``title`` and ``miscellany``, titles have 0 for ``miscellany``. Raises as `score` does.
        """
        relevant, title, miscellany = wanted.astype(np.float64), np.zeros(len(rows)), np.zeros(len(rows))
        lines = np.flatnonzero(~wanted)
        relevant[lines] = self.relevant.predict(rows.take(lines, axis=0))
        lines = np.flatnonzero(relevant >= LIKELY)
        title[lines] = self.title.predict(rows.take(lines, axis=0))
        lines = lines[title[lines] < LIKELY]
        miscellany[lines] = self.miscellany.predict(rows.take(lines, axis=0))
        return LineScores(relevant, title, miscellany)


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
    return _FILES.load(folder if folder is not None and _FILES.are_in(folder) else SHIPPED, _models)


def _models(description: dict[str, Any], arrays: dict[str, Any]) -> SectionModels:
    if description["features"] != list(FEATURES):
        raise ValueError("the models were fitted to other features of lines")
    trees = {name: TreeEnsemble.from_arrays(arrays, name) for name in _NAMES}
    models = SectionModels(**trees, training=description["training"])
    models.score(np.zeros((1, len(FEATURES)), dtype=np.float32))
    return models
