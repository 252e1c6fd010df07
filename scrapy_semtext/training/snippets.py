"""Common substrings of two texts, found by short snippets that are unique in both."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The number of characters of a snippet, as in Web2Text (Vogels et al. 2018, 4.1).
SNIPPET = 10

# If no snippet is unique, all pairs of places of those with at most this many are tried.
_RARE = 4

# The weight of a chain: its length, and in these lower bits its position in the page.
_TIE_BITS = 64

Chars = NDArray[np.uint32]
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Run(NamedTuple):
    """``size`` equal characters, beginning at ``truth`` in the true text and at ``page`` in the page."""

    truth: int
    page: int
    size: int


def common_runs(truth: Chars, page: Chars, *, late: bool = False) -> list[Run]:
    """Return the heaviest chain of runs of snippets that are unique in both texts and in the same order.

    If no snippet is unique in both, rare snippets are used; among copies in the page the last ones if ``late``, else
    the first. The runs are disjoint and in order. Takes O(n log n) for texts with n code points in total.
    """
    in_truth, in_page = _hashes(truth), _hashes(page)
    in_page_order = np.flatnonzero(np.isin(in_page, in_truth))
    known = in_page[in_page_order]
    for max_places in (1, _RARE):
        truth_at, page_at = _pairs(in_truth, known, max_places)
        if len(truth_at):
            return _disjoint(_heaviest_chain(_joined(truth_at, in_page_order[page_at]), late=late))
    return []


def stray_runs(truth: Chars, page: Chars, free_truth: Mask, free_page: Mask, min_size: int) -> Iterator[Run]:
    """Yield runs of at least ``min_size`` characters within the free places of both texts, in any order.

    The longest run comes first, and each run uses up its characters: if the page has a stretch twice and the truth
    once, one copy is found. The two masks are cleared for each run.
    """
    in_truth, truth_order = _free_hashes(truth, free_truth)
    in_page, page_order = _free_hashes(page, free_page)
    known = np.isin(in_page, in_truth)
    truth_at, page_at = _pairs(in_truth, in_page[known], _RARE)
    runs = _joined(truth_order[truth_at], page_order[known][page_at]) if len(truth_at) else []
    for run in sorted(runs, key=lambda run: (-run.size, run)):
        if run.size < min_size:
            return
        free = free_truth[run.truth : run.truth + run.size] & free_page[run.page : run.page + run.size]
        begin, size = _longest_stretch(free)
        if size >= min_size:
            free_truth[run.truth + begin : run.truth + begin + size] = False
            free_page[run.page + begin : run.page + begin + size] = False
            yield Run(run.truth + begin, run.page + begin, size)


def _free_hashes(chars: Chars, free: Mask) -> tuple[Hashes, Places]:
    """Return the hashes of the snippets within free places, and where they begin."""
    hashes = _hashes(chars)
    taken = np.concatenate(([0], np.cumsum(~free)))
    begins = np.flatnonzero(taken[SNIPPET:] == taken[: len(hashes)])
    return hashes[begins], begins


def _longest_stretch(free: Mask) -> tuple[int, int]:
    """Return the start and the length of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], free, [False])).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    if not len(begins):
        return 0, 0
    longest = int(np.argmax(ends - begins))
    return int(begins[longest]), int(ends[longest] - begins[longest])


def _hashes(chars: Chars) -> Hashes:
    """Return a 64-bit hash of each snippet, one for each place where a snippet begins."""
    count = max(len(chars) - SNIPPET + 1, 0)
    mixed = chars.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    total = np.zeros(count, dtype=np.uint64)
    for offset in range(SNIPPET if count else 0):
        total *= np.uint64(0xD1342543DE82EF95)
        total += mixed[offset : offset + count]
    return total


