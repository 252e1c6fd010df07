"""The correction of the model for one site, as ``semtext tune`` learns it: shifts of log-odds by path."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.paths import block_paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.inference.scores import Scores

FILE = "site.json"
FORMAT = 1
_MIN_PROBABILITY = 1e-6


class TunedModelError(ValueError):
    """A folder holds no site model that can be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TunedModel:
    """What is added to the log-odds of the blocks of a site: ``bias`` to all, ``shifts`` by path."""

    shifts: Mapping[str, float]
    bias: float = 0.0

    @classmethod
    def load(cls, folder: str | Path) -> TunedModel:
        """Load a site model; raise TunedModelError if the folder holds none."""
        path = Path(folder) / FILE
        try:
            values = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise TunedModelError(f"{path} cannot be read: {error}") from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise TunedModelError(f"{path} is not a site model of format {FORMAT}")
        return cls(values["shifts"], values["bias"])

    def revised(self, scores: Scores, blocks: Sequence[TextBlock]) -> Scores:
        """Return the scores of a page's blocks with their log-odds shifted."""
        shift = self.bias + np.array([self.shifts.get(path, 0.0) for path in block_paths(blocks)])
        p = np.clip(scores.probabilities, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
        odds = np.log(p) - np.log1p(-p) + shift
        return replace(scores, probabilities=1 / (1 + np.exp(-odds)), viterbi=odds > 0)
