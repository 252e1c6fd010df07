"""Candidates for lists of questions and answers on a page, to be judged by a model.

A list of questions is a group of similar elements (headings, list terms, summaries, buttons, cells, bold paragraphs) or
of similar beginnings of blocks ("<b>Question?</b> answer"). At least two of them must ask: with a question mark or, for
titles, by their first word; summaries count as questions whatever they say. The answers are what is next to the
questions in their containers or, if they have no containers of their own, what follows up to the next question. Both
are read from the page's structure, without names of templates.

Groups, their members and the levels climbed are capped, so that the time is bounded by the page's length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.qa.faq_answers import Forest, QuestionTable, answers_behind, element_readings
from scrapy_semtext.qa.faq_groups import LONGEST, MIN_ASKING, FaqQuestion, Layout, element_groups, run_in_groups
from scrapy_semtext.qa.faq_text import Cleaner, without_series
from scrapy_semtext.qa.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.faq_groups import ElementGroup, ShortElements
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Ints


class FaqPair(NamedTuple):
    """A question and its answer, cleaned; blocks ``first`` to ``last`` (exclusive), the answer begins at ``start``."""

    question: str
    answer: str
    first: int
    start: int
    last: int


@dataclass(frozen=True, slots=True)
class FaqCandidate:
    """A possible list of questions with answers.

    ``questions`` are all questions of the group, ``pairs`` those with an answer, each question once. ``level``: how
    many elements above the questions their containers are. ``alike``: how many of the elements similar to the questions
    ask. ``in_terms``: whether the questions are summaries or terms, which have an answer each whether they ask or not.
    """

    pairs: tuple[FaqPair, ...]
    questions: tuple[FaqQuestion, ...]
    layout: Layout
    level: int = 0
    alike: float = 1.0
    in_terms: bool = False


def has_enough_questions(nodes: PageNodes) -> bool:
    """Return whether at least two texts of a page ask something; otherwise it has no candidates."""
    return sum(nodes.asking) >= MIN_ASKING


def candidates_of_pages(pages: Sequence[PageNodes]) -> list[list[FaqCandidate]]:
    """Return the candidate lists of questions of each page, those with the most question marks at their ends first."""
    if not pages:
        return []
    forest = Forest(pages)
    cleaners = [Cleaner() for _ in pages]
    elements = _element_lists(forest, pages, cleaners)
    run_in = _run_in_lists(forest, pages)
    return [_candidates(*page) for page in zip(pages, cleaners, elements, run_in, strict=True)]


class _List(NamedTuple):
    """Questions with the first and last (exclusive) blocks of their answers."""

    questions: Sequence[FaqQuestion]
    answers: list[tuple[int, int]]
    layout: Layout
    level: int = 0
    alike: float = 1.0


def _element_lists(forest: Forest, pages: Sequence[PageNodes], cleaners: Sequence[Cleaner]) -> list[list[_List]]:
    """Return the readings of the groups of similar elements of each page."""
    found: list[list[_List]] = [[] for _ in pages]
    grouped = [*map(element_groups, pages)]
    of_all = [group for _, groups in grouped for group in groups]
    runs = Runs([len(group.places) for group in of_all])
    if not len(runs.lengths):
        return found
    starts = np.cumsum([0, *(len(elements) for elements, _ in grouped)])  # the number of each page's first element
    places = [[*chain.from_iterable(group.places for group in groups)] for _, groups in grouped]
    member = np.array([*chain.from_iterable(places)]) + np.repeat(starts[:-1], [*map(len, places)])
    table = QuestionTable(*(column[member] for column in _columns(forest, grouped, cleaners)))
    readings = element_readings(forest, table, runs)
    if not len(readings.question):
        return found
    member = member[readings.question]
    page = np.searchsorted(starts, member, side="right") - 1
    block = forest.block_starts[page]
    columns = member - starts[page], table.last[readings.question] - block, readings.end - block
    own, lasts, ends = (column.tolist() for column in columns)
    answers = [*zip(lasts, ends, strict=True)]
    begins = readings.runs.begins
    group = runs.of_item[readings.question[begins]]
    facts = page[begins], begins, begins + readings.runs.lengths, readings.inside, readings.level, group
    for number, begin, end, inside, level, of in zip(*(column.tolist() for column in facts), strict=True):
        layout: Layout = "inside" if inside else "after"
        questions = [grouped[number][0].question(place) for place in own[begin:end]]
        found[number].append(_List(questions, answers[begin:end], layout, level, of_all[of].alike))
    return found


def _columns(
    forest: Forest, grouped: Sequence[tuple[ShortElements, list[ElementGroup]]], cleaners: Sequence[Cleaner]
) -> tuple[Ints, ...]:
    """Return the columns of `QuestionTable` for the short elements of all pages; (elements,) each."""
    starts = zip(forest.node_starts.tolist(), forest.block_starts.tolist(), strict=True)
    columns = [
        (elements.node + node, elements.first + block, elements.last + block, _asked(elements, groups, cleaner))
        for (elements, groups), cleaner, (node, block) in zip(grouped, cleaners, starts, strict=False)
    ]
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


def _asked(elements: ShortElements, groups: Sequence[ElementGroup], cleaner: Cleaner) -> Ints:
    """Number the distinct questions among the elements of groups from 1; int64, (elements,), 0 for other elements."""
    numbers: dict[str, int] = {"": 0}
    asked = np.zeros(len(elements), dtype=np.int64)
    for place in {*chain.from_iterable(group.places for group in groups)}:
        if elements.asks[place]:
            asked[place] = numbers.setdefault(cleaner.question(elements.text(place))[1], len(numbers))
    return asked


def _run_in_lists(forest: Forest, pages: Sequence[PageNodes]) -> list[list[_List]]:
    """Return the groups of questions that begin blocks of each page, with what follows each question in its block."""
    grouped = [[*run_in_groups(nodes)] for nodes in pages]
    starts = zip(forest.node_starts.tolist(), forest.block_starts.tolist(), strict=True)
    rows = [
        (question.node + node, question.first + block, question.last + block, 0)
        for groups, (node, block) in zip(grouped, starts, strict=False)
        for _, group in groups
        for question in group
    ]
    table = QuestionTable(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)
    ends = iter(answers_behind(forest, table, Runs([len(group) for groups in grouped for _, group in groups])).tolist())
    found: list[list[_List]] = []
    for groups, start in zip(grouped, forest.block_starts.tolist(), strict=False):
        found.append([])
        for layout, group in groups:
            answers = [(question.last, next(ends) - start) for question in group]
            found[-1].append(_List(group, answers, layout))
    return found


# --- candidates ------------------------------------------------------------------------------------------------------


def _candidates(
    nodes: PageNodes, cleaner: Cleaner, elements: Sequence[_List], run_in: Sequence[_List]
) -> list[FaqCandidate]:
    """Return the lists of a page as candidates, skipping those with the same pairs as an earlier one."""
    candidates: dict[tuple[tuple[int, int, int], ...], FaqCandidate] = {}
    for found in (*elements, *run_in):
        candidate = _candidate(nodes, found, cleaner)
        key = tuple((pair.first, pair.last, len(pair.answer)) for pair in candidate.pairs)
        candidates.setdefault(key, candidate)
    return [found for found in candidates.values() if len(found.pairs) >= MIN_ASKING]


def _candidate(nodes: PageNodes, found: _List, cleaner: Cleaner) -> FaqCandidate:
    common = _common_lines(nodes.texts, found.answers)
    pairs: dict[str, FaqPair] = {}
    texts = without_series([question.text for question in found.questions])
    for question, asked, (start, last) in zip(found.questions, texts, found.answers, strict=True):
        if start >= last and not question.rest:
            continue
        lines = nodes.texts[start:last]
        if common:
            lines = lines[:1] + [line for line in lines[1:] if line not in common]
        text, key = cleaner.question(asked)
        if not text or key in pairs:
            continue
        answer = cleaner.answer((question.rest, *lines) if question.rest else tuple(lines), text)
        if answer:
            pairs[key] = FaqPair(text, answer, question.first, start, max(last, question.last))
    in_terms = nodes.scopes[found.questions[0].node].tag in ("summary", "dt")
    return FaqCandidate(tuple(pairs.values()), tuple(found.questions), found.layout, found.level, found.alike, in_terms)


def _common_lines(texts: Sequence[str], ranges: Sequence[tuple[int, int]]) -> set[str]:
    """Return the short texts that most answers have at their end, after their first block ("Was this helpful?")."""
    least = max(3, 0.6 * len(ranges))
    if len(ranges) < least:
        return set()
    tails = [texts[max(start + 1, last - 3) : last] for start, last in ranges if last > start + 1]
    if len(tails) < least:
        return set()
    ends = Counter(text for tail in tails for text in set(tail))
    return {text for text, count in ends.items() if count >= least and len(text) <= LONGEST}
