"""Where a page may list questions with their answers: candidates, to be judged by a model.

A list of questions is a group of like elements (headings, list terms, summaries, buttons, cells, paragraphs in bold
type), or of like beginnings of blocks ("<b>Question?</b> answer"). What answers them is what stands beside them in
their containers or, where they have none of their own, what follows until the next. Both are read from the page's
structure; names of templates play no part.

Groups, their members and the levels climbed are capped, so that the time is bounded by the page's length.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from scrapy_semtext.questions.cues import QUESTION_MARK
from scrapy_semtext.questions.faq_text import ASKS, QUESTION_PREFIX, clean_answer, clean_question
from scrapy_semtext.questions.nodes import CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.questions.nodes import PageNodes
    from scrapy_semtext.segment import TextBlock

#: Where answers stand: in the containers of their questions, behind them, or in the blocks of questions that are bold,
#: on lines of their own, or the first sentence.
Layout = Literal["inside", "after", "bold", "line", "sentence"]

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_SHORTEST, _LONGEST, _BLOCKS = 6, 320, 4  # of a question: characters, blocks
_HINTS = frozenset({"question", "questions", "faq", "faqs", "accordion", "toggle", "collapse", "collapsible"})
_ASKING_TAGS = frozenset({"summary", "dt", "button", "h2", "h3", "h4", "h5", "h6"})
_BOLD = frozenset({"b", "strong"})
_MOST_GROUPS, _MOST_HEADS, _MOST_LEVELS = 100, 1_000, 12
_MOST_RUNS, _DEEPEST_BOLD = 400, 6
_SHARE_INSIDE = 0.6


class Pair(NamedTuple):
    """A question and its answer, cleaned; blocks ``first`` to ``last`` (exclusive), the answer's from ``start``."""

    question: str
    answer: str
    first: int
    start: int
    last: int


class Head(NamedTuple):
    """A question where it stands: its node, its blocks and what follows it in the same block."""

    node: int
    first: int
    last: int
    question: str
    rest: str = ""


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


def faq_candidates(nodes: PageNodes) -> list[FaqCandidate]:
    """Return the lists of questions that a page may hold, those with most questions that end in a mark first."""
    candidates: dict[tuple[tuple[int, int, int], ...], FaqCandidate] = {}
    for heads in _element_groups(nodes):
        for candidate in _readings(nodes, heads):
            candidates.setdefault(_key(candidate), candidate)
    for layout, heads in _run_in_groups(nodes):
        answers = _after(nodes, heads, [_limit(nodes, head, 0) for head in heads])
        candidate = _candidate(nodes, heads, answers, layout)
        candidates.setdefault(_key(candidate), candidate)
    return [candidate for candidate in candidates.values() if len(candidate.pairs) >= 2]


def _key(candidate: FaqCandidate) -> tuple[tuple[int, int, int], ...]:
    return tuple((pair.first, pair.last, len(pair.answer)) for pair in candidate.pairs)


def _candidate(
    nodes: PageNodes, heads: Sequence[Head], answers: Iterable[tuple[int, int]], layout: Layout, level: int = 0
) -> FaqCandidate:
    ranges = list(answers)
    common = _common_lines(nodes, ranges)
    pairs: dict[str, Pair] = {}
    for head, (start, last) in zip(heads, ranges, strict=True):
        lines = [block.text for block in nodes.blocks[start:last]]
        lines = lines[:1] + [line for line in lines[1:] if line not in common]
        question = clean_question(head.question)
        answer = clean_answer([head.rest, *lines] if head.rest else lines, question)
        key = question.casefold()
        if question and answer and key not in pairs:
            pairs[key] = Pair(question, answer, head.first, start, max(last, head.last))
    return FaqCandidate(tuple(pairs.values()), tuple(heads), layout, level)


def _common_lines(nodes: PageNodes, ranges: Sequence[tuple[int, int]]) -> set[str]:
    """The short texts that most answers have behind their first block at their end ("Was this helpful?")."""
    tails = ({block.text for block in nodes.blocks[max(start + 1, last - 3) : last]} for start, last in ranges)
    ends = Counter(text for tail in tails for text in tail)
    return {text for text, count in ends.items() if count >= max(3, 0.6 * len(ranges)) and len(text) <= _LONGEST}