def _pairs(in_truth: Hashes, in_page: Hashes, max_places: int) -> tuple[Places, Places]:
    """Return all pairs of places of the snippets with at most ``max_places`` places in either text."""
    truth_order, page_order = np.argsort(in_truth, kind="stable"), np.argsort(in_page, kind="stable")
    truth_values, truth_first, truth_count = np.unique(in_truth[truth_order], return_index=True, return_counts=True)
    page_values, page_first, page_count = np.unique(in_page[page_order], return_index=True, return_counts=True)
    _, one, two = np.intersect1d(truth_values, page_values, assume_unique=True, return_indices=True)
    few = (truth_count[one] <= max_places) & (page_count[two] <= max_places)
    one, two = one[few], two[few]
    truth_at, page_at = [], []
    for i in range(max_places):
        for j in range(max_places):
            both = (truth_count[one] > i) & (page_count[two] > j)
            truth_at.append(truth_order[truth_first[one[both]] + i])
            page_at.append(page_order[page_first[two[both]] + j])
    return np.concatenate(truth_at), np.concatenate(page_at)


def _joined(truth_at: Places, page_at: Places) -> list[Run]:
    """Join pairs of snippets that follow each other in both texts into runs."""
    order = np.lexsort((truth_at, page_at - truth_at))
    truth_at, page_at = truth_at[order], page_at[order]
    breaks = np.flatnonzero((np.diff(truth_at) != 1) | (np.diff(page_at) != 1)) + 1
    begins = np.concatenate(([0], breaks))
    sizes = np.diff(np.concatenate((begins, [len(truth_at)]))) + SNIPPET - 1
    return [Run(*row) for row in zip(truth_at[begins].tolist(), page_at[begins].tolist(), sizes.tolist(), strict=True)]


def _heaviest_chain(runs: list[Run], *, late: bool) -> list[Run]:
    """Return the runs of the greatest total length that follow each other in both texts.

    Runs count as ending where their last snippet begins, because adjacent ones may share characters. A sweep over the
    truth queries the best chain that ends before a run's place in the page, and enters each run when it has ended.
    Among equal chains the later one in the page wins if ``late``, else the earlier one.
    """
    ends = sorted({_last(run) for run in runs})
    tree = _BestBefore(len(ends))
    weight, before = [0] * len(runs), [-1] * len(runs)
    events = [(run.truth, True, index) for index, run in enumerate(runs)]
    events += [(run.truth + run.size - SNIPPET + 1, False, index) for index, run in enumerate(runs)]
    for _, begins, index in sorted(events):
        run = runs[index]
        if begins:
            best, before[index] = tree.best(bisect_left(ends, run.page))
            weight[index] = best + ((run.size - SNIPPET + 1) << _TIE_BITS) + (run.page if late else -run.page)
        else:
            tree.enter(bisect_left(ends, _last(run)) + 1, (weight[index], index))
    index = max(range(len(runs)), key=weight.__getitem__)
    chain = []
    while index >= 0:
        chain.append(runs[index])
        index = before[index]
    return chain[::-1]


def _last(run: Run) -> int:
    """Return where the run's last snippet begins in the page."""
    return run.page + run.size - SNIPPET


class _BestBefore:
    """The greatest (weight, index) entered at places 1 to n: a Fenwick tree of maxima, O(log n) per call."""

    def __init__(self, size: int) -> None:
        self._tree = [(0, -1)] * (size + 1)

    def best(self, place: int) -> tuple[int, int]:
        found = (0, -1)
        while place:
            found = max(found, self._tree[place])
            place &= place - 1
        return found

    def enter(self, place: int, value: tuple[int, int]) -> None:
        while place < len(self._tree):
            self._tree[place] = max(self._tree[place], value)
            place += place & -place


def _disjoint(chain: list[Run]) -> list[Run]:
    """Cut the beginning of each run where it overlaps the previous one."""
    cut: list[Run] = []
    truth_end = page_end = 0
    for run in chain:
        overlap = max(truth_end - run.truth, page_end - run.page, 0)
        if overlap < run.size:
            cut.append(Run(run.truth + overlap, run.page + overlap, run.size - overlap))
            truth_end, page_end = run.truth + run.size, run.page + run.size
    return cut
