"""What every labeller gives, and what a labeller is: blocks of pages -> a probability and a label for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from scrapy_semtext.inference.decision import expected_f1_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.decision import Decision


@dataclass(slots=True)
class Scores:
    """What a labeller says of one page.

    ``probabilities``: (blocks,) of being main content; ``viterbi``: (blocks,) bool, the labels that the labeller
    itself gives (of a CRF the best sequence). ``evenness``: how much alike blocks count in the choice by expected F1,
    from 0, each by its words, to 1, all the same.
    """

    probabilities: NDArray[np.float64]
    viterbi: NDArray[np.bool_]
    evenness: float = 0.0

    def labels(self, decision: Decision, words: ArrayLike) -> NDArray[np.bool_]:
        """Which blocks are main content; ``words``: (blocks,) how many words each has."""
        if decision == "viterbi":
            return self.viterbi
        return expected_f1_choice(self.probabilities, evened(words, self.evenness) if self.evenness else words)


def evened(words: ArrayLike, evenness: float) -> NDArray[np.float64]:
    """The words of blocks, (blocks,), to the power of one minus ``evenness``; blocks without words stay at 0."""
    counts = np.asarray(words, dtype=np.float64)
    result: NDArray[np.float64] = np.where(counts > 0, np.maximum(counts, 1.0) ** (1 - evenness), 0.0)
    return result


class Labeler(Protocol):
    """Labels the text blocks of pages. Only ever called from one thread at a time."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each by itself; a page without blocks gets empty scores."""
        ...
