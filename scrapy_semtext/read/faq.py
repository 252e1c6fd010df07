"""Candidates for lists of questions and answers on a page, to be judged by a model.

A list of questions is a group of similar elements (headings, list terms, summaries, buttons, cells, bold paragraphs) or
of similar beginnings of blocks ("<b>Question?</b> answer", "Q: ...? A: ..."). At least two of them must ask: with a
question mark or, for titles, by their first word; summaries count as questions whatever they say. The answers are what
is next to the questions in their containers or, if they have no containers of their own, what follows up to the next
question. Both are read from the page's structure, without names of templates.

The groups of several pages are processed together: the nodes of all pages are in one array, the members of all groups
in another, and each step is one numpy operation on them. Groups, their members and the levels climbed are capped, so
that the time is linear in the length of the pages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from scrapy_semtext.features.runs import Runs
from scrapy_semtext.tree.nodes import disjoint, share_table
from scrapy_semtext.tree.scopes import ranges
from scrapy_semtext.words.cues import ASKS, NO_PREFIX, QUESTION_MARK, Cleaner, has_mark, prefix_of, without_series

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Floats, Ints


_MAX_LEVELS = 12
# The share of containers with more than the question from which the answers are taken to be in the containers.
_MIN_SHARE_INSIDE = 0.6

#: The minimum number of questions that end in a question mark, for a page and for a list on it.
MIN_ASKING = 2

#: Where answers are: in their questions' containers, after these, or in the same block as a question that is bold, a
#: whole line, or the beginning of a line.
Layout = Literal["inside", "after", "bold", "line", "sentence"]
#: The minimum and maximum number of characters of a question, and its maximum number of blocks.
MIN_QUESTION_CHARS, MAX_QUESTION_CHARS, MAX_QUESTION_BLOCKS = 6, 320, 4
#: The maximum numbers of groups on a page and of questions in a group.
MAX_GROUPS, MAX_QUESTIONS = 100, 1_000
_BOLD = frozenset({"b", "strong"})
_MAX_RUNS, _MAX_BOLD_DEPTH = 400, 6
# Characters between a question and its answer.
_BETWEEN = " \n\t:–—-"


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
    many elements above the questions their containers are. ``alike``: the share that asks of the elements similar to
    the questions. ``in_terms``: whether the questions are summaries or terms, which need not ask to have answers.
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
    forest = share_table(pages)
    cleaners = [Cleaner() for _ in pages]
    elements = _element_lists(forest, pages, cleaners)
    run_in = _run_in_lists(forest, pages)
    return [_candidates(*page) for page in zip(pages, cleaners, elements, run_in, strict=True)]


class _List(NamedTuple):
    """Questions with the first and last (exclusive) blocks of their answers; the rest is that of `FaqCandidate`."""

    questions: Sequence[FaqQuestion]
    answers: list[tuple[int, int]]
    layout: Layout
    level: int = 0
    alike: float = 1.0


def _element_lists(forest: PageNodes, pages: Sequence[PageNodes], cleaners: Sequence[Cleaner]) -> list[list[_List]]:
    """Return the readings of the groups of similar elements of each page."""
    found: list[list[_List]] = [[] for _ in pages]
    grouped = [*map(element_groups, pages)]
    of_all = [group for _, groups in grouped for group in groups]
    runs = Runs([len(group.indexes) for group in of_all])
    if not len(runs.lengths):
        return found
    starts = np.cumsum([0, *(len(elements) for elements, _ in grouped)])  # the number of each page's first element
    indexes = [[*chain.from_iterable(group.indexes for group in groups)] for _, groups in grouped]
    member = np.array([*chain.from_iterable(indexes)]) + np.repeat(starts[:-1], [*map(len, indexes)])
    table = QuestionTable(*(column[member] for column in _columns(forest, grouped, cleaners)))
    readings = element_readings(forest, table, runs)
    if not len(readings.question):
        return found
    member = member[readings.question]
    page = np.searchsorted(starts, member, side="right") - 1
    block = forest.block_starts[page]
    columns = member - starts[page], table.last[readings.question] - block, readings.end - block
    indexes_on_page, lasts, ends = (column.tolist() for column in columns)
    answers = [*zip(lasts, ends, strict=True)]
    begins = readings.runs.begins
    group = runs.of_item[readings.question[begins]]
    facts = page[begins], begins, begins + readings.runs.lengths, readings.inside, readings.level, group
    for number, begin, end, inside, level, group_index in zip(*(column.tolist() for column in facts), strict=True):
        layout: Layout = "inside" if inside else "after"
        short_elements, _ = grouped[number]
        questions = [short_elements.question(index) for index in indexes_on_page[begin:end]]
        found[number].append(_List(questions, answers[begin:end], layout, level, of_all[group_index].alike))
    return found


def _columns(
    forest: PageNodes, grouped: Sequence[tuple[ShortElements, list[ElementGroup]]], cleaners: Sequence[Cleaner]
) -> tuple[Ints, ...]:
    """Return the columns of `QuestionTable` for the short elements of all pages; (elements,) each."""
    starts = zip(forest.scope_starts.tolist(), forest.block_starts.tolist(), strict=True)
    columns = [
        (elements.node + node, elements.first + block, elements.last + block, _asked(elements, groups, cleaner))
        for (elements, groups), cleaner, (node, block) in zip(grouped, cleaners, starts, strict=False)
    ]
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


def _asked(elements: ShortElements, groups: Sequence[ElementGroup], cleaner: Cleaner) -> Ints:
    """Number the distinct questions among the elements of groups from 1; int64, (elements,), 0 for other elements."""
    numbers: dict[str, int] = {"": 0}
    asked = np.zeros(len(elements), dtype=np.int64)
    for index in {*chain.from_iterable(group.indexes for group in groups)}:
        if elements.asks[index]:
            asked[index] = numbers.setdefault(cleaner.question(elements.text(index))[1], len(numbers))
    return asked


def _run_in_lists(forest: PageNodes, pages: Sequence[PageNodes]) -> list[list[_List]]:
    """Return the groups of questions that begin blocks of each page, with what follows each question in its block."""
    grouped = [[*run_in_groups(nodes)] for nodes in pages]
    starts = zip(forest.scope_starts.tolist(), forest.block_starts.tolist(), strict=True)
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
    """Return a list as a candidate with cleaned pairs, none for a repeated question or one without an answer."""
    common = _common_lines(nodes.texts, found.answers)
    pairs: dict[str, FaqPair] = {}
    texts = without_series([question.text for question in found.questions])
    for question, question_text, (start, last) in zip(found.questions, texts, found.answers, strict=True):
        if start >= last and not question.following:
            continue
        lines = nodes.texts[start:last]
        if common:
            lines = lines[:1] + [line for line in lines[1:] if line not in common]
        text, key = cleaner.question(question_text)
        if not text or key in pairs:
            continue
        answer = cleaner.answer((question.following, *lines) if question.following else tuple(lines), text)
        if answer:
            pairs[key] = FaqPair(text, answer, question.first, start, max(last, question.last))
    in_terms = nodes.scopes[found.questions[0].node].tag in ("summary", "dt")
    return FaqCandidate(tuple(pairs.values()), tuple(found.questions), found.layout, found.level, found.alike, in_terms)


def _common_lines(texts: Sequence[str], ranges: Sequence[tuple[int, int]]) -> set[str]:
    """Return the short texts that most answers have at their end, after their first block ("Was this helpful?")."""
    min_count = max(3, 0.6 * len(ranges))
    if len(ranges) < min_count:
        return set()
    tails = [texts[max(start + 1, last - 3) : last] for start, last in ranges if last > start + 1]
    if len(tails) < min_count:
        return set()
    ends = Counter(text for tail in tails for text in set(tail))
    return {text for text, count in ends.items() if count >= min_count and len(text) <= MAX_QUESTION_CHARS}


class FaqQuestion(NamedTuple):
    """A question and its place: its node, its blocks, and the text ``following`` it in the same block."""

    node: int
    first: int
    last: int
    text: str
    following: str = ""


def run_in_groups(nodes: PageNodes) -> Iterator[tuple[Layout, list[FaqQuestion]]]:
    """Yield groups of similar elements whose blocks contain questions and answers, with at least two questions."""
    single = [((layout, nodes.scopes[question.node].tag), question) for layout, question in _run_in_questions(nodes)]
    several = Counter(kind for kind, _ in single)
    answered = {kind for kind, question in single if question.following and several[kind] > 1}
    found: dict[tuple[Layout, int, int], list[FaqQuestion]] = defaultdict(list)
    for (layout, tag), question in single:
        if (layout, tag) in answered:
            for kind, signature in enumerate((nodes.signatures[question.node], nodes.tag_paths[question.node])):
                found[layout, kind, int(signature)].append(question)
    groups: dict[tuple[Layout, tuple[tuple[int, int], ...]], list[FaqQuestion]] = {}
    for (layout, _, _), questions in found.items():
        if 2 <= len(questions) <= MAX_QUESTIONS and any(question.following for question in questions):
            groups.setdefault(
                (layout, tuple((question.first, len(question.text)) for question in questions)), questions
            )
    for (layout, _), questions in sorted(groups.items(), key=lambda item: -len(item[1]))[:MAX_GROUPS]:
        yield layout, questions


def _run_in_questions(nodes: PageNodes) -> Iterator[tuple[Layout, FaqQuestion]]:
    """Yield the questions in blocks with a question mark or a question prefix, in up to three layouts."""
    for index, text in enumerate(nodes.texts):
        # most texts fail one of the first three tests, which are much faster than the others
        if ("?" in text or text[:1] not in NO_PREFIX or not text.isascii()) and (has_mark(text) or prefix_of(text)):
            for layout, spans in _question_spans(nodes.blocks[index]):
                for start, end, stop in spans:
                    following, node = text[end:stop].strip(_BETWEEN), int(nodes.of_block[index])
                    yield layout, FaqQuestion(node, index, index + 1, text[start:end], following)


def _question_spans(block: TextBlock) -> Iterator[tuple[Layout, list[tuple[int, int, int]]]]:
    """Yield the start and end of each question in a block, and the end of its answer, for up to three layouts."""
    text = block.text
    bold = _bold_spans(block)
    questions = [
        (start, end)
        for start, end in bold
        if MIN_QUESTION_CHARS <= end - start <= MAX_QUESTION_CHARS and ASKS.search(text[start:end])
    ]
    if questions:
        # a bold line that asks nothing is a heading: the answer before it ends there
        titles = [start for start, end in bold if _is_line(text, start, end) and (start, end) not in set(questions)]
        yield "bold", _until_next(text, questions, titles)
    lines: list[tuple[int, int]] = []
    sentences: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if line and (mark := _end_of_question(line)):
            (lines if mark == len(line) else sentences).append((start, start + mark))
        start += len(line) + 1
    if lines:
        yield "line", _until_next(text, lines, [])
    if sentences:
        yield "sentence", _until_next(text, sorted(lines + sentences), [])


def _until_next(text: str, spans: Sequence[tuple[int, int]], titles: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the spans of questions, each with where its answer ends: at the next span or title, or the text's end."""
    stops = sorted([*(start for start, _ in spans), *titles, len(text)])
    return [(start, end, stops[bisect_left(stops, end)]) for start, end in spans]


