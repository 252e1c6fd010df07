"""Possible questions of a list: groups of similar short elements, and of questions that begin blocks.

At least two elements of a group ask something. Questions that begin blocks are followed by their answers:
"<b>Question?</b> answer", "Q: ...? A: ...".
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from scrapy_semtext.qa.cues import QUESTION_MARK
from scrapy_semtext.qa.faq_text import ASKS, NO_PREFIX, has_mark, prefix_of
from scrapy_semtext.qa.nodes import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Floats, Ints

#: The minimum number of questions that end in a question mark, for a page and for a list on it.
MIN_ASKING = 2

#: Where answers are: in their questions' containers, after these, or in the same block as a question that is bold, a
#: whole line, or the beginning of a line.
Layout = Literal["inside", "after", "bold", "line", "sentence"]
#: The minimum and maximum number of characters of a question, and its maximum number of blocks.
SHORTEST, LONGEST, BLOCKS = 6, 320, 4
#: The maximum numbers of groups on a page and of questions in a group.
MAX_GROUPS, MAX_QUESTIONS = 100, 1_000
_BOLD = frozenset({"b", "strong"})
_MAX_RUNS, _DEEPEST_BOLD = 400, 6
# Characters between a question and its answer.
_BETWEEN = " \n\t:–—-"


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

    def text(self, place: int) -> str:
        """Return the text of an element."""
        first, last = self._firsts[place], self._lasts[place]
        return self._texts[first] if last == first + 1 else "\n".join(self._texts[first:last])

    def question(self, place: int) -> FaqQuestion:
        """Return an element as a question."""
        if place not in self._made:
            found = self._nodes[place], self._firsts[place], self._lasts[place]
            self._made[place] = FaqQuestion(*found, self.text(place))
        return self._made[place]

    def disjoint(self, places: Sequence[int]) -> tuple[int, ...]:
        """Return the elements that are not inside the previous one; ``places`` are in page order."""
        return disjoint(list(places), self.first, self.last, MAX_QUESTIONS)


class ElementGroup(NamedTuple):
    """Similar elements, given by their indexes; ``alike``: how many of all elements similar to them ask."""

    places: tuple[int, ...]
    alike: float


def element_groups(nodes: PageNodes) -> tuple[ShortElements, list[ElementGroup]]:
    """Return the groups of similar short elements; those that ask are also a group on their own."""
    elements = _short_elements(nodes)
    asks = elements.asks.tolist()
    groups: dict[tuple[int, ...], tuple[int, float]] = {}
    for members in dict.fromkeys(_alike(nodes, elements)):
        questions = [place for place in members if asks[place]]
        for chosen in (questions, members):
            group = elements.disjoint(chosen)
            if len(group) >= 2:
                found = len(questions), len(questions) / len(members)
                groups[group] = max(found, groups.get(group, found))
    ranked = sorted(groups.items(), key=lambda item: -item[1][0])[:MAX_GROUPS]
    return elements, [ElementGroup(places, alike) for places, (_, alike) in ranked]


def _short_elements(nodes: PageNodes) -> ShortElements:
    """Return the nodes short enough to be a question; of nodes around the same blocks, only the innermost.

    A short block next to others in one element is an entry of its own ("<li>Question? <div>Answer</div></li>").
    """
    running = nodes.chars
    inside = nodes.last - nodes.first
    short = np.flatnonzero(_fits(running[nodes.last] - running[nodes.first]) & (inside <= BLOCKS))
    # nodes around the same blocks are adjacent, the outermost first
    first, last = nodes.first[short], nodes.last[short]
    short = short[np.append((first[1:] != first[:-1]) | (last[1:] != last[:-1]), True)[: len(short)]]
    beside = np.flatnonzero(_fits(np.diff(running)) & (inside[nodes.innermost] > 1))
    first, last = np.append(nodes.first[short], beside), np.append(nodes.last[short], beside + 1)
    asking = np.append(0, np.cumsum(nodes.asking))
    return ShortElements(nodes, np.append(short, nodes.innermost[beside]), first, last, asking[last] > asking[first])


def _fits(chars: Floats) -> NDArray[np.bool_]:
    return (chars >= SHORTEST) & (chars <= LONGEST)


def _alike(nodes: PageNodes, elements: ShortElements) -> Iterator[tuple[int, ...]]:
    """Yield groups of similar elements, by several criteria, in which enough ask; indexes are in page order."""
    whole = (nodes.first[elements.node] == elements.first) & (nodes.last[elements.node] == elements.last)
    for kind in (
        nodes.signatures,
        nodes.near_signatures,
        nodes.own_signatures,
        nodes.ordinal_signatures,
        nodes.tag_paths,
        nodes.tag_numbers,
    ):
        yield from sorted(_of_kind(kind, elements, whole))
    yield from _alike_in_bold(nodes, elements)


def _alike_in_bold(nodes: PageNodes, elements: ShortElements) -> Iterator[tuple[int, ...]]:
    """Yield groups of bold one-block elements that have the same tags all the way from the root."""
    alone, paths = elements.last - elements.first == 1, nodes.tag_paths[elements.node]
    for path in np.unique(paths[alone & elements.asks]).tolist():
        asking, places = (np.flatnonzero(alone & (paths == path) & chosen) for chosen in (elements.asks, True))
        if len(asking) >= MIN_ASKING and len(_bold(nodes, elements, asking)) >= MIN_ASKING:
            # blocks next to others come after all nodes, so the indexes are not in page order yet
            yield tuple(sorted(_bold(nodes, elements, places), key=elements.first.__getitem__))


def _of_kind(kind: Ints, elements: ShortElements, whole: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Group elements by the kind of their node, and by whether they are the whole node."""
    kinds = 2 * kind[elements.node] + whole
    return [tuple(np.flatnonzero(kinds == one).tolist()) for one in _common(kinds[elements.asks])]