# --- groups of elements ----------------------------------------------------------------------------------------------


def _element_groups(nodes: PageNodes) -> list[list[Head]]:
    """The groups of like short elements, those that end in a question mark also by themselves."""
    heads = _short_heads(nodes)
    asked = [ASKS.search(head.question) is not None for head in heads]
    groups: dict[tuple[tuple[int, int], ...], tuple[int, list[Head]]] = {}
    for members in _alike(nodes, heads):
        questions = [place for place in members if asked[place]]
        wanted = [questions] if len(questions) >= 2 else []
        if len(questions) >= 2 or _is_hinted(nodes, [heads[place].node for place in members]):
            wanted.append(members)
        for chosen in wanted:
            group = _disjoint(heads[place] for place in chosen)
            if len(group) >= 2:
                groups.setdefault(tuple((head.first, head.last) for head in group), (len(questions), group))
    ranked = sorted(groups.values(), key=lambda item: -item[0])
    return [group for _, group in ranked[:_MOST_GROUPS]]


def _short_heads(nodes: PageNodes) -> list[Head]:
    """The nodes short enough to be a question, of those around the same blocks the innermost.

    Short blocks beside others in one element stand for themselves ("<li>Question? <div>Answer</div></li>").
    """
    chars = nodes.total()[:, CHARS]
    fits = (chars >= _SHORTEST) & (chars <= _LONGEST) & (nodes.last - nodes.first <= _BLOCKS)
    innermost: dict[tuple[int, int], int] = {}
    for node in np.flatnonzero(fits).tolist():
        innermost[int(nodes.first[node]), int(nodes.last[node])] = node
    for block, node in enumerate(nodes.innermost.tolist()):
        if nodes.last[node] - nodes.first[node] > 1 and _SHORTEST <= len(nodes.blocks[block].text) <= _LONGEST:
            innermost[block, block + 1] = node
    return [
        Head(node, first, last, "\n".join(block.text for block in nodes.blocks[first:last]))
        for (first, last), node in innermost.items()
    ]


def _alike(nodes: PageNodes, heads: Sequence[Head]) -> Iterator[list[int]]:
    """The places in ``heads`` of those that are alike, in several senses."""
    kinds: tuple[Sequence[int] | Sequence[str], ...] = (
        nodes.signatures.tolist(),
        nodes.near_signatures.tolist(),
        nodes.own_signatures.tolist(),
        nodes.ordinal_signatures.tolist(),
        nodes.tag_paths.tolist(),
        [scope.tag for scope in nodes.scopes],
    )
    whole = [nodes.last[head.node] == head.last and nodes.first[head.node] == head.first for head in heads]
    for kind in kinds:
        groups: dict[tuple[int | str, bool], list[int]] = defaultdict(list)
        for place, head in enumerate(heads):
            groups[kind[head.node], whole[place]].append(place)
        yield from (members for members in groups.values() if len(members) >= 2)
    bold: dict[int, list[int]] = defaultdict(list)
    for place, head in enumerate(heads):
        if head.last - head.first == 1 and _is_bold(nodes.blocks[head.first]):
            bold[int(nodes.tag_paths[head.node])].append(place)
    yield from (members for members in bold.values() if len(members) >= 2)


def _is_hinted(nodes: PageNodes, members: Sequence[int]) -> bool:
    """Whether elements are such as questions stand in, even if none of them ends in a question mark."""
    if len(members) > _MOST_HEADS:
        return False
    return nodes.scopes[members[0]].tag in _ASKING_TAGS or not _HINTS.isdisjoint(nodes.names_near(members[:3], 3))


def _disjoint(heads: Iterable[Head]) -> list[Head]:
    """Heads in page order, without those inside the one before."""
    chosen: list[Head] = []
    for head in sorted(heads, key=lambda head: (head.first, -head.last)):
        if len(chosen) < _MOST_HEADS and (not chosen or head.first >= chosen[-1].last):
            chosen.append(head)
    return chosen


# --- where the answers are -------------------------------------------------------------------------------------------