def _end_of_question(line: str) -> int:
    """Return the length of the question that begins a line, 0 if there is none."""
    mark = QUESTION_MARK.search(line, 0, MAX_QUESTION_CHARS) if has_mark(line) else None
    prefix = prefix_of(line)
    if mark is None:
        return len(line) if prefix and MIN_QUESTION_CHARS < len(line) - prefix.end() <= MAX_QUESTION_CHARS // 2 else 0
    if prefix is None and any(end in line[: mark.start()] for end in (". ", "! ", "。")):
        return 0  # the first sentence is not the question
    end = mark.end()
    while end < len(line) and line[end] in "?!？！\"'”») ":
        end += 1
    return end


def _bold_spans(block: TextBlock) -> list[tuple[int, int]]:
    """Return the start and end of the bold parts of a block's text."""
    outermost = block.scope.element
    is_block_plain = not _in_bold(outermost, outermost)
    runs = [
        (element, is_tail, not (is_block_plain and inner is outermost) and _in_bold(inner, outermost))
        for element, is_tail in block.runs[:_MAX_RUNS]
        for inner in (element.getparent() if is_tail else element,)
    ]
    if not any(in_bold for _, _, in_bold in runs):
        return []
    spans: list[tuple[int, int]] = []
    position = 0
    for element, is_tail, in_bold in runs:
        text = " ".join(((element.tail if is_tail else element.text) or "").split())
        start = block.text.find(text, position) if text else -1
        if start < 0:
            continue
        position = start + len(text)
        if not in_bold:
            continue
        if spans and not block.text[spans[-1][1] : start].strip(" "):
            spans[-1] = (spans[-1][0], position)
        else:
            spans.append((start, position))
    return spans


