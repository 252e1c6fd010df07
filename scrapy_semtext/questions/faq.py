"""Where a page may list questions with their answers: candidates, to be judged by a model.

A list of questions is a group of like elements (headings, list terms, summaries, buttons, cells, paragraphs in bold
type), or of like beginnings of blocks ("<b>Question?</b> answer"), at least two of which end in a question mark. What
answers them is what stands beside them in their containers or, where they have none of their own, what follows until
the next. Both are read from the page's structure; names of templates play no part.

Groups, their members and the levels climbed are capped, so that the time is bounded by the page's length.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.questions.faq_run_in import (
    BLOCKS,
    LONGEST,
    MOST_GROUPS,
    MOST_HEADS,
    SHORTEST,
    Head,
    Layout,
    is_bold,
    run_in_groups,
)
from scrapy_semtext.questions.faq_text import Cleaner, asks
from scrapy_semtext.questions.nodes import CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.questions.nodes import PageNodes

#: Questions that end in a mark: a page, and a list on it, has so many at least.
LEAST_ASKING = 2
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_MOST_LEVELS = 12
_SHARE_INSIDE = 0.6


class Pair(NamedTuple):
    """A question and its answer, cleaned; blocks ``first`` to ``last`` (exclusive), the answer's from ``start``."""

    question: str
    answer: str
    first: int
    start: int
    last: int


@dataclass(frozen=True, slots=True)
class FaqCandidate:
    """A list of questions with answers that a page may hold.

    ``heads`` are all questions of the group, ``pairs`` those with an answer, each question once. ``level`` says how
    far up from the questions their containers are.
    """

    pairs: tuple[Pair, ...]
    heads: tuple[Head, ...]
    layout: Layout
    level: int = 0


def may_list_questions(nodes: PageNodes) -> bool:
    """Whether at least two texts of a page ask something; where less is asked there are no candidates."""
    asking = (block for block in nodes.blocks if asks(block.text))
    return sum(1 for _ in islice(asking, LEAST_ASKING)) == LEAST_ASKING


def faq_candidates(nodes: PageNodes) -> list[FaqCandidate]:
    """Return the lists of questions that a page may hold, those with most questions that end in a mark first."""
    candidates: dict[tuple[tuple[int, int, int], ...], FaqCandidate] = {}
    known: set[tuple[tuple[int, int, int, int], ...]] = set()
    cleaner = Cleaner()
    for heads in _element_groups(nodes):
        for reading in _readings(nodes, heads):
            key = reading.key()
            if key not in known:  # many groups have the same members
                known.add(key)
                candidate = _candidate(nodes, reading, cleaner)
                candidates.setdefault(_key(candidate), candidate)
    for layout, heads in run_in_groups(nodes):
        if _is_asking(head.question for head in heads):
            answers = _after(nodes, heads, [_limit(nodes, head, 0) for head in heads])
            candidate = _candidate(nodes, _Reading(heads, answers, layout, 0), cleaner)
            candidates.setdefault(_key(candidate), candidate)
    return [found for found in candidates.values() if _is_asking(pair.question for pair in found.pairs)]


def _is_asking(questions: Iterable[str]) -> bool:
    return sum(map(asks, questions)) >= LEAST_ASKING


def _key(candidate: FaqCandidate) -> tuple[tuple[int, int, int], ...]:
    return tuple((pair.first, pair.last, len(pair.answer)) for pair in candidate.pairs)


class _Reading(NamedTuple):
    """Questions with the blocks of their answers, from and to (exclusive)."""

    heads: Sequence[Head]
    answers: list[tuple[int, int]]
    layout: Layout
    level: int

    def key(self) -> tuple[tuple[int, int, int, int], ...]:
        """Equal for readings that have the same pairs, if all heads are elements."""
        places = zip(self.heads, self.answers, strict=True)
        return tuple((head.first, head.last, start, last) for head, (start, last) in places)


def _candidate(nodes: PageNodes, reading: _Reading, cleaner: Cleaner) -> FaqCandidate:
    common = _common_lines(nodes, reading.answers)
    pairs: dict[str, Pair] = {}
    for head, (start, last) in zip(reading.heads, reading.answers, strict=True):
        lines = [block.text for block in nodes.blocks[start:last]]
        if common:
            lines = lines[:1] + [line for line in lines[1:] if line not in common]
        question, key = cleaner.question(head.question)
        if not question or key in pairs:
            continue
        answer = cleaner.answer((head.rest, *lines) if head.rest else tuple(lines), question)
        if answer:
            pairs[key] = Pair(question, answer, head.first, start, max(last, head.last))
    return FaqCandidate(tuple(pairs.values()), tuple(reading.heads), reading.layout, reading.level)