def _readings(nodes: PageNodes, heads: Sequence[Head]) -> Iterator[FaqCandidate]:
    """The candidates of a group: one for each level that its containers may be at, of all and of those side by side."""
    free = _free_levels(nodes, heads)
    for level, _ in Counter(free).most_common(2):
        levels = [min(level, most) for most in free]
        places = [_climbed(nodes, head.node, own) for head, own in zip(heads, levels, strict=True)]
        yield _reading(nodes, heads, places, levels, level)
        parents = nodes.parent[places]
        parent, count = Counter(parents.tolist()).most_common(1)[0]
        if 2 <= count < len(heads):
            beside = np.flatnonzero(parents == parent).tolist()
            kept = [heads[place] for place in beside]
            yield _reading(nodes, kept, [places[place] for place in beside], [levels[place] for place in beside], level)


def _reading(
    nodes: PageNodes, heads: Sequence[Head], places: Sequence[int], levels: Sequence[int], level: int
) -> FaqCandidate:
    """Questions with the answers that stand in their containers, or behind them where these hold none."""
    filled = sum(nodes.last[place] > head.last for place, head in zip(places, heads, strict=True))
    if level < 0 or filled < _SHARE_INSIDE * len(heads):
        limits = [_limit(nodes, head, own) for head, own in zip(heads, levels, strict=True)]
        return _candidate(nodes, heads, _after(nodes, heads, limits), "after", level)
    follow = [*(head.first for head in heads[1:]), len(nodes.blocks)]
    ends = [min(int(nodes.last[place]), following) for place, following in zip(places, follow, strict=True)]
    ranges = [(head.last, max(head.last, end)) for head, end in zip(heads, ends, strict=True)]
    return _candidate(nodes, heads, _without_headings(nodes, heads, ranges), "inside", level)


def _free_levels(nodes: PageNodes, heads: Sequence[Head]) -> list[int]:
    """How many elements up each question can be left before the next one, or the one before, is met.

    -1 where both stand in one element without elements of their own.
    """
    levels = []
    for place, head in enumerate(heads):
        low = heads[place - 1].last if place else 0
        high = heads[place + 1].first if place + 1 < len(heads) else len(nodes.blocks)
        level, node = -1, head.node
        while node >= 0 and level < _MOST_LEVELS and nodes.first[node] >= low and nodes.last[node] <= high:
            level, node = level + 1, int(nodes.parent[node])
        levels.append(level)
    return levels


def _climbed(nodes: PageNodes, node: int, levels: int) -> int:
    return nodes.path(node, max(levels, 0) + 1)[-1]


def _limit(nodes: PageNodes, head: Head, level: int) -> int:
    """The block before which the answer behind a question ends at the latest."""
    place = _climbed(nodes, head.node, level)
    if level <= 0 and nodes.last[place] - nodes.first[place] > head.last - head.first:
        return int(nodes.last[place])
    parent = int(nodes.parent[place])
    return int(nodes.last[parent]) if parent >= 0 else len(nodes.blocks)


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
    kinds = nodes.tag_paths[nodes.innermost]
    known = {int(kinds[block]) for start, end in closed for block in range(start, end)}
    longest = max((end - start for start, end in closed), default=1)
    for index, (start, end) in enumerate(ranges):
        if open_ended[index]:
            stop = start
            while stop < min(end, start + longest) and (int(kinds[stop]) in known or not closed):
                stop += 1
            ranges[index] = (start, stop)
    return ranges


