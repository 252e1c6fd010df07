"""Applies the evidence of a site template to labels: some main-content blocks become boilerplate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.site.prints import PagePrint

#: Probabilities are clipped to [_EPSILON, 1 - _EPSILON], since those of 0 and 1 have no finite log-odds.
_EPSILON = 1e-6


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of probabilities, (blocks,)."""
    p = np.clip(probabilities, _EPSILON, 1 - _EPSILON)
    odds: NDArray[np.float64] = np.log(p / (1 - p))
    return odds


def with_evidence(
    keep: NDArray[np.bool_],
    probabilities: NDArray[np.float64],
    evidence: NDArray[np.float64],
    page: PagePrint,
) -> NDArray[np.bool_]:
    """Return which of the kept blocks stay main content; all arrays are (blocks,), the length of ``page``.

    A block stays if its log-odds plus evidence are not below those of the least probable kept block. Expected F1 is not
    maximized again: with some blocks excluded, the threshold for all others would rise. A block that introduces text
    unique to the page stays too, such as a label above it. A heading stays if the block below it stays: the same
    headings ("Description") precede content on many pages.
    """
    if not keep.any() or not evidence.any():
        return keep
    odds = log_odds(probabilities)
    own = evidence == 0
    exempt = own | _introduces(keep & own, np.asarray(page.sizes))
    stays: NDArray[np.bool_] = keep & (exempt | (odds + evidence >= odds[keep].min()))
    return _with_headings(stays, keep, page)


def without_shared(evidence: NDArray[np.float64], page: PagePrint) -> NDArray[np.bool_]:
    """Return which blocks are not shared, (blocks,), for use without a labeller.

    A heading is kept if the block below it is kept.
    """
    own = evidence == 0
    return _with_headings(own, np.ones(len(page), np.bool_), page)


def _with_headings(stays: NDArray[np.bool_], keep: NDArray[np.bool_], page: PagePrint) -> NDArray[np.bool_]:
    """Add the kept headings directly above blocks that stay."""
    result: NDArray[np.bool_] = stays.copy()
    for i in range(len(keep) - 2, -1, -1):
        if page.headings[i] and keep[i] and result[i + 1]:
            result[i] = True
    return result


def _introduces(own: NDArray[np.bool_], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which blocks precede a block of ``own`` and are no longer than it or than one of ``own`` just before.

    All arrays are (blocks,). Blocks that only follow the page's own text, such as notices, are not included.
    """
    around = np.pad(np.where(own, sizes, 0), 1)
    before, after = around[:-2], around[2:]
    result: NDArray[np.bool_] = (after > 0) & (np.maximum(before, after) >= sizes)
    return result
