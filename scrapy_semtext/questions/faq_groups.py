"""Groups of like short elements of which at least two ask something: what may be the questions of a list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.compiled import nodes as compiled
from scrapy_semtext.questions.faq_run_in import BLOCKS, LONGEST, MOST_GROUPS, MOST_HEADS, SHORTEST, Head, is_bold
from scrapy_semtext.questions.nodes import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.questions.faq_text import Cleaner
    from scrapy_semtext.questions.nodes import Floats, Ints, PageNodes

#: Questions that end in a mark: a page, and a list on it, has so many at least.
LEAST_ASKING = 2


@dataclass(frozen=True, slots=True)
class _Heads:
    """What is short enough to be a question, (heads,) each: its node, its blocks, and whether a line of it asks."""

    node: Ints
    first: Ints
    last: Ints
    asks: NDArray[np.bool_]


def element_groups(nodes: PageNodes, cleaner: Cleaner) -> list[list[Head]]:
    """The groups of like short elements, those that end in a question mark also by themselves."""
    heads = _short_heads(nodes)
    asks, order = heads.asks.tolist(), _PageOrder(heads)
    asking = (order.head(nodes, place) for place in np.flatnonzero(heads.asks).tolist())
    if not _may_be_alike(nodes, asking, cleaner):
        return []
    groups: dict[tuple[int, ...], int] = {}
    for members in dict.fromkeys(_alike(nodes, heads)):
        questions = [place for place in members if asks[place]]
        for chosen in (questions, members):
            group = order.disjoint(chosen)
            if len(group) >= 2:
                groups.setdefault(group, len(questions))
    ranked = sorted(groups, key=lambda group: -groups[group])
    return [[order.head(nodes, place) for place in group] for group in ranked[:MOST_GROUPS]]


def _may_be_alike(nodes: PageNodes, asking: Iterable[Head], cleaner: Cleaner) -> bool:
    """Whether enough different questions stand in elements of one tag, as those of a list do."""
    first: dict[str, str] = {}
    for head in asking:
        question = cleaner.asking(head.question)
        if question and first.setdefault(nodes.scopes[head.node].tag, question) != question:
            return True  # two are enough
    return False


class _PageOrder:
    """Heads by where they stand on the page."""

    def __init__(self, heads: _Heads) -> None:
        self._heads = heads
        self._node, self._first, self._last = heads.node.tolist(), heads.first.tolist(), heads.last.tolist()
        self._made: dict[int, Head] = {}

    @cached_property
    def _rank(self) -> list[int]:
        ranks: list[int] = np.lexsort((-self._heads.last, self._heads.first)).argsort().tolist()
        return ranks

    def disjoint(self, places: Sequence[int]) -> tuple[int, ...]:
        """The heads in page order, without those inside the one before."""
        members = sorted(places, key=self._rank.__getitem__)
        return disjoint(members, self._heads.first, self._heads.last, MOST_HEADS)

    def head(self, nodes: PageNodes, place: int) -> Head:
        """A head with its text."""
        if place not in self._made:
            first, last = self._first[place], self._last[place]
            self._made[place] = Head(self._node[place], first, last, "\n".join(nodes.texts[first:last]))
        return self._made[place]


def _short_heads(nodes: PageNodes) -> _Heads:
    """The nodes short enough to be a question, of those around the same blocks the innermost.

    Short blocks beside others in one element stand for themselves ("<li>Question? <div>Answer</div></li>").
    """
    if compiled is not None:
        room = np.empty((3, len(nodes) + len(nodes.blocks)), dtype=np.int64)
        asks = np.empty(room.shape[1], dtype=np.bool_)
        page = nodes.texts, nodes.asking, nodes.first, nodes.last, nodes.innermost
        count = compiled.short_heads(*page, SHORTEST, LONGEST, BLOCKS, room, asks)
        return _Heads(room[0, :count], room[1, :count], room[2, :count], asks[:count])
    running = nodes.chars
    inside = nodes.last - nodes.first
    short = np.flatnonzero(_fits(running[nodes.last] - running[nodes.first]) & (inside <= BLOCKS))
    # nodes around the same blocks follow each other, from the outside in
    first, last = nodes.first[short], nodes.last[short]
    short = short[np.append((first[1:] != first[:-1]) | (last[1:] != last[:-1]), True)[: len(short)]]
    beside = np.flatnonzero(_fits(np.diff(running)) & (inside[nodes.innermost] > 1))
    first, last = np.append(nodes.first[short], beside), np.append(nodes.last[short], beside + 1)
    asking = np.append(0, np.cumsum(nodes.asking))
    return _Heads(np.append(short, nodes.innermost[beside]), first, last, asking[last] > asking[first])


def _fits(chars: Floats) -> NDArray[np.bool_]:
    return (chars >= SHORTEST) & (chars <= LONGEST)


def _alike(nodes: PageNodes, heads: _Heads) -> Iterator[tuple[int, ...]]:
    """The places of heads that are alike, in several senses, where enough of them ask."""
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
    alone, paths = heads.last - heads.first == 1, nodes.tag_paths[heads.node]
    asking = _bold(nodes, heads, np.flatnonzero(alone & heads.asks))
    common = _common(paths[asking])
    yield from sorted(tuple(_bold(nodes, heads, np.flatnonzero(alone & (paths == one)))) for one in common)


def _of_kind(kind: Ints, heads: _Heads, whole: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The places of heads whose nodes are of one kind, and that are all of their nodes, or are not."""
    if compiled is not None:
        found: list[tuple[int, ...]] = compiled.alike(
            kind, heads.node, whole, heads.asks, LEAST_ASKING, np.zeros(2 * len(kind), dtype=np.int64)
        )
        return found
    kinds = 2 * kind[heads.node] + whole
    return [tuple(np.flatnonzero(kinds == one).tolist()) for one in _common(kinds[heads.asks])]


def _common(kinds: Ints) -> list[int]:
    """Those of the kinds that are there often enough for a list."""
    common: list[int] = np.flatnonzero(np.bincount(kinds) >= LEAST_ASKING).tolist()
    return common


def _bold(nodes: PageNodes, heads: _Heads, places: Ints) -> list[int]:
    """Those of these heads of one block that are in bold type."""
    blocks = heads.first[places].tolist()
    return [place for place, block in zip(places.tolist(), blocks, strict=True) if is_bold(nodes.blocks[block])]
