"""What the evidence of a site's template changes: some of the blocks that the labeller keeps become boilerplate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Probabilities of 0 and 1 have no log-odds; nearer to them than this, none is taken to be.
_LEAST = 1e-6


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of probabilities, (blocks,)."""
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    odds: NDArray[np.float64] = np.log(p / (1 - p))
    return odds


def with_evidence(
    keep: NDArray[np.bool_],
    probabilities: NDArray[np.float64],
    evidence: NDArray[np.float64],
    headings: Sequence[bool],
) -> NDArray[np.bool_]:
    """Return which of the blocks that were kept stay so; all are (blocks,).

    A block stays if its log-odds, evidence added, are not below those of the least probable block that was kept. The
    choice by expected F1 is not made again: with some blocks ruled out it would demand more of all others. A heading
    stays with what it heads: the same headings ("Description") stand over content on many pages.
    """
    if not keep.any() or not evidence.any():
        return keep
    odds = log_odds(probabilities)
    stays: NDArray[np.bool_] = keep & ((evidence == 0) | (odds + evidence >= odds[keep].min()))
    for i in range(len(keep) - 2, -1, -1):
        if headings[i] and keep[i] and stays[i + 1]:
            stays[i] = True
    return stays
