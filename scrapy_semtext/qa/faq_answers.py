"""Locate the answers to groups of questions: inside the containers of the questions, or after the questions.

The groups of several pages are processed together: the nodes of all pages are in one array, the members of all groups
in another, and each step is one numpy operation on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.dom.scope_tree import ranges
from scrapy_semtext.qa.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Ints

_MAX_LEVELS = 12
# The share of containers with more than the question from which the answers are taken to be in the containers.
_SHARE_INSIDE = 0.6


class Forest:
    """The nodes of several pages, one page after the other; nodes and blocks are numbered consecutively.

    ``node_starts``, ``block_starts``: int64, (pages + 1,), where each page begins; ``first``, ``last``, ``parent``,
    ``headings``: int64, (nodes,), as in `PageNodes`; ``page_end``: int64, (nodes,), the number of blocks up to the end
    of the node's page; ``block_headings``, ``block_paths``: int64, (blocks,), as in `PageNodes`; path numbers are per
    page.
    """

    def __init__(self, pages: Sequence[PageNodes]) -> None:
        """``pages``: at least one."""
        self.node_starts = np.cumsum([0, *map(len, pages)])
        self.block_starts = np.cumsum([0, *(len(nodes.blocks) for nodes in pages)])
        node_start = np.repeat(self.node_starts[:-1], np.diff(self.node_starts))
        block_start = np.repeat(self.block_starts[:-1], np.diff(self.node_starts))
        self.first = np.concatenate([nodes.first for nodes in pages]) + block_start
        self.last = np.concatenate([nodes.last for nodes in pages]) + block_start
        parent = np.concatenate([nodes.parent for nodes in pages])
        self.parent = np.where(parent >= 0, parent + node_start, -1)
        self.headings = np.concatenate([nodes.node_headings for nodes in pages])
        self.page_end = np.repeat(self.block_starts[1:], np.diff(self.node_starts))
        self.block_headings = np.concatenate([nodes.node_headings[nodes.innermost] for nodes in pages])
        self._pages = pages

    def block_paths(self) -> list[int]:
        """Return, for each block, the number in `PageNodes.tag_paths` of its node."""
        return [path for nodes in self._pages for path in nodes.block_paths]


class QuestionTable(NamedTuple):
    """The questions of several groups, one group after the other; int64, (questions,) each.

    ``node``: the element; ``first``, ``last``: its blocks; ``asked``: a number for each distinct question of a page
    that ends in a question mark, 0 for everything else.
    """

    node: Ints
    first: Ints
    last: Ints
    asked: Ints


class Readings(NamedTuple):
    """Groups of questions with their answers, one reading after the other.

    ``runs``: the questions of each reading; ``question``, ``end``: int64, (members,), the index in `QuestionTable`, and
    the block before which the answer ends (the answer begins after the question); ``inside``: (readings,), whether the
    answers are in the containers of the questions; ``level``: int64, (readings,), how many elements above its question
    the most common container is.
    """

    runs: Runs
    question: Ints
    end: Ints
    inside: NDArray[np.bool_]
    level: Ints


class _Members(NamedTuple):
    """The members of readings, one reading after the other; int64, (members,) each.

    ``question``: the index in `QuestionTable`; ``node``, ``first``, ``last``: as there; ``container``: the element
    ``level`` levels above the node.
    """

    question: Ints
    node: Ints
    first: Ints
    last: Ints
    container: Ints
    level: Ints

    def take(self, places: Ints) -> _Members:
        return _Members(*(column[places] for column in self))


def element_readings(forest: Forest, questions: QuestionTable, runs: Runs) -> Readings:
    """Return the possible readings of the answers to groups of questions, in the order of the groups.

    Each group (a run) is read with its containers at the commonest level, and at the second commonest; each time once
    whole, and once only with the questions whose containers share the commonest parent. A reading must answer at least
    two distinct questions that end in a question mark. Of equal readings, the first is returned.
    """
    enough = _ask_enough(questions.asked, runs)
    question, runs = enough[runs.of_item].nonzero()[0], Runs(runs.lengths[enough])
    if not len(question):
        return Readings(runs, question, question, enough[:0], question)
    members, runs, level = _with_containers(forest, questions, question, runs)
    filled = runs.sum(forest.last[members.container] > members.last)
    inside = (level >= 0) & (filled >= _SHARE_INSIDE * runs.lengths)
    end = _answer_ends(forest, members, runs, inside)
    answered = _ask_enough(np.where(end > members.last, questions.asked[members.question], 0), runs)
    kept = answered & _first_of_equal(np.stack([members.first, members.last, end], axis=1), runs)
    items = kept[runs.of_item]
    return Readings(Runs(runs.lengths[kept]), members.question[items], end[items], inside[kept], level[kept])


def answers_behind(forest: Forest, questions: QuestionTable, runs: Runs) -> Ints:
    """Return the block before which the text after each question ends, at most the next question's; (questions,).

    The text begins after the question.
    """
    if not len(questions.node):
        return questions.node
    places, levels = np.arange(len(questions.node)), np.zeros(len(questions.node), dtype=np.int64)
    members = _Members(places, questions.node, questions.first, questions.last, questions.node, levels)
    return _answer_ends(forest, members, runs, np.zeros(len(runs.lengths), dtype=np.bool_))


def climbed(parents: Ints, node: Ints, levels: Ints) -> Ints:
    """Return the ancestors ``levels`` levels above the nodes, or the root; (nodes,)."""
    for step in range(int(levels.max(initial=0))):
        parent = parents[node]
        node = np.where((levels > step) & (parent >= 0), parent, node)
    return node


def _ask_enough(asked: Ints, runs: Runs) -> NDArray[np.bool_]:
    """Return whether each run has at least two distinct numbers of questions, where 0 means no question; (runs,)."""
    if not len(asked):
        return np.zeros(0, dtype=np.bool_)
    least = np.where(asked > 0, asked, np.iinfo(np.int64).max)
    enough: NDArray[np.bool_] = np.maximum.reduceat(asked, runs.begins) > np.minimum.reduceat(least, runs.begins)
    return enough


def _first_of_equal(rows: Ints, runs: Runs) -> NDArray[np.bool_]:
    """Return whether no earlier run has the same rows, (members, columns); (runs,)."""
    ends = (runs.begins + runs.lengths).tolist()
    first: dict[bytes, int] = {}
    keys = [rows[begin:end].tobytes() for begin, end in zip(runs.begins.tolist(), ends, strict=True)]
    return np.array([first.setdefault(key, run) == run for run, key in enumerate(keys)], dtype=np.bool_)


# --- containers ------------------------------------------------------------------------------------------------------


def _with_containers(
    forest: Forest, questions: QuestionTable, question: Ints, runs: Runs
) -> tuple[_Members, Runs, Ints]:
    """Return the members of all readings, their runs, and the level of most containers of each run, (runs,)."""
    node, first, last = (column[question] for column in questions[:3])
    free = _free_levels(forest, node, first, last, runs)
    group, level = _commonest_levels(free, runs)
    whole = Runs(runs.lengths[group])
    items = ranges(runs.begins[group], whole.lengths)
    levels = np.minimum(level[whole.of_item], free[items])
    container = climbed(forest.parent, node[items], levels)
    members = _Members(question[items], node[items], first[items], last[items], container, levels)
    beside = _beside(forest.parent[container], whole)
    # each group is followed by those of its members that share the commonest parent
    number = np.append(2 * whole.of_item, 2 * whole.of_item[beside] + 1)
    order = np.argsort(number, kind="stable")
    lengths = np.bincount(number)
    present = lengths.nonzero()[0]
    return members.take(np.append(np.arange(len(items)), beside)[order]), Runs(lengths[present]), level[present // 2]


def _free_levels(forest: Forest, node: Ints, first: Ints, last: Ints, runs: Runs) -> Ints:
    """Return how many levels up each question's element can grow without containing a neighboring question; (members,).

    -1 if two questions are directly in the same element.
    """
    low, high = np.append(0, last[:-1]), np.append(first[1:], 0)
    ends = runs.begins + runs.lengths - 1
    low[runs.begins], high[ends] = 0, forest.page_end[node[ends]]
    levels = np.full(len(node), -1)
    rising = np.ones(len(node), dtype=np.bool_)
    for _ in range(_MAX_LEVELS + 1):
        rising &= (node >= 0) & (forest.first[node] >= low) & (forest.last[node] <= high)
        if not rising.any():
            break
        levels += rising
        node = np.where(rising, forest.parent[node], node)
    return levels


def _commonest_levels(levels: Ints, runs: Runs) -> tuple[Ints, Ints]:
    """Return the two commonest levels of each run, or the only one, with the run's number; ties go to the first."""
    width, count = _MAX_LEVELS + 2, len(levels)
    cells = runs.of_item * width + levels + 1
    times = np.bincount(cells, minlength=len(runs.lengths) * width)
    first = np.zeros_like(times)
    first[cells[::-1]] = np.arange(count)[::-1]
    rank = np.where(times > 0, times * count - first, 0).reshape(-1, width)
    order = np.argsort(-rank, axis=1, kind="stable")[:, :2]
    run, place = np.take_along_axis(rank, order, axis=1).nonzero()
    return run, order[run, place] - 1