def _common_lines(nodes: PageNodes, ranges: Sequence[tuple[int, int]]) -> set[str]:
    """The short texts that most answers have behind their first block at their end ("Was this helpful?")."""
    tails = ({block.text for block in nodes.blocks[max(start + 1, last - 3) : last]} for start, last in ranges)
    ends = Counter(text for tail in tails for text in tail)
    return {text for text, count in ends.items() if count >= max(3, 0.6 * len(ranges)) and len(text) <= LONGEST}


# --- groups of elements ----------------------------------------------------------------------------------------------


def _element_groups(nodes: PageNodes) -> list[list[Head]]:
    """The groups of like short elements, those that end in a question mark also by themselves."""
    heads = _short_heads(nodes)
    asked = [asks(head.question) for head in heads]
    groups: dict[tuple[tuple[int, int], ...], tuple[int, list[Head]]] = {}
    for members in dict.fromkeys(map(tuple, _alike(nodes, heads, asked))):
        questions = [place for place in members if asked[place]]
        for chosen in (questions, members):
            group = _disjoint(heads[place] for place in chosen)
            if len(group) >= 2:
                groups.setdefault(tuple((head.first, head.last) for head in group), (len(questions), group))
    ranked = sorted(groups.values(), key=lambda item: -item[0])
    return [group for _, group in ranked[:MOST_GROUPS]]


def _short_heads(nodes: PageNodes) -> list[Head]:
    """The nodes short enough to be a question, of those around the same blocks the innermost.

    Short blocks beside others in one element stand for themselves ("<li>Question? <div>Answer</div></li>").
    """
    chars = nodes.total()[:, CHARS]
    fits = (chars >= SHORTEST) & (chars <= LONGEST) & (nodes.last - nodes.first <= BLOCKS)
    innermost: dict[tuple[int, int], int] = {}
    for node in np.flatnonzero(fits).tolist():
        innermost[nodes.firsts[node], nodes.lasts[node]] = node
    for block, node in enumerate(nodes.innermost.tolist()):
        if nodes.lasts[node] - nodes.firsts[node] > 1 and SHORTEST <= len(nodes.blocks[block].text) <= LONGEST:
            innermost[block, block + 1] = node
    return [
        Head(node, first, last, "\n".join(block.text for block in nodes.blocks[first:last]))
        for (first, last), node in innermost.items()
    ]


def _alike(nodes: PageNodes, heads: Sequence[Head], asked: Sequence[bool]) -> Iterator[list[int]]:
    """The places in ``heads`` of those that are alike, in several senses, if enough of them are ``asked``."""
    if sum(asked) < LEAST_ASKING:
        return
    kinds: tuple[Sequence[int] | Sequence[str], ...] = (
        nodes.signatures.tolist(),
        nodes.near_signatures.tolist(),
        nodes.own_signatures.tolist(),
        nodes.ordinal_signatures.tolist(),
        nodes.tag_paths.tolist(),
        [scope.tag for scope in nodes.scopes],
    )
    members = [head.node for head in heads]
    whole = [nodes.lasts[head.node] == head.last and nodes.firsts[head.node] == head.first for head in heads]
    for kind in kinds:
        groups: dict[tuple[int | str, bool], list[int]] = defaultdict(list)
        for place, node in enumerate(members):
            groups[kind[node], whole[place]].append(place)
        yield from (members for members in groups.values() if sum(map(asked.__getitem__, members)) >= LEAST_ASKING)
    bold: dict[int, list[int]] = defaultdict(list)
    paths = nodes.tag_paths[members].tolist() if members else []
    for place, head in enumerate(heads):
        if head.last - head.first == 1 and is_bold(nodes.blocks[head.first]):
            bold[paths[place]].append(place)
    yield from (members for members in bold.values() if sum(map(asked.__getitem__, members)) >= LEAST_ASKING)


def _disjoint(heads: Iterable[Head]) -> list[Head]:
    """Heads in page order, without those inside the one before."""
    chosen: list[Head] = []
    for head in sorted(heads, key=lambda head: (head.first, -head.last)):
        if len(chosen) < MOST_HEADS and (not chosen or head.first >= chosen[-1].last):
            chosen.append(head)
    return chosen


# --- where the answers are -------------------------------------------------------------------------------------------


