"""Where a page may list questions with their answers: candidates, to be judged by a model.

A list of questions is a group of like elements (headings, list terms, summaries, buttons, cells, paragraphs in bold
type), or of like beginnings of blocks ("<b>Question?</b> answer"), at least two of which end in a question mark. What
answers them is what stands beside them in their containers or, where they have none of their own, what follows until
the next. Both are read from the page's structure; names of templates play no part.

Groups, their members and the levels climbed are capped, so that the time is bounded by the page's length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.qa.faq_groups import LEAST_ASKING, element_groups
from scrapy_semtext.qa.faq_run_in import LONGEST, Head, ScopeTree, run_in_groups
from scrapy_semtext.qa.faq_text import Cleaner, asks, may_ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.faq_groups import ShortHeads
    from scrapy_semtext.qa.nodes import PageNodes

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
    layout: ScopeTree
    level: int = 0


def may_list_questions(nodes: PageNodes) -> bool:
    """Whether at least two texts of a page ask something; where less is asked there are no candidates."""
    return sum(nodes.asking) >= LEAST_ASKING


def faq_candidates(nodes: PageNodes) -> list[FaqCandidate]:
    """Return the lists of questions that a page may hold, those with most questions that end in a mark first."""
    candidates: dict[tuple[tuple[int, int, int], ...], FaqCandidate] = {}
    cleaner = Cleaner()
    for reading in _element_readings(nodes, cleaner):
        candidate = _candidate(nodes, reading, cleaner)
        candidates.setdefault(_key(candidate), candidate)
    for layout, heads in run_in_groups(nodes):
        if _is_asking(head.question for head in heads):
            answers = _after(nodes, heads, [_limit(nodes, head, head.node, 0) for head in heads])
            candidate = _candidate(nodes, _Reading(heads, answers, layout, 0), cleaner)
            candidates.setdefault(_key(candidate), candidate)
    return [found for found in candidates.values() if _is_asking(pair.question for pair in found.pairs)]


def _is_asking(questions: Iterable[str]) -> bool:
    return len([*islice(filter(asks, questions), LEAST_ASKING)]) == LEAST_ASKING


def _ask_enough(asking: Iterable[str]) -> bool:
    """Whether there are enough different questions among these, of which an empty text is none."""
    return len({*asking, ""}) > LEAST_ASKING


def _key(candidate: FaqCandidate) -> tuple[tuple[int, int, int], ...]:
    return tuple((pair.first, pair.last, len(pair.answer)) for pair in candidate.pairs)


class _Reading(NamedTuple):
    """Questions with the blocks of their answers, from and to (exclusive)."""

    heads: Sequence[Head]
    answers: list[tuple[int, int]]
    layout: ScopeTree
    level: int

    def key(self) -> tuple[tuple[int, int, int, int], ...]:
        """Equal for readings that have the same pairs, if all heads are elements."""
        places = zip(self.heads, self.answers, strict=True)
        return tuple((head.first, head.last, start, last) for head, (start, last) in places)


def _candidate(nodes: PageNodes, reading: _Reading, cleaner: Cleaner) -> FaqCandidate:
    common = _common_lines(nodes.texts, reading.answers)
    pairs: dict[str, Pair] = {}
    for head, (start, last) in zip(reading.heads, reading.answers, strict=True):
        if start >= last and not head.rest:
            continue
        lines = nodes.texts[start:last]
        if common:
            lines = lines[:1] + [line for line in lines[1:] if line not in common]
        question, key = cleaner.question(head.question)
        if not question or key in pairs:
            continue
        answer = cleaner.answer((head.rest, *lines) if head.rest else tuple(lines), question)
        if answer:
            pairs[key] = Pair(question, answer, head.first, start, max(last, head.last))
    return FaqCandidate(tuple(pairs.values()), tuple(reading.heads), reading.layout, reading.level)


def _common_lines(texts: Sequence[str], ranges: Sequence[tuple[int, int]]) -> set[str]:
    """The short texts that most answers have behind their first block at their end ("Was this helpful?")."""
    least = max(3, 0.6 * len(ranges))
    if len(ranges) < least:
        return set()
    tails = [texts[max(start + 1, last - 3) : last] for start, last in ranges if last > start + 1]
    if len(tails) < least:
        return set()
    ends = Counter(text for tail in tails for text in set(tail))
    return {text for text, count in ends.items() if count >= least and len(text) <= LONGEST}


# --- where the answers are -------------------------------------------------------------------------------------------


def _element_readings(nodes: PageNodes, cleaner: Cleaner) -> list[_Reading]:
    """The readings of the groups of like elements, each once: many groups have the same members."""
    heads, groups = element_groups(nodes, cleaner)
    if not groups:
        return []
    readings: dict[tuple[tuple[int, int, int, int], ...], _Reading] = {}
    for group in groups:
        members = [heads.head(place) for place in group]
        for reading in _readings(nodes, members, [cleaner.asking(head.question) for head in members]):
            readings.setdefault(reading.key(), reading)
    return list(readings.values())


def _asked(heads: ShortHeads, groups: list[tuple[int, ...]], cleaner: Cleaner) -> NDArray[np.int64]:
    """A number for each different question of these groups that ends in a mark, 0 for all other heads; (heads,)."""
    numbers: dict[str, int] = {"": 0}
    asked = np.zeros(len(heads), dtype=np.int64)
    for place in set().union(*groups):
        text = heads.text(place)
        if may_ask(text):
            asked[place] = numbers.setdefault(cleaner.asking(text), len(numbers))
    return asked


def _readings(nodes: PageNodes, heads: list[Head], asking: list[str]) -> list[_Reading]:
    """The readings of a group: one for each level that its containers may be at, of all and of those side by side.

    Only those in which enough different questions are answered; ``asking``: each if it ends in a mark, or empty.
    """
    if not _ask_enough(asking):
        return []
    known, readings = dict(zip(heads, asking, strict=True)), []
    for contained in _containers(nodes, heads):
        reading = _reading(nodes, *contained)
        answered = zip(reading.heads, reading.answers, strict=True)
        if _ask_enough(known[head] for head, (start, last) in answered if start < last):
            readings.append(reading)
    return readings


def _containers(nodes: PageNodes, heads: list[Head]) -> Iterator[tuple[list[Head], list[int], list[int], int]]:
    """Questions with the containers that may hold their answers, how far up each is, and how far up most are."""
    free = _free_levels(nodes, heads)
    for level, _ in Counter(free).most_common(2):
        levels = [min(level, most) for most in free]
        places = [climbed(nodes, head.node, own) for head, own in zip(heads, levels, strict=True)]
        yield heads, places, levels, level
        parents = [nodes.parents[place] for place in places]
        parent, count = Counter(parents).most_common(1)[0]
        if 2 <= count < len(heads):
            beside = [place for place, above in enumerate(parents) if above == parent]
            kept = [heads[place] for place in beside]
            yield kept, [places[place] for place in beside], [levels[place] for place in beside], level


def _reading(nodes: PageNodes, heads: list[Head], places: list[int], levels: list[int], level: int) -> _Reading:
    """Questions with the answers that stand in their containers, or behind them where these hold none."""
    lasts = nodes.lasts
    filled = sum(lasts[place] > head.last for place, head in zip(places, heads, strict=True))
    if level < 0 or filled < _SHARE_INSIDE * len(heads):
        limits = [_limit(nodes, head, place, own) for head, place, own in zip(heads, places, levels, strict=True)]
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


def climbed(nodes: PageNodes, node: int, levels: int) -> int:
    """The element so many levels up from another, or the root."""
    parents = nodes.parents
    while levels > 0 and parents[node] >= 0:
        node, levels = parents[node], levels - 1
    return node


def _limit(nodes: PageNodes, head: Head, place: int, level: int) -> int:
    """The block before which the answer behind a question ends at the latest; ``place`` is ``level`` elements up."""
    if level <= 0 and nodes.lasts[place] - nodes.firsts[place] > head.last - head.first:
        return nodes.lasts[place]
    parent = nodes.parents[place]
    return nodes.lasts[parent] if parent >= 0 else len(nodes.blocks)


def _after(nodes: PageNodes, heads: Sequence[Head], limits: Sequence[int]) -> list[tuple[int, int]]:
    """The blocks behind each question up to the next one, or to its limit.

    Behind the last of a run the answer ends where blocks begin that are unlike those of the other answers, or where
    it would be longer than all of them.
    """
    follow = [*(head.first for head in heads[1:]), len(nodes.blocks) + 1]
    ends = map(min, limits, follow)
    ranges = [(head.last, max(head.last, end)) for head, end in zip(heads, ends, strict=True)]
    ranges = _without_headings(nodes, heads, ranges)
    open_ended = [following > limit for following, limit in zip(follow, limits, strict=True)]
    if not any(open_ended):
        return ranges
    closed = [limited for limited, is_open in zip(ranges, open_ended, strict=True) if not is_open]
    kinds = nodes.block_paths
    known = set().union(*(kinds[start:end] for start, end in closed))
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
    levels, own_levels = nodes.block_headings, nodes.heading_levels
    for head, (start, end) in zip(heads, ranges, strict=True):
        own = own_levels[head.node]
        stop = end
        if own:
            stop = next((block for block in nodes.headings_in(start, end) if levels[block] <= own), end)
        while stop > start and levels[stop - 1]:
            stop -= 1
        cut.append((start, stop))
    return cut
