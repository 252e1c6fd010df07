"""Groups of like short elements of which at least two ask something: what may be the questions of a list."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.faq_run_in import BLOCKS, LONGEST, MOST_GROUPS, MOST_HEADS, SHORTEST, Head, is_bold
from scrapy_semtext.qa.nodes import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.faq_text import Cleaner
    from scrapy_semtext.qa.nodes import Floats, Ints, PageNodes

#: Questions that end in a mark: a page, and a list on it, has so many at least.
LEAST_ASKING = 2


class ShortHeads:
    """What of a page is short enough to be a question, none of it around the same blocks as another.

    (heads,) each: its ``node``, its blocks ``first`` to ``last`` (exclusive), and whether a line of it ``asks``.
    """

    def __init__(self, nodes: PageNodes, node: Ints, first: Ints, last: Ints, asks: NDArray[np.bool_]) -> None:
        self.node, self.first, self.last, self.asks = node, first, last, asks
        self._texts = nodes.texts
        self._nodes, self._firsts, self._lasts = node.tolist(), first.tolist(), last.tolist()
        self._made: dict[int, Head] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def text(self, place: int) -> str:
        """The text of a head."""
        first, last = self._firsts[place], self._lasts[place]
        return self._texts[first] if last == first + 1 else "\n".join(self._texts[first:last])

    def head(self, place: int) -> Head:
        """A head with its text."""
        if place not in self._made:
            found = self._nodes[place], self._firsts[place], self._lasts[place]
            self._made[place] = Head(*found, self.text(place))
        return self._made[place]

    def disjoint(self, places: Sequence[int]) -> tuple[int, ...]:
        """The heads without those inside the one before; ``places`` are in page order."""
        return disjoint(list(places), self.first, self.last, MOST_HEADS)


def element_groups(nodes: PageNodes, cleaner: Cleaner) -> tuple[ShortHeads, list[tuple[int, ...]]]:
    """The groups of like short elements, as their places, those that end in a question mark also by themselves."""
    heads = _short_heads(nodes)
    if not _may_be_alike(nodes, heads, cleaner):
        return heads, []
    asks = heads.asks.tolist()
    groups: dict[tuple[int, ...], int] = {}
    for members in dict.fromkeys(_alike(nodes, heads)):
        questions = [place for place in members if asks[place]]
        for chosen in (questions, members):
            group = heads.disjoint(chosen)
            if len(group) >= 2:
                groups.setdefault(group, len(questions))
    return heads, sorted(groups, key=lambda group: -groups[group])[:MOST_GROUPS]


def _may_be_alike(nodes: PageNodes, heads: ShortHeads, cleaner: Cleaner) -> bool:
    """Whether enough different questions stand in elements of one tag, as those of a list do."""
    first: dict[str, str] = {}
    for place in np.flatnonzero(heads.asks).tolist():
        question = cleaner.asking(heads.text(place))
        if question and first.setdefault(nodes.scopes[heads.node[place]].tag, question) != question:
            return True  # two are enough
    return False


def _short_heads(nodes: PageNodes) -> ShortHeads:
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
    return ShortHeads(nodes, np.append(short, nodes.innermost[beside]), first, last, asking[last] > asking[first])


def _fits(chars: Floats) -> NDArray[np.bool_]:
    return (chars >= SHORTEST) & (chars <= LONGEST)


def _alike(nodes: PageNodes, heads: ShortHeads) -> Iterator[tuple[int, ...]]:
    """The places of heads that are alike, in several senses, where enough of them ask; in page order."""
    whole = (nodes.first[heads.node] == heads.first) & (nodes.last[heads.node] == heads.last)
    for kind in (
        nodes.signatures,
        nodes.near_signatures,
        nodes.own_signatures,
        nodes.ordinal_signatures,
        nodes.tag_paths,
        nodes.tag_numbers,
    ):
        yield from sorted(_of_kind(kind, heads, whole))
    yield from _alike_in_bold(nodes, heads)


def _alike_in_bold(nodes: PageNodes, heads: ShortHeads) -> Iterator[tuple[int, ...]]:
    """The places of heads of one block in bold type that have equal tags all the way from the root."""
    alone, paths = heads.last - heads.first == 1, nodes.tag_paths[heads.node]
    asking = np.flatnonzero(alone & heads.asks)
    often = Counter(paths[asking].tolist())
    common = {
        path
        for path, times in often.items()
        if times >= LEAST_ASKING and len(_bold(nodes, heads, asking[paths[asking] == path])) >= LEAST_ASKING
    }
    # blocks beside others stand behind all nodes, so that places are in no order yet
    for places in sorted(_bold(nodes, heads, np.flatnonzero(alone & (paths == path))) for path in common):
        yield tuple(sorted(places, key=heads.first.__getitem__))


def _of_kind(kind: Ints, heads: ShortHeads, whole: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The places of heads whose nodes are of one kind, and that are all of their nodes, or are not."""
    kinds = 2 * kind[heads.node] + whole
    return [tuple(np.flatnonzero(kinds == one).tolist()) for one in _common(kinds[heads.asks])]


def _common(kinds: Ints) -> list[int]:
    """Those of the kinds that are there often enough for a list."""
    common: list[int] = np.flatnonzero(np.bincount(kinds) >= LEAST_ASKING).tolist()
    return common


def _bold(nodes: PageNodes, heads: ShortHeads, places: Ints) -> list[int]:
    """Those of these heads of one block that are in bold type."""
    blocks = heads.first[places].tolist()
    return [place for place, block in zip(places.tolist(), blocks, strict=True) if is_bold(nodes.blocks[block])]
