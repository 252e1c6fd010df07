"""The correction of the model for one site, as ``semtext tune`` learns it: shifts of log-odds by place."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.paths import block_places
from scrapy_semtext.inference.scores import log_odds_of, probabilities_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.inference.scores import Scores

FILE = "site.json"
FORMAT = 1
_MIN_PROBABILITY, _MOST_SHIFT = 1e-6, 1e6


class TunedModelError(ValueError):
    """A folder holds no site model that can be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TunedModel:
    """What is added to the log-odds of the blocks of a site: ``shifts`` by the places of `dom.paths.block_places`.

    ``about`` says what it was learnt from, and how good it was found.
    """

    shifts: Mapping[str, float]
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> TunedModel:
        """Load a site model; raise TunedModelError if the folder holds none."""
        path = Path(folder) / FILE
        try:
            values = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise TunedModelError(f"{path} cannot be read: {error}") from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise TunedModelError(f"{path} is not a site model of format {FORMAT}")
        shifts = values.get("shifts")
        if not isinstance(shifts, dict) or not all(
            isinstance(shift, int | float) and abs(shift) < _MOST_SHIFT for shift in shifts.values()
        ):
            raise TunedModelError(f"{path} is damaged: its shifts are not numbers from -1e6 to 1e6")
        return cls(shifts, values.get("about", {}))

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder, which is made if there is none; return the path of its file."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        text = json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=1)
        path.write_text(f"{text}\n", "utf-8")
        return path

    def revised(self, scores: Scores, blocks: Sequence[TextBlock]) -> Scores:
        """Return the scores of a page's blocks with their log-odds shifted."""
        shifts = [sum(self.shifts.get(place, 0.0) for place in places) for places in block_places(blocks)]
        odds = log_odds(scores) + np.array(shifts)
        return replace(scores, probabilities=probabilities_of(odds), viterbi=odds > 0)


def log_odds(scores: Scores) -> NDArray[np.float64]:
    """Return the log-odds of the blocks of being main content, (blocks,), bounded."""
    return log_odds_of(scores.probabilities, _MIN_PROBABILITY)