def _beside(parent: Ints, runs: Runs) -> Ints:
    """Return the members whose containers have the commonest parent, for runs where some members differ."""
    span = int(parent.max()) + 2
    kinds, first, kind, times = np.unique(
        runs.of_item * span + parent + 1, return_index=True, return_inverse=True, return_counts=True
    )
    run = kinds // span
    order = np.lexsort((first, -times, run))
    commonest = order[np.searchsorted(run[order], np.arange(len(runs.lengths)))]
    some = (times[commonest] >= 2) & (times[commonest] < runs.lengths)
    members: Ints = ((kind == commonest[runs.of_item]) & some[runs.of_item]).nonzero()[0]
    return members


# --- ends of answers -------------------------------------------------------------------------------------------------


def _answer_ends(forest: Forest, members: _Members, runs: Runs, inside: NDArray[np.bool_]) -> Ints:
    """Return the block before which each answer ends; the answer begins after its question; (members,).

    Runs that are ``inside``, (runs,), have their answers in the containers. In other runs, an answer ends before the
    next question. The last answer ends at blocks that are unlike those of the other answers, or when it would exceed
    them all.
    """
    within, last, container = inside[runs.of_item], forest.last, members.container
    parent = forest.parent[container]
    around = np.where(parent >= 0, last[parent], forest.page_end[container])
    holds = (members.level <= 0) & (last[container] - forest.first[container] > members.last - members.first)
    limit = np.where(within | holds, last[container], around)
    following = np.append(members.first[1:], 0)
    ends = runs.begins + runs.lengths - 1
    following[ends] = forest.page_end[container[ends]] + 1
    end = np.maximum(members.last, np.minimum(limit, following))
    end = _before_headings(forest, forest.headings[members.node], members.last, end)
    is_open = ~within & (following > limit)
    return _without_unlike(forest, members.last, end, is_open, runs) if is_open.any() else end


def _before_headings(forest: Forest, own: Ints, start: Ints, end: Ints) -> Ints:
    """Cut ranges at a heading of at least the question's level ``own``, and remove trailing headings."""
    levels = forest.block_headings
    if not levels.any():
        return end
    blocks = np.arange(len(levels))
    for level in np.unique(own[own > 0]).tolist():
        high = np.append(blocks[(levels > 0) & (levels <= level)], len(levels) + 1)
        end = np.where(own == level, np.minimum(end, high[np.searchsorted(high, start)]), end)
    behind_text = np.append(0, np.maximum.accumulate(np.where(levels == 0, blocks + 1, 0)))
    cut: Ints = np.maximum(start, behind_text[end])
    return cut


def _without_unlike(forest: Forest, start: Ints, end: Ints, is_open: NDArray[np.bool_], runs: Runs) -> Ints:
    """Cut the answers that no question follows, using the other answers of their run as a model."""
    longest = runs.most(np.where(is_open, -1, end - start)).astype(np.int64)
    end = np.where(is_open, np.minimum(end, start + np.where(longest < 0, 1, longest)[runs.of_item]), end)
    kinds = forest.block_paths()
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
