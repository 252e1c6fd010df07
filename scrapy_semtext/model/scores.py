"""What every labeller gives, and what a labeller is: blocks of pages -> a probability and a label for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapy_semtext.model.decision import expected_f1_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from scrapy_semtext.describe import Described
    from scrapy_semtext.model.decision import Decision


@dataclass(slots=True)
class Scores:
    """What a labeller says of one page.

    ``probabilities``: (blocks,) of being main content; ``viterbi``: (blocks,) bool, the labels that the labeller
    itself gives (of a CRF the best sequence).
    """

    probabilities: NDArray[np.float64]
    viterbi: NDArray[np.bool_]

    def labels(self, decision: Decision, words: ArrayLike) -> NDArray[np.bool_]:
        """Which blocks are main content; ``words``: (blocks,) how many words each has."""
        return self.viterbi if decision == "viterbi" else expected_f1_choice(self.probabilities, words)


class Labeller(Protocol):
    """Labels the text blocks of pages. Only ever called from one thread at a time."""

    def score(self, pages: Sequence[Described]) -> list[Scores]:
        """Score pages, each by itself; a page without blocks gets empty scores."""
        ...
