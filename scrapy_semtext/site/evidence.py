"""What the evidence of a site's template changes: some of the blocks that the labeller keeps become boilerplate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.site.prints import PagePrint

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
    page: PagePrint,
) -> NDArray[np.bool_]:
    """Return which of the blocks that were kept stay so; all are (blocks,), and ``page`` has as many.

    A block stays if its log-odds, evidence added, are not below those of the least probable block that was kept. The
    choice by expected F1 is not made again: with some blocks ruled out it would demand more of all others. A block that
    leads on to text of the page's own stays, too: a label over it, or a notice in place of a part of it. And a heading
    stays with what it heads: the same headings ("Description") stand over content on many pages.
    """
    if not keep.any() or not evidence.any():
        return keep
    odds = log_odds(probabilities)
    own = evidence == 0
    spared = own | _leads_on(keep & own, np.asarray(page.sizes))
    stays: NDArray[np.bool_] = keep & (spared | (odds + evidence >= odds[keep].min()))
    return _with_headings(stays, keep, page)


def without_shared(evidence: NDArray[np.float64], page: PagePrint) -> NDArray[np.bool_]:
    """Return which blocks are left where no labeller says what is main content: those that are not shared, (blocks,).

    Headings stay with what they head here, too.
    """
    own = evidence == 0
    return _with_headings(own, np.ones(len(page), np.bool_), page)


def _with_headings(stays: NDArray[np.bool_], keep: NDArray[np.bool_], page: PagePrint) -> NDArray[np.bool_]:
    """What stays, and of the blocks that were kept the headings over it."""
    result: NDArray[np.bool_] = stays.copy()
    for i in range(len(keep) - 2, -1, -1):
        if page.headings[i] and keep[i] and result[i + 1]:
            result[i] = True
    return result


def _leads_on(own: NDArray[np.bool_], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which blocks stand right before one of ``own``, and are no longer than it or than one right before them.

    All are (blocks,). What comes after the page's own text, as notices do, never leads on.
    """
    around = np.pad(np.where(own, sizes, 0), 1)
    before, after = around[:-2], around[2:]
    result: NDArray[np.bool_] = (after > 0) & (np.maximum(before, after) >= sizes)
    return result