def _in_bold(element: Any, outermost: Any) -> bool:
    """Return whether an element's text is bold and not a link (bold links lead elsewhere)."""
    bold = False
    for _ in range(_MAX_BOLD_DEPTH):
        tag = None if element is None else element.tag
        if tag is None or tag == "a":
            return False
        bold = bold or tag in _BOLD
        if element is outermost:
            break
        element = element.getparent()
    return bold


def is_bold(block: TextBlock) -> bool:
    """Return whether a whole short block is bold."""
    spans = _bold_spans(block) if len(block.runs) <= 3 * MAX_QUESTION_BLOCKS else []
    return len(spans) == 1 and spans[0][1] - spans[0][0] >= 0.95 * len(block.text)


def _is_line(text: str, start: int, end: int) -> bool:
    """Return whether a span is a whole line."""
    begins = start == 0 or text[start - 1] == "\n"
    return begins and (end == len(text) or text[end] == "\n")


class ShortElements:
    """The elements of a page that are short enough to be a question, one for each range of blocks.

    (elements,) each: its ``node``, its blocks ``first`` to ``last`` (exclusive), and whether a line of it ``asks``.
    """

    def __init__(self, nodes: PageNodes, node: Ints, first: Ints, last: Ints, asks: NDArray[np.bool_]) -> None:
        self.node, self.first, self.last, self.asks = node, first, last, asks
        self._texts = nodes.texts
        self._nodes, self._firsts, self._lasts = node.tolist(), first.tolist(), last.tolist()
        self._made: dict[int, FaqQuestion] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def text(self, index: int) -> str:
        """Return the text of an element."""
        first, last = self._firsts[index], self._lasts[index]
        return self._texts[first] if last == first + 1 else "\n".join(self._texts[first:last])

    def question(self, index: int) -> FaqQuestion:
        """Return an element as a question."""
        if index not in self._made:
            node, first, last = self._nodes[index], self._firsts[index], self._lasts[index]
            self._made[index] = FaqQuestion(node, first, last, self.text(index))
        return self._made[index]

    def disjoint(self, indexes: Sequence[int]) -> tuple[int, ...]:
        """Return the elements that are not inside the previous one; ``indexes`` are in page order."""
        return disjoint(list(indexes), self.first, self.last, MAX_QUESTIONS)