def _common(kinds: Ints) -> list[int]:
    """Return the kinds that occur often enough for a list."""
    common: list[int] = np.flatnonzero(np.bincount(kinds) >= MIN_ASKING).tolist()
    return common


def _bold(nodes: PageNodes, elements: ShortElements, places: Ints) -> list[int]:
    """Return those of these one-block elements that are bold."""
    blocks = elements.first[places].tolist()
    return [place for place, block in zip(places.tolist(), blocks, strict=True) if is_bold(nodes.blocks[block])]


class FaqQuestion(NamedTuple):
    """A question and its place: its node, its blocks and what follows it in the same block."""

    node: int
    first: int
    last: int
    text: str
    rest: str = ""


def run_in_groups(nodes: PageNodes) -> Iterator[tuple[Layout, list[FaqQuestion]]]:
    """Yield groups of similar elements whose blocks contain questions and answers, with at least two questions."""
    single = [((layout, nodes.scopes[question.node].tag), question) for layout, question in _run_in_questions(nodes)]
    several = Counter(kind for kind, _ in single)
    answered = {kind for kind, question in single if question.rest and several[kind] > 1}
    found: dict[tuple[Layout, int, int], list[FaqQuestion]] = defaultdict(list)
    for (layout, tag), question in single:
        if (layout, tag) in answered:
            for kind, signature in enumerate((nodes.signatures[question.node], nodes.tag_paths[question.node])):
                found[layout, kind, int(signature)].append(question)
    groups: dict[tuple[Layout, tuple[tuple[int, int], ...]], list[FaqQuestion]] = {}
    for (layout, _, _), questions in found.items():
        if 2 <= len(questions) <= MAX_QUESTIONS and any(question.rest for question in questions):
            groups.setdefault(
                (layout, tuple((question.first, len(question.text)) for question in questions)), questions
            )
    for (layout, _), questions in sorted(groups.items(), key=lambda item: -len(item[1]))[:MAX_GROUPS]:
        yield layout, questions


def _run_in_questions(nodes: PageNodes) -> Iterator[tuple[Layout, FaqQuestion]]:
    """Yield the questions in blocks with a question mark or a question prefix, in up to three layouts."""
    for place, text in enumerate(nodes.texts):
        # most texts fail one of the first three tests, which are much faster than the others
        if ("?" in text or text[:1] not in NO_PREFIX or not text.isascii()) and (has_mark(text) or prefix_of(text)):
            for layout, spans in _question_spans(nodes.blocks[place]):
                for question in _split(text, int(nodes.innermost[place]), place, spans):
                    yield layout, question


def _question_spans(block: TextBlock) -> Iterator[tuple[Layout, list[tuple[int, int, int]]]]:
    """Yield the start and end of each question in a block, and the end of its answer, for up to three layouts."""
    text = block.text
    bold = _bold_spans(block)
    asked = [(start, end) for start, end in bold if SHORTEST <= end - start <= LONGEST and ASKS.search(text[start:end])]
    if asked:
        # a bold line that asks nothing is a heading: the answer before it ends there
        titles = [start for start, end in bold if _is_line(text, start, end) and (start, end) not in set(asked)]
        yield "bold", _until_next(text, asked, titles)
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
    stops = sorted([*(start for start, _ in spans), *titles, len(text)])
    return [(start, end, stops[bisect_left(stops, end)]) for start, end in spans]


def _split(text: str, node: int, place: int, spans: Sequence[tuple[int, int, int]]) -> list[FaqQuestion]:
    return [
        FaqQuestion(node, place, place + 1, text[start:end], text[end:stop].strip(_BETWEEN))
        for start, end, stop in spans
    ]


def _end_of_question(line: str) -> int:
    """Return the length of the question that begins a line, 0 if there is none."""
    mark = QUESTION_MARK.search(line, 0, LONGEST) if has_mark(line) else None
    prefix = prefix_of(line)
    if mark is None:
        return len(line) if prefix and SHORTEST < len(line) - prefix.end() <= LONGEST // 2 else 0
    if prefix is None and any(end in line[: mark.start()] for end in (". ", "! ", "。")):
        return 0  # the first sentence is not the question
    end = mark.end()
    while end < len(line) and line[end] in "?!？！\"'”») ":
        end += 1
    return end


def _bold_spans(block: TextBlock) -> list[tuple[int, int]]:
    """Return the start and end of the bold parts of a block's text."""
    outermost = block.scope.element
    plain = not _in_bold(outermost, outermost)
    runs = [
        (element, is_tail, not (plain and inner is outermost) and _in_bold(inner, outermost))
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
    for _ in range(_DEEPEST_BOLD):
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
    spans = _bold_spans(block) if len(block.runs) <= 3 * BLOCKS else []
    return len(spans) == 1 and spans[0][1] - spans[0][0] >= 0.95 * len(block.text)


def _is_line(text: str, start: int, end: int) -> bool:
    """Return whether a span is a whole line."""
    begins = start == 0 or text[start - 1] == "\n"
    return begins and (end == len(text) or text[end] == "\n")