def _readings(nodes: PageNodes, heads: Sequence[Head]) -> Iterator[_Reading]:
    """The readings of a group: one for each level that its containers may be at, of all and of those side by side."""
    free = _free_levels(nodes, heads)
    for level, _ in Counter(free).most_common(2):
        levels = [min(level, most) for most in free]
        places = [_climbed(nodes, head.node, own) for head, own in zip(heads, levels, strict=True)]
        yield _reading(nodes, heads, places, levels, level)
        parents = [nodes.parents[place] for place in places]
        parent, count = Counter(parents).most_common(1)[0]
        if 2 <= count < len(heads):
            beside = [place for place, above in enumerate(parents) if above == parent]
            kept = [heads[place] for place in beside]
            yield _reading(nodes, kept, [places[place] for place in beside], [levels[place] for place in beside], level)


def _reading(
    nodes: PageNodes, heads: Sequence[Head], places: Sequence[int], levels: Sequence[int], level: int
) -> _Reading:
    """Questions with the answers that stand in their containers, or behind them where these hold none."""
    lasts = nodes.lasts
    filled = sum(lasts[place] > head.last for place, head in zip(places, heads, strict=True))
    if level < 0 or filled < _SHARE_INSIDE * len(heads):
        limits = [_limit(nodes, head, own) for head, own in zip(heads, levels, strict=True)]
        return _Reading(heads, _after(nodes, heads, limits), "after", level)
    follow = [*(head.first for head in heads[1:]), len(nodes.blocks)]
    ends = [min(lasts[place], following) for place, following in zip(places, follow, strict=True)]
    ranges = [(head.last, max(head.last, end)) for head, end in zip(heads, ends, strict=True)]
    return _Reading(heads, _without_headings(nodes, heads, ranges), "inside", level)


def _free_levels(nodes: PageNodes, heads: Sequence[Head]) -> list[int]:
    """How many elements up each question can be left before the next one, or the one before, is met.

    -1 where both stand in one element without elements of their own.
    """
    levels = []
    firsts, lasts, parents = nodes.firsts, nodes.lasts, nodes.parents
    for place, head in enumerate(heads):
        low = heads[place - 1].last if place else 0
        high = heads[place + 1].first if place + 1 < len(heads) else len(nodes.blocks)
        level, node = -1, head.node
        while node >= 0 and level < _MOST_LEVELS and firsts[node] >= low and lasts[node] <= high:
            level, node = level + 1, parents[node]
        levels.append(level)
    return levels


def _climbed(nodes: PageNodes, node: int, levels: int) -> int:
    parents = nodes.parents
    while levels > 0 and parents[node] >= 0:
        node, levels = parents[node], levels - 1
    return node


def _limit(nodes: PageNodes, head: Head, level: int) -> int:
    """The block before which the answer behind a question ends at the latest."""
    place = _climbed(nodes, head.node, level)
    if level <= 0 and nodes.lasts[place] - nodes.firsts[place] > head.last - head.first:
        return nodes.lasts[place]
    parent = nodes.parents[place]
    return nodes.lasts[parent] if parent >= 0 else len(nodes.blocks)


def _after(nodes: PageNodes, heads: Sequence[Head], limits: Sequence[int]) -> list[tuple[int, int]]:
    """The blocks behind each question up to the next one, or to its limit.

    Behind the last of a run the answer ends where blocks begin that are unlike those of the other answers, or where
    it would be longer than all of them.
    """
    ranges, open_ended = [], []
    for index, (head, limit) in enumerate(zip(heads, limits, strict=True)):
        following = heads[index + 1].first if index + 1 < len(heads) else len(nodes.blocks) + 1
        ranges.append((head.last, max(head.last, min(limit, following))))
        open_ended.append(following > limit)
    ranges = _without_headings(nodes, heads, ranges)
    closed = [limited for limited, is_open in zip(ranges, open_ended, strict=True) if not is_open]
    kinds = nodes.block_paths
    known = {kind for start, end in closed for kind in kinds[start:end]}
    longest = max((end - start for start, end in closed), default=1)
    for index, (start, end) in enumerate(ranges):
        if open_ended[index]:
            stop = start
            while stop < min(end, start + longest) and (kinds[stop] in known or not closed):
                stop += 1
            ranges[index] = (start, stop)
    return ranges


def _without_headings(
    nodes: PageNodes, heads: Sequence[Head], ranges: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Ranges cut where a heading as high as the question begins, and before a heading that nothing follows."""
    cut = []
    levels = nodes.block_headings
    for head, (start, end) in zip(heads, ranges, strict=True):
        own = nodes.heading_levels[head.node]
        stop = start if own else end
        while stop < end and not 0 < levels[stop] <= own:
            stop += 1
        while stop > start and levels[stop - 1]:
            stop -= 1
        cut.append((start, stop))
    return cut
