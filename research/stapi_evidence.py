"""The evidence for a line being main content: its shape and place, and the network's output for the blocks around it.

The network relies on words. If the whole text of a page reads like the boilerplate of other pages (a privacy policy
uses the words of cookie notices), the network doubts the text, and the place of the text is more reliable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sections.line_features import FEATURES

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The columns that `evidence` gives, in order.
EVIDENCE = ("shape", "block", "around", "core", "best", "core_share", "position")

_IN_CORE = FEATURES.index("in_core")
_POSITION = FEATURES.index("core_position")
# Lines to either side whose blocks count as around a line.
_AROUND = 3


def evidence(
    shape: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    words: NDArray[np.float64],
    rows: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the evidence for each line; float32, (lines, EVIDENCE).

    ``shape``: (lines,) log-odds by shape and place; ``probabilities``: (lines,) of the network for the lines' blocks;
    ``words``: (lines,) the number of words; ``rows``: (lines, FEATURES).
    """
    if not len(shape):
        return np.zeros((0, len(EVIDENCE)), dtype=np.float32)
    odds = np.log(probabilities + 1e-4) - np.log(1 - probabilities + 1e-4)
    core = (rows[:, _IN_CORE] > 0) * words
    total = core.sum()
    of_core = float((core * odds).sum() / total) if total else -9.0
    columns = (
        shape,
        odds,
        _mean_around(odds, words),
        np.full(len(shape), of_core),
        np.full(len(shape), odds.max()),
        np.full(len(shape), total / words.sum()),
        rows[:, _POSITION],
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _mean_around(odds: NDArray[np.float64], words: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the lines around each line, itself included, weighted by words; (lines,)."""
    window = np.ones(2 * _AROUND + 1)
    padded, weights = (np.pad(array, _AROUND) for array in (odds * words, words))
    sums = np.convolve(padded, window, "valid")
    result: NDArray[np.float64] = sums / np.maximum(np.convolve(weights, window, "valid"), 1.0)
    return result