class ElementGroup(NamedTuple):
    """Similar elements, given by their indexes; ``alike``: the share that asks of all elements similar to them."""

    indexes: tuple[int, ...]
    alike: float


def element_groups(nodes: PageNodes) -> tuple[ShortElements, list[ElementGroup]]:
    """Return the groups of similar short elements; those that ask are also a group on their own."""
    elements = _short_elements(nodes)
    asks = elements.asks.tolist()
    groups: dict[tuple[int, ...], tuple[int, float]] = {}
    for members in dict.fromkeys(_similar_elements(nodes, elements)):
        questions = [index for index in members if asks[index]]
        for chosen in (questions, members):
            group = elements.disjoint(chosen)
            if len(group) >= 2:
                rank = len(questions), len(questions) / len(members)
                groups[group] = max(rank, groups.get(group, rank))
    ranked = sorted(groups.items(), key=lambda item: -item[1][0])[:MAX_GROUPS]
    return elements, [ElementGroup(indexes, alike) for indexes, (_, alike) in ranked]


def _short_elements(nodes: PageNodes) -> ShortElements:
    """Return the nodes short enough to be a question; of nodes around the same blocks, only the innermost.

    A short block next to others in one element is an entry of its own ("<li>Question? <div>Answer</div></li>").
    """
    running = nodes.chars
    block_counts = nodes.last - nodes.first
    short = np.flatnonzero(_fits(running[nodes.last] - running[nodes.first]) & (block_counts <= MAX_QUESTION_BLOCKS))
    # nodes around the same blocks are adjacent, the outermost first
    first, last = nodes.first[short], nodes.last[short]
    short = short[np.append((first[1:] != first[:-1]) | (last[1:] != last[:-1]), True)[: len(short)]]
    single = np.flatnonzero(_fits(np.diff(running)) & (block_counts[nodes.of_block] > 1))
    first, last = np.append(nodes.first[short], single), np.append(nodes.last[short], single + 1)
    asking = np.append(0, np.cumsum(nodes.asking))
    return ShortElements(nodes, np.append(short, nodes.of_block[single]), first, last, asking[last] > asking[first])


