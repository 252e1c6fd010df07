"""Where the answers to groups of questions stand: in the questions' containers, or behind the questions.

Groups are read together: the members of all groups stand in one array, and each step is one operation of numpy on it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.qa.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.faq_groups import ShortHeads
    from scrapy_semtext.qa.faq_run_in import Head
    from scrapy_semtext.qa.nodes import Ints, PageNodes

_MOST_LEVELS = 12
# The share of containers that hold more than the question where answers stand in the containers.
_SHARE_INSIDE = 0.6


class Reading(NamedTuple):
    """A group of questions with the blocks of their answers.

    ``heads``: numbers of `ShortHeads`; ``answers``: first and last (exclusive) block of each answer; ``inside``:
    whether answers stand in the containers of the questions; ``level``: how many elements up most containers are.
    """

    heads: list[int]
    answers: list[tuple[int, int]]
    inside: bool
    level: int


class _Members(NamedTuple):
    """Members of groups, one group after the other; int64, (members,) each.

    ``head``: the number of the question; ``node``, ``first``, ``last``: its element and blocks; ``container``: the
    element ``level`` levels up from it.
    """

    head: Ints
    node: Ints
    first: Ints
    last: Ints
    container: Ints
    level: Ints

    def take(self, places: Ints) -> _Members:
        return _Members(*(column[places] for column in self))


def element_readings(
    nodes: PageNodes, heads: ShortHeads, groups: Sequence[tuple[int, ...]], asked: Ints
) -> list[Reading]:
    """Return how the answers to groups of questions may be read, each reading once, in the order of the groups.

    A group is read with containers as far up as most questions allow, and as second most do; in either case as a whole
    and without the questions whose containers are in another element than most. ``asked``: int64, (heads,), a number
    for each different question that ends in a mark, 0 for all else. A reading answers at least two such questions.
    """
    head = np.fromiter(chain.from_iterable(groups), dtype=np.int64)
    runs = Runs([*map(len, groups)])
    enough = _ask_enough(asked[head], runs)
    head, runs = head[enough[runs.of_item]], Runs(runs.lengths[enough])
    if not len(head):
        return []
    members, runs, level = _with_containers(nodes, heads, head, runs)
    inside = (level >= 0) & (runs.sum(nodes.last[members.container] > members.last) >= _SHARE_INSIDE * runs.lengths)
    end = _answer_ends(nodes, members, runs, inside)
    answered = _ask_enough(np.where(end > members.last, asked[members.head], 0), runs)
    rows = np.stack([members.first, members.last, end], axis=1)
    readings: dict[bytes, Reading] = {}
    for run in answered.nonzero()[0].tolist():
        items = slice(int(runs.begins[run]), int(runs.begins[run] + runs.lengths[run]))
        key = rows[items].tobytes()
        if key not in readings:
            answers = [*zip(members.last[items].tolist(), end[items].tolist(), strict=True)]
            readings[key] = Reading(members.head[items].tolist(), answers, bool(inside[run]), int(level[run]))
    return [*readings.values()]


def answers_behind(nodes: PageNodes, groups: Sequence[Sequence[Head]]) -> list[list[tuple[int, int]]]:
    """Return first and last (exclusive) block of what follows each question of each group, up to the next question."""
    if not groups:
        return []
    head = np.array([question[:3] for heads in groups for question in heads], dtype=np.int64)
    node, first, last = head.T
    runs = Runs([*map(len, groups)])
    members = _Members(np.arange(len(head)), node, first, last, node, np.zeros_like(node))
    end = _answer_ends(nodes, members, runs, np.zeros(len(groups), dtype=np.bool_))
    answers = [*zip(last.tolist(), end.tolist(), strict=True)]
    return [answers[begin : begin + len(heads)] for begin, heads in zip(runs.begins.tolist(), groups, strict=True)]


def climbed(nodes: PageNodes, node: Ints, levels: Ints) -> Ints:
    """Return the elements so many levels up from others, or the root; (nodes,)."""
    for step in range(int(levels.max(initial=0))):
        parent = nodes.parent[node]
        node = np.where((levels > step) & (parent >= 0), parent, node)
    return node


def _ask_enough(asked: Ints, runs: Runs) -> NDArray[np.bool_]:
    """Whether at least two different numbers of questions, of which 0 is none, are in each run; (runs,)."""
    if not len(asked):
        return np.zeros(0, dtype=np.bool_)
    least = np.where(asked > 0, asked, np.iinfo(np.int64).max)
    enough: NDArray[np.bool_] = np.maximum.reduceat(asked, runs.begins) > np.minimum.reduceat(least, runs.begins)
    return enough


# --- containers ------------------------------------------------------------------------------------------------------


def _with_containers(nodes: PageNodes, heads: ShortHeads, head: Ints, runs: Runs) -> tuple[_Members, Runs, Ints]:
    """Return the members of all readings, their runs, and the level of most containers of each run, (runs,)."""
    node, first, last = heads.node[head], heads.first[head], heads.last[head]
    free = _free_levels(nodes, node, first, last, runs)
    group, level = _commonest_levels(free, runs)
    whole = Runs(runs.lengths[group])
    items = _ranges(runs.begins[group], whole.lengths)
    levels = np.minimum(level[whole.of_item], free[items])
    container = climbed(nodes, node[items], levels)
    members = _Members(head[items], node[items], first[items], last[items], container, levels)
    beside = _beside(nodes.parent[container], whole)
    # each group is followed by the part of it that stands side by side
    number = np.append(2 * whole.of_item, 2 * whole.of_item[beside] + 1)
    order = np.argsort(number, kind="stable")
    lengths = np.bincount(number)
    present = lengths.nonzero()[0]
    return members.take(np.append(np.arange(len(items)), beside)[order]), Runs(lengths[present]), level[present // 2]


def _free_levels(nodes: PageNodes, node: Ints, first: Ints, last: Ints, runs: Runs) -> Ints:
    """How many elements up each question can be left before the next one, or the one before, is met; (members,).

    -1 where both stand in one element without elements of their own.
    """
    low, high = np.append(0, last[:-1]), np.append(first[1:], 0)
    low[runs.begins], high[runs.begins + runs.lengths - 1] = 0, len(nodes.blocks)
    levels = np.full(len(node), -1)
    rising = np.ones(len(node), dtype=np.bool_)
    for _ in range(_MOST_LEVELS + 1):
        rising &= (node >= 0) & (nodes.first[node] >= low) & (nodes.last[node] <= high)
        if not rising.any():
            break
        levels += rising
        node = np.where(rising, nodes.parent[node], node)
    return levels


def _commonest_levels(levels: Ints, runs: Runs) -> tuple[Ints, Ints]:
    """Return the two commonest levels of each run, or the only one, with the number of the run; the first of a tie."""
    width, count = _MOST_LEVELS + 2, len(levels)
    cells = runs.of_item * width + levels + 1
    times = np.bincount(cells, minlength=len(runs.lengths) * width)
    first = np.zeros_like(times)
    first[cells[::-1]] = np.arange(count)[::-1]
    rank = np.where(times > 0, times * count - first, 0).reshape(-1, width)
    order = np.argsort(-rank, axis=1, kind="stable")[:, :2]
    run, place = np.take_along_axis(rank, order, axis=1).nonzero()
    return run, order[run, place] - 1


def _beside(parent: Ints, runs: Runs) -> Ints:
    """Return the members whose containers have the commonest parent, of runs where that are some but not all."""
    span = int(parent.max()) + 2
    kinds, first, kind, times = np.unique(
        runs.of_item * span + parent + 1, return_index=True, return_inverse=True, return_counts=True
    )
    run = kinds // span
    order = np.lexsort((first, -times, run))
    commonest = order[np.searchsorted(run[order], np.arange(len(runs.lengths)))]
    some = (times[commonest] >= 2) & (times[commonest] < runs.lengths)
    return ((kind == commonest[runs.of_item]) & some[runs.of_item]).nonzero()[0]


def _ranges(begins: Ints, lengths: Ints) -> Ints:
    """Return the numbers from each begin on, so many of each, one range after the other."""
    ends = lengths.cumsum()
    return np.repeat(begins - ends + lengths, lengths) + np.arange(ends[-1])


# --- ends of answers -------------------------------------------------------------------------------------------------


def _answer_ends(nodes: PageNodes, members: _Members, runs: Runs, inside: NDArray[np.bool_]) -> Ints:
    """Return the block before which the answer to each question ends, which begins behind the question; (members,).

    Runs that are ``inside``, (runs,), have their answers in the containers. In others an answer ends before the next
    question. Behind the last of these it ends where blocks begin that are unlike those of the other answers, or where it
    would be longer than all of them.
    """
    within, last, container = inside[runs.of_item], nodes.last, members.container
    parent = nodes.parent[container]
    around = np.where(parent >= 0, last[parent], len(nodes.blocks))
    holds = (members.level <= 0) & (last[container] - nodes.first[container] > members.last - members.first)
    limit = np.where(within | holds, last[container], around)
    following = np.append(members.first[1:], 0)
    following[runs.begins + runs.lengths - 1] = len(nodes.blocks) + 1
    end = np.maximum(members.last, np.minimum(limit, following))
    end = _before_headings(nodes, nodes.node_headings[members.node], members.last, end)
    is_open = ~within & (following > limit)
    return _without_unlike(nodes, members.last, end, is_open, runs) if is_open.any() else end


def _before_headings(nodes: PageNodes, own: Ints, start: Ints, end: Ints) -> Ints:
    """Cut ranges where a heading as high as the question, of level ``own``, begins, and before trailing headings."""
    levels = nodes.node_headings[nodes.innermost]
    if not levels.any():
        return end
    blocks = np.arange(len(levels))
    for level in np.unique(own[own > 0]).tolist():
        high = np.append(blocks[(levels > 0) & (levels <= level)], len(levels) + 1)
        end = np.where(own == level, np.minimum(end, high[np.searchsorted(high, start)]), end)
    behind_text = np.append(0, np.maximum.accumulate(np.where(levels == 0, blocks + 1, 0)))
    return np.maximum(start, behind_text[end])


def _without_unlike(nodes: PageNodes, start: Ints, end: Ints, is_open: NDArray[np.bool_], runs: Runs) -> Ints:
    """Cut the answers that no question follows by what the other answers of their run are like."""
    longest = runs.most(np.where(is_open, -1, end - start)).astype(np.int64)
    end = np.where(is_open, np.minimum(end, start + np.where(longest < 0, 1, longest)[runs.of_item]), end)
    kinds = nodes.block_paths
    known: dict[int, set[int]] = {}
    for item in (is_open & (end > start) & (longest >= 0)[runs.of_item]).nonzero()[0].tolist():
        run = int(runs.of_item[item])
        if run not in known:
            items = slice(int(runs.begins[run]), int(runs.begins[run] + runs.lengths[run]))
            closed = ~is_open[items]
            ranges = zip(start[items][closed].tolist(), end[items][closed].tolist(), strict=True)
            known[run] = set().union(*(kinds[first:last] for first, last in ranges))
        blocks = range(int(start[item]), int(end[item]))
        end[item] = next((block for block in blocks if kinds[block] not in known[run]), end[item])
    return end
