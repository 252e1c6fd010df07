"""Groups of like short elements of which at least two ask something: what may be the questions of a list."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.faq_run_in import BLOCKS, LONGEST, MAX_GROUPS, MAX_QUESTIONS, SHORTEST, Question, is_bold
from scrapy_semtext.qa.nodes import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.faq_text import Cleaner
    from scrapy_semtext.qa.nodes import Floats, Ints, PageNodes

#: Questions that end in a mark: a page, and a list on it, has so many at least.
MIN_ASKING = 2


class ShortElements:
    """What of a page is short enough to be a question, none of it around the same blocks as another.

    (elements,) each: its ``node``, its blocks ``first`` to ``last`` (exclusive), and whether a line of it ``asks``.
    """

    def __init__(self, nodes: PageNodes, node: Ints, first: Ints, last: Ints, asks: NDArray[np.bool_]) -> None:
        self.node, self.first, self.last, self.asks = node, first, last, asks
        self._texts = nodes.texts
        self._nodes, self._firsts, self._lasts = node.tolist(), first.tolist(), last.tolist()
        self._made: dict[int, Question] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def text(self, place: int) -> str:
        """The text of an element."""
        first, last = self._firsts[place], self._lasts[place]
        return self._texts[first] if last == first + 1 else "\n".join(self._texts[first:last])

    def question(self, place: int) -> Question:
        """An element as a question."""
        if place not in self._made:
            found = self._nodes[place], self._firsts[place], self._lasts[place]
            self._made[place] = Question(*found, self.text(place))
        return self._made[place]

    def disjoint(self, places: Sequence[int]) -> tuple[int, ...]:
        """The elements without those inside the one before; ``places`` are in page order."""
        return disjoint(list(places), self.first, self.last, MAX_QUESTIONS)


def element_groups(nodes: PageNodes, cleaner: Cleaner) -> tuple[ShortElements, list[tuple[int, ...]]]:
    """The groups of like short elements, as their places, those that end in a question mark also by themselves."""
    elements = _short_elements(nodes)
    if not _may_be_alike(nodes, elements, cleaner):
        return elements, []
    asks = elements.asks.tolist()
    groups: dict[tuple[int, ...], int] = {}
    for members in dict.fromkeys(_alike(nodes, elements)):
        questions = [place for place in members if asks[place]]
        for chosen in (questions, members):
            group = elements.disjoint(chosen)
            if len(group) >= 2:
                groups.setdefault(group, len(questions))
    return elements, sorted(groups, key=lambda group: -groups[group])[:MAX_GROUPS]


def _may_be_alike(nodes: PageNodes, elements: ShortElements, cleaner: Cleaner) -> bool:
    """Whether enough different questions stand in elements of one tag, as those of a list do."""
    first: dict[str, str] = {}
    for place in np.flatnonzero(elements.asks).tolist():
        question = cleaner.asking(elements.text(place))
        if question and first.setdefault(nodes.scopes[elements.node[place]].tag, question) != question:
            return True  # two are enough
    return False


def _short_elements(nodes: PageNodes) -> ShortElements:
    """The nodes short enough to be a question, of those around the same blocks the innermost.

    Short blocks beside others in one element stand for themselves ("<li>Question? <div>Answer</div></li>").
    """
    running = nodes.chars
    inside = nodes.last - nodes.first
    short = np.flatnonzero(_fits(running[nodes.last] - running[nodes.first]) & (inside <= BLOCKS))
    # nodes around the same blocks follow each other, from the outside in
    first, last = nodes.first[short], nodes.last[short]
    short = short[np.append((first[1:] != first[:-1]) | (last[1:] != last[:-1]), True)[: len(short)]]
    beside = np.flatnonzero(_fits(np.diff(running)) & (inside[nodes.innermost] > 1))
    first, last = np.append(nodes.first[short], beside), np.append(nodes.last[short], beside + 1)
    asking = np.append(0, np.cumsum(nodes.asking))
    return ShortElements(nodes, np.append(short, nodes.innermost[beside]), first, last, asking[last] > asking[first])


def _fits(chars: Floats) -> NDArray[np.bool_]:
    return (chars >= SHORTEST) & (chars <= LONGEST)


def _alike(nodes: PageNodes, elements: ShortElements) -> Iterator[tuple[int, ...]]:
    """The places of elements that are alike, in several senses, where enough of them ask; in page order."""
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
    """The places of elements of one block in bold type that have equal tags all the way from the root."""
    alone, paths = elements.last - elements.first == 1, nodes.tag_paths[elements.node]
    asking = np.flatnonzero(alone & elements.asks)
    often = Counter(paths[asking].tolist())
    common = {
        path
        for path, times in often.items()
        if times >= MIN_ASKING and len(_bold(nodes, elements, asking[paths[asking] == path])) >= MIN_ASKING
    }
    # blocks beside others stand behind all nodes, so that places are in no order yet
    for places in sorted(_bold(nodes, elements, np.flatnonzero(alone & (paths == path))) for path in common):
        yield tuple(sorted(places, key=elements.first.__getitem__))


def _of_kind(kind: Ints, elements: ShortElements, whole: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The places of elements whose nodes are of one kind, and that are all of their nodes, or are not."""
    kinds = 2 * kind[elements.node] + whole
    return [tuple(np.flatnonzero(kinds == one).tolist()) for one in _common(kinds[elements.asks])]


def _common(kinds: Ints) -> list[int]:
    """Those of the kinds that are there often enough for a list."""
    common: list[int] = np.flatnonzero(np.bincount(kinds) >= MIN_ASKING).tolist()
    return common


def _bold(nodes: PageNodes, elements: ShortElements, places: Ints) -> list[int]:
    """Those of these elements of one block that are in bold type."""
    blocks = elements.first[places].tolist()
    return [place for place, block in zip(places.tolist(), blocks, strict=True) if is_bold(nodes.blocks[block])]