def _fits(chars: Floats) -> NDArray[np.bool_]:
    """Return whether each number of characters is that of a possible question; (elements,)."""
    return (chars >= MIN_QUESTION_CHARS) & (chars <= MAX_QUESTION_CHARS)


def _similar_elements(nodes: PageNodes, elements: ShortElements) -> Iterator[tuple[int, ...]]:
    """Yield groups of similar elements, by several criteria, in which enough ask; indexes are in page order."""
    is_whole_node = (nodes.first[elements.node] == elements.first) & (nodes.last[elements.node] == elements.last)
    for kind in (
        nodes.signatures,
        nodes.near_signatures,
        nodes.own_signatures,
        nodes.ordinal_signatures,
        nodes.tag_paths,
        nodes.tag_numbers,
    ):
        yield from sorted(_of_kind(kind, elements, is_whole_node))
    yield from _similar_bold_elements(nodes, elements)


def _similar_bold_elements(nodes: PageNodes, elements: ShortElements) -> Iterator[tuple[int, ...]]:
    """Yield groups of bold one-block elements that have the same tags all the way from the root."""
    is_one_block, paths = elements.last - elements.first == 1, nodes.tag_paths[elements.node]
    for path in np.unique(paths[is_one_block & elements.asks]).tolist():
        asking, indexes = (np.flatnonzero(is_one_block & (paths == path) & chosen) for chosen in (elements.asks, True))
        if len(asking) >= MIN_ASKING and len(_bold(nodes, elements, asking)) >= MIN_ASKING:
            # blocks next to others come after all nodes, so the indexes are not in page order yet
            yield tuple(sorted(_bold(nodes, elements, indexes), key=elements.first.__getitem__))