def _without_headings(
    nodes: PageNodes, heads: Sequence[Head], ranges: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Ranges cut where a heading as high as the question begins, and before a heading that nothing follows."""
    cut = []
    for head, (start, end) in zip(heads, ranges, strict=True):
        own = _heading_level(nodes, head.node)
        stop = start
        while stop < end and not (own and 0 < _heading_level(nodes, int(nodes.innermost[stop])) <= own):
            stop += 1
        while stop > start and _heading_level(nodes, int(nodes.innermost[stop - 1])):
            stop -= 1
        cut.append((start, stop))
    return cut


def _heading_level(nodes: PageNodes, node: int) -> int:
    """The level of the heading that a node is in, 0 if in none."""
    for inner in nodes.path(node, 3):
        tag = nodes.scopes[inner].tag
        if tag in HEADINGS:
            return int(tag[1])
    return 0


# --- questions that begin blocks -------------------------------------------------------------------------------------


def _run_in_groups(nodes: PageNodes) -> Iterator[tuple[Layout, list[Head]]]:
    """Like elements whose blocks hold questions and what answers them, at least two questions together."""
    found: dict[tuple[Layout, int, int], list[Head]] = defaultdict(list)
    for place, block in enumerate(nodes.blocks):
        if QUESTION_MARK.search(block.text) or QUESTION_PREFIX.match(block.text):
            node = int(nodes.innermost[place])
            for layout, spans in _question_spans(block):
                heads = _split(block.text, node, place, spans)
                for kind, signature in enumerate((nodes.signatures[node], nodes.tag_paths[node])):
                    found[layout, kind, int(signature)] += heads
    groups: dict[tuple[Layout, tuple[tuple[int, int], ...]], list[Head]] = {}
    for (layout, _, _), heads in found.items():
        if 2 <= len(heads) <= _MOST_HEADS and any(head.rest for head in heads):
            groups.setdefault((layout, tuple((head.first, len(head.question)) for head in heads)), heads)
    for (layout, _), heads in sorted(groups.items(), key=lambda item: -len(item[1]))[:_MOST_GROUPS]:
        yield layout, heads


def _question_spans(block: TextBlock) -> Iterator[tuple[Layout, list[tuple[int, int, int]]]]:
    """Begin and end of each question in a block, and the end of its answer, in up to three ways."""
    text = block.text
    bold = _bold_spans(block)
    asked = [
        (start, end) for start, end in bold if _SHORTEST <= end - start <= _LONGEST and ASKS.search(text[start:end])
    ]
    if asked:
        # a line in bold type that asks nothing is a heading: the answer before it ends there
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
    places = np.searchsorted(stops, [end for _, end in spans])
    return [(start, end, stops[place]) for (start, end), place in zip(spans, places.tolist(), strict=True)]


def _split(text: str, node: int, place: int, spans: Sequence[tuple[int, int, int]]) -> list[Head]:
    return [
        Head(node, place, place + 1, text[start:end], text[end:stop].strip(" \n\t:–—-")) for start, end, stop in spans
    ]


def _end_of_question(line: str) -> int:
    """The length of the question that begins a line; 0 if none does."""
    mark = QUESTION_MARK.search(line, 0, _LONGEST)
    if mark is None:
        prefix = QUESTION_PREFIX.match(line)
        return len(line) if prefix and _SHORTEST < len(line) - prefix.end() <= _LONGEST // 2 else 0
    prefix = QUESTION_PREFIX.match(line)
    if prefix is None and any(end in line[: mark.start()] for end in (". ", "! ", "。")):
        return 0  # the question is not the first sentence
    end = mark.end()
    while end < len(line) and line[end] in "?!？！\"'”») ":
        end += 1
    return end


def _bold_spans(block: TextBlock) -> list[tuple[int, int]]:
    """Begin and end of the stretches of a block's text that are in bold type."""
    spans: list[tuple[int, int]] = []
    position = 0
    for element, is_tail in block.runs[:_MOST_RUNS]:
        text = " ".join(((element.tail if is_tail else element.text) or "").split())
        start = block.text.find(text, position) if text else -1
        if start < 0:
            continue
        position = start + len(text)
        if not _in_bold(element.getparent() if is_tail else element, block.scope.element):
            continue
        if spans and not block.text[spans[-1][1] : start].strip(" "):
            spans[-1] = (spans[-1][0], position)
        else:
            spans.append((start, position))
    return spans


def _in_bold(element: Any, outermost: Any) -> bool:
    """Whether text of an element is in bold type and no link (a bold link leads to what is elsewhere)."""
    bold = False
    for _ in range(_DEEPEST_BOLD):
        if element is None or element.tag == "a":
            return False
        bold = bold or element.tag in _BOLD
        if element is outermost:
            break
        element = element.getparent()
    return bold


def _is_bold(block: TextBlock) -> bool:
    spans = _bold_spans(block) if len(block.runs) <= 3 * _BLOCKS else []
    return len(spans) == 1 and spans[0][1] - spans[0][0] >= 0.95 * len(block.text)


def _is_line(text: str, start: int, end: int) -> bool:
    """Whether a stretch is all of its line."""
    begins = start == 0 or text[start - 1] == "\n"
    return begins and (end == len(text) or text[end] == "\n")
