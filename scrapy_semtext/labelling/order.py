"""Which pages of a site a person should label first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

#: How many pages are chosen one by one; those behind them are sorted once.
GREEDY_PAGES = 200


class Doubts(NamedTuple):
    """Where the model is in doubt on a page: the numbers of its distinct block paths, and the mean doubt at each.

    Both are (paths,). The doubt about a block is 1 - abs(2 p - 1), where p is its probability of being main content: 0
    if the model is certain, 1 at p = 0.5.
    """

    paths: NDArray[np.int64]
    doubts: NDArray[np.float64]


def doubts_of(paths: Sequence[int], probabilities: Sequence[float]) -> Doubts:
    """Return the doubts of a page from the path numbers and the probabilities of its blocks, both (blocks,)."""
    distinct, where = np.unique(np.asarray(paths, np.int64), return_inverse=True)
    doubt = 1 - np.abs(2 * np.asarray(probabilities, np.float64) - 1)
    blocks = np.bincount(where, minlength=len(distinct))
    return Doubts(distinct, np.bincount(where, doubt, minlength=len(distinct)) / np.maximum(blocks, 1))


def teaching_order(pages: Sequence[Doubts], done: Collection[int] = ()) -> list[int]:
    """Return the positions of pages in the order in which labels teach most; those that are ``done`` come last.

    What a page would teach is the mean of its doubts, plus the sum over its block paths of ::

        doubt(page, path) * others(path) / 2 ** labelled(path)

    ``others(path)`` is how many other pages have the path, so pages that are like many others come first.
    ``labelled(path)`` is how many of the pages before it in the order, and of those that are done, have the path, so
    that each page differs from those before it. The best page is chosen next until GREEDY_PAGES are; the others are
    sorted by what they would then teach. Takes time linear in the blocks of all pages, and n log n in their number.
    """
    count = len(pages)
    sizes = [len(page.paths) for page in pages]
    paths = np.concatenate([page.paths for page in pages]) if count else np.zeros(0, np.int64)  # (entries,)
    owner = np.repeat(np.arange(count), sizes)  # (entries,), the page of each entry
    doubts = np.concatenate([page.doubts for page in pages]) if count else np.zeros(0)  # (entries,)
    spread = doubts * (np.bincount(paths) - 1)[paths] if len(paths) else doubts  # (entries,)
    own = np.bincount(owner, doubts, minlength=count) / np.maximum(sizes, 1)  # (pages,)
    labelled = np.zeros(int(paths.max(initial=-1)) + 1)  # (paths,)
    for position in done:
        labelled[pages[position].paths] += 1
    left = np.ones(count, np.bool_)
    left[list(done)] = False
    order: list[int] = []
    while left.any():
        shared = np.bincount(owner, spread * 0.5 ** labelled[paths], minlength=count)  # (pages,)
        teaches = np.where(left, own + shared, -1.0)  # (pages,)
        if len(order) == GREEDY_PAGES:
            order += [int(position) for position in np.argsort(-teaches, kind="stable") if left[position]]
            break
        best = int(teaches.argmax())
        order.append(best)
        left[best] = False
        labelled[pages[best].paths] += 1
    return [*order, *sorted(done)]