def _of_kind(kind: Ints, elements: ShortElements, is_whole_node: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Group elements by the kind of their node, and by whether they are the whole node."""
    kinds = 2 * kind[elements.node] + is_whole_node
    common = np.flatnonzero(np.bincount(kinds[elements.asks]) >= MIN_ASKING)
    return [tuple(np.flatnonzero(kinds == number).tolist()) for number in common]


def _bold(nodes: PageNodes, elements: ShortElements, indexes: Ints) -> list[int]:
    """Return those of these one-block elements that are bold."""
    blocks = elements.first[indexes].tolist()
    return [index for index, block in zip(indexes.tolist(), blocks, strict=True) if is_bold(nodes.blocks[block])]


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
    the block before which the answer ends (it begins after the question); ``inside``: (readings,), whether the answers
    are in the containers of the questions; ``level``: int64, (readings,), how many levels up the most common container
    is.
    """

    runs: Runs
    question: Ints
    end: Ints
    inside: NDArray[np.bool_]
    level: Ints


class _Members(NamedTuple):
    """The members of readings, one reading after the other; int64, (members,) each.

    ``question``: the index in `QuestionTable`; ``container``: the element ``level`` levels above the ``node``.
    """

    question: Ints
    node: Ints
    first: Ints
    last: Ints
    container: Ints
    level: Ints

    def take(self, indexes: Ints) -> _Members:
        """Return the members with these indexes."""
        return _Members(*(column[indexes] for column in self))


def element_readings(forest: PageNodes, questions: QuestionTable, runs: Runs) -> Readings:
    """Return the possible readings of the answers to groups of questions, in the order of the groups.

    Each group (a run) is read with its containers at the commonest level, and at the second commonest; each time once
    whole, and once only with the questions whose containers share the commonest parent. A reading must answer at least
    two distinct questions that end in a question mark. Of equal readings, the first is returned.
    """
    asks_enough = _ask_enough(questions.asked, runs)
    question, runs = asks_enough[runs.of_item].nonzero()[0], Runs(runs.lengths[asks_enough])
    if not len(question):
        return Readings(runs, question, question, asks_enough[:0], question)
    members, runs, level = _with_containers(forest, questions, question, runs)
    filled = runs.sum(forest.last[members.container] > members.last)
    inside = (level >= 0) & (filled >= _MIN_SHARE_INSIDE * runs.lengths)
    end = _answer_ends(forest, members, runs, inside)
    answered = _ask_enough(np.where(end > members.last, questions.asked[members.question], 0), runs)
    kept = answered & _first_of_equal(np.stack([members.first, members.last, end], axis=1), runs)
    items = kept[runs.of_item]
    return Readings(Runs(runs.lengths[kept]), members.question[items], end[items], inside[kept], level[kept])


def answers_behind(forest: PageNodes, questions: QuestionTable, runs: Runs) -> Ints:
    """Return the block before which the text after each question ends, at most where the next begins; (questions,)."""
    if not len(questions.node):
        return questions.node
    indexes, levels = np.arange(len(questions.node)), np.zeros(len(questions.node), dtype=np.int64)
    members = _Members(indexes, questions.node, questions.first, questions.last, questions.node, levels)
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
    asked_or_max = np.where(asked > 0, asked, np.iinfo(np.int64).max)
    enough: NDArray[np.bool_] = np.maximum.reduceat(asked, runs.begins) > np.minimum.reduceat(asked_or_max, runs.begins)
    return enough


def _first_of_equal(rows: Ints, runs: Runs) -> NDArray[np.bool_]:
    """Return whether no earlier run has the same rows, (members, columns); (runs,)."""
    ends = (runs.begins + runs.lengths).tolist()
    first: dict[bytes, int] = {}
    keys = [rows[begin:end].tobytes() for begin, end in zip(runs.begins.tolist(), ends, strict=True)]
    return np.array([first.setdefault(key, run) == run for run, key in enumerate(keys)], dtype=np.bool_)


def _with_containers(
    forest: PageNodes, questions: QuestionTable, question: Ints, runs: Runs
) -> tuple[_Members, Runs, Ints]:
    """Return the members of all readings, their runs, and the level of most containers of each run, (runs,)."""
    node, first, last = (column[question] for column in (questions.node, questions.first, questions.last))
    free_levels = _free_levels(forest, node, first, last, runs)
    group, level = _commonest_levels(free_levels, runs)
    group_runs = Runs(runs.lengths[group])
    items = ranges(runs.begins[group], group_runs.lengths)
    levels = np.minimum(level[group_runs.of_item], free_levels[items])
    container = climbed(forest.outer, node[items], levels)
    members = _Members(question[items], node[items], first[items], last[items], container, levels)
    siblings = _sharing_parent(forest.outer[container], group_runs)
    # each group is followed by those of its members that share the commonest parent
    number = np.append(2 * group_runs.of_item, 2 * group_runs.of_item[siblings] + 1)
    order = np.argsort(number, kind="stable")
    lengths = np.bincount(number)
    present = lengths.nonzero()[0]
    return members.take(np.append(np.arange(len(items)), siblings)[order]), Runs(lengths[present]), level[present // 2]


def _free_levels(forest: PageNodes, node: Ints, first: Ints, last: Ints, runs: Runs) -> Ints:
    """Return how many levels up each question's element can grow without containing a neighboring question; (members,).

    -1 if two questions are directly in the same element.
    """
    previous_end, next_begin = np.append(0, last[:-1]), np.append(first[1:], 0)
    ends = runs.begins + runs.lengths - 1
    previous_end[runs.begins], next_begin[ends] = 0, forest.page_end(node[ends])
    levels = np.full(len(node), -1)
    rising = np.ones(len(node), dtype=np.bool_)
    for _ in range(_MAX_LEVELS + 1):
        rising &= (node >= 0) & (forest.first[node] >= previous_end) & (forest.last[node] <= next_begin)
        if not rising.any():
            break
        levels += rising
        node = np.where(rising, forest.outer[node], node)
    return levels


def _commonest_levels(levels: Ints, runs: Runs) -> tuple[Ints, Ints]:
    """Return the one or two commonest levels of each run, the first of equals: (found,) runs and (found,) levels."""
    width, count = _MAX_LEVELS + 2, len(levels)
    cells = runs.of_item * width + levels + 1
    times = np.bincount(cells, minlength=len(runs.lengths) * width)
    first = np.zeros_like(times)
    first[cells[::-1]] = np.arange(count)[::-1]
    rank = np.where(times > 0, times * count - first, 0).reshape(-1, width)
    order = np.argsort(-rank, axis=1, kind="stable")[:, :2]
    run, index = np.take_along_axis(rank, order, axis=1).nonzero()
    return run, order[run, index] - 1


def _sharing_parent(parent: Ints, runs: Runs) -> Ints:
    """Return the members whose containers have the commonest parent, for runs where some members differ; (found,)."""
    span = int(parent.max()) + 2
    kinds, first, kind, times = np.unique(
        runs.of_item * span + parent + 1, return_index=True, return_inverse=True, return_counts=True
    )
    run = kinds // span
    order = np.lexsort((first, -times, run))
    commonest = order[np.searchsorted(run[order], np.arange(len(runs.lengths)))]
    is_mixed = (times[commonest] >= 2) & (times[commonest] < runs.lengths)
    members: Ints = ((kind == commonest[runs.of_item]) & is_mixed[runs.of_item]).nonzero()[0]
    return members


def _answer_ends(forest: PageNodes, members: _Members, runs: Runs, inside: NDArray[np.bool_]) -> Ints:
    """Return the block before which each answer ends; the answer begins after its question; (members,).

    Runs that are ``inside``, (runs,), have their answers in the containers. In other runs, an answer ends before the
    next question. The last one ends at blocks that are unlike those of the others, or when it would exceed them all.
    """
    is_inside, last, container = inside[runs.of_item], forest.last, members.container
    parent = forest.outer[container]
    parent_end = np.where(parent >= 0, last[parent], forest.page_end(container))
    has_answer = (members.level <= 0) & (last[container] - forest.first[container] > members.last - members.first)
    limit = np.where(is_inside | has_answer, last[container], parent_end)
    following = np.append(members.first[1:], 0)
    ends = runs.begins + runs.lengths - 1
    following[ends] = forest.page_end(container[ends]) + 1
    end = np.maximum(members.last, np.minimum(limit, following))
    end = _before_headings(forest, forest.node_headings[members.node], members.last, end)
    is_open = ~is_inside & (following > limit)
    return _without_unlike(forest, members.last, end, is_open, runs) if is_open.any() else end


def _before_headings(forest: PageNodes, own: Ints, start: Ints, end: Ints) -> Ints:
    """Return ends of answers, (members,), before headings of at least the question's level ``own`` and at the end."""
    levels = forest.node_headings[forest.of_block]
    if not levels.any():
        return end
    blocks = np.arange(len(levels))
    for level in np.unique(own[own > 0]).tolist():
        high = np.append(blocks[(levels > 0) & (levels <= level)], len(levels) + 1)
        end = np.where(own == level, np.minimum(end, high[np.searchsorted(high, start)]), end)
    behind_text = np.append(0, np.maximum.accumulate(np.where(levels == 0, blocks + 1, 0)))
    cut: Ints = np.maximum(start, behind_text[end])
    return cut


def _without_unlike(forest: PageNodes, start: Ints, end: Ints, is_open: NDArray[np.bool_], runs: Runs) -> Ints:
    """Return ends, (members,), with ``is_open`` answers cut where they are longer than or unlike others of the run."""
    longest = runs.most(np.where(is_open, -1, end - start)).astype(np.int64)
    end = np.where(is_open, np.minimum(end, start + np.where(longest < 0, 1, longest)[runs.of_item]), end)
    kinds = forest.block_paths
    known_kinds: dict[int, set[int]] = {}
    for item in (is_open & (end > start) & (longest >= 0)[runs.of_item]).nonzero()[0].tolist():
        run = int(runs.of_item[item])
        if run not in known_kinds:
            items = slice(int(runs.begins[run]), int(runs.begins[run] + runs.lengths[run]))
            closed = ~is_open[items]
            ranges = zip(start[items][closed].tolist(), end[items][closed].tolist(), strict=True)
            known_kinds[run] = set().union(*(kinds[first:last] for first, last in ranges))
        blocks = range(int(start[item]), int(end[item]))
        end[item] = next((block for block in blocks if kinds[block] not in known_kinds[run]), end[item])
    return end
