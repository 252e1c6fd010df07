"""A page as a table of scopes: the group-3 elements that hold text, each with the range of blocks inside it.

Scopes stand in page order, parents before their children, and the blocks inside a scope follow each other, so whatever
is summed over blocks is two look-ups away for any scope. Nothing here recurses; time is linear in the page.
"""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from scrapy_semtext.text.words import attribute_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import Scope
    from scrapy_semtext.text.words import AttributeWords

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


Value = TypeVar("Value", bound=Hashable)


def numbered(values: Iterable[Hashable]) -> Ints:
    """A number for each value, the same for equal ones, from 0 on in the order of the first of each; (values,)."""
    return first_of_each(list(values))[1]


def first_of_each(values: list[Value]) -> tuple[dict[Value, int], Ints]:
    """The different values in their order, each with its number from 0 on, and the number of each value, (values,)."""
    numbers = np.empty(len(values), dtype=np.int64)
    known: dict[Value, int] = {}
    numbers[:] = [known.setdefault(value, len(known)) for value in values]
    return known, numbers


class Looks(NamedTuple):
    """The tags and names of scopes.

    ``different``: each tag with its names once; ``of_scope``: int64, (scopes,), the place there of those of each scope;
    ``words``: those of the names of each in ``different``.
    """

    different: list[tuple[str, str]]
    of_scope: Ints
    words: list[AttributeWords]


class Placed(Protocol):
    """A text block, or a line: anything that stands in an element."""

    @property
    def scope(self) -> Scope:
        """The element."""
        ...


class ScopeTree:
    """The scopes of one page.

    ``scopes``: the elements; ``parent``, ``depth``: int64, (scopes,), the root being its own parent; ``first``,
    ``last``: int64, (scopes,), the range of blocks inside; ``of_block``: int64, (blocks,), the scope of each block.
    """

    def __init__(self, blocks: Sequence[Placed]) -> None:
        """``blocks`` are a page's text blocks, or its lines, in page order."""
        self.of_block: Ints = np.empty(len(blocks), dtype=np.int64)
        self.scopes, (self.parent, self.first, self.last, self.depth) = _scopes_of(blocks, self.of_block)
        self.scope_starts: Ints = np.array([0, len(self.scopes)], dtype=np.int64)
        self.block_starts: Ints = np.array([0, len(blocks)], dtype=np.int64)

    @classmethod
    def concatenated(cls, trees: Sequence[ScopeTree]) -> ScopeTree:
        """Return the scopes of several pages as one forest: each page's root is its own parent, blocks are numbered on.

        ``scope_starts`` and ``block_starts`` tell where each page begins; (pages + 1,), int64. Whatever is summed over
        blocks, counted by kind or looked up in parents is then computed for a batch of pages at once.
        """
        forest = cls.__new__(cls)
        scope_starts = np.cumsum([0, *map(len, trees)])
        block_starts = np.cumsum([0, *(len(tree.of_block) for tree in trees)])
        forest.scope_starts, forest.block_starts = scope_starts, block_starts
        forest.scopes = [*chain.from_iterable(tree.scopes for tree in trees)]
        scopes, blocks = scope_starts[:-1].tolist(), block_starts[:-1].tolist()
        forest.parent = np.concatenate([tree.parent + start for tree, start in zip(trees, scopes, strict=True)])
        forest.of_block = np.concatenate([tree.of_block + start for tree, start in zip(trees, scopes, strict=True)])
        forest.first = np.concatenate([tree.first + start for tree, start in zip(trees, blocks, strict=True)])
        forest.last = np.concatenate([tree.last + start for tree, start in zip(trees, blocks, strict=True)])
        forest.depth = np.concatenate([tree.depth for tree in trees])
        return forest

    @cached_property
    def page_of_scope(self) -> Ints:
        """The number of the page of each scope; int64, (scopes,)."""
        return np.repeat(np.arange(len(self.scope_starts) - 1), np.diff(self.scope_starts))

    @cached_property
    def page_of_block(self) -> Ints:
        """The number of the page of each block; int64, (blocks,)."""
        return np.repeat(np.arange(len(self.block_starts) - 1), np.diff(self.block_starts))

    def of_parts(self, parts: Ints) -> ScopeTree:
        """The layout of the parts of blocks, such as their lines: as many of each, at least one, as ``parts`` says."""
        other, ends = copy(self), np.append(0, parts.cumsum())
        other.first, other.last = ends[self.first], ends[self.last]
        other.of_block = np.repeat(self.of_block, parts)
        other.block_starts = ends[self.block_starts]
        other.__dict__.pop("page_of_block", None)
        return other

    def __len__(self) -> int:
        return len(self.scopes)

    @cached_property
    def looks(self) -> Looks:
        """The tag and the id and class names of each scope."""
        number, of_scope = first_of_each([(scope.tag, scope.names) for scope in self.scopes])
        different = [*number]
        return Looks(different, of_scope, [attribute_words(names) for _, names in different])

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each look."""
        return [tag for tag, _ in self.looks.different]

    @cached_property
    def times(self) -> list[int]:
        """How many scopes have each look."""
        times: list[int] = np.bincount(self.looks.of_scope).tolist()
        return times

    @cached_property
    def tag_counts(self) -> dict[str, int]:
        """How many scopes have each tag."""
        counts: dict[str, int] = {}
        for tag, times in zip(self.tags, self.times, strict=True):
            counts[tag] = counts.get(tag, 0) + times
        return counts

    @cached_property
    def alike(self) -> Ints:
        """A number for each scope, from 0 on, the same for siblings of one tag and names; int64, (scopes,)."""
        count, of_scope = len(self.looks.different), self.looks.of_scope
        return numbered((self.parent * count + of_scope).tolist())

    def totals(self, columns: Floats) -> Floats:
        """The sums of block columns, (blocks, columns), over the blocks inside each scope, (scopes, columns)."""
        sums = np.zeros((len(columns) + 1, columns.shape[1]))
        columns.cumsum(0, out=sums[1:])
        result: Floats = sums.take(self.last, axis=0)
        result -= sums.take(self.first, axis=0)
        return result

    def above(self, levels: Sequence[int]) -> dict[int, Ints]:
        """By level: the scope so many levels above each block, int64, (blocks,), or the root."""
        scopes, found = self.of_block, {}
        for level in range(max(levels) + 1):
            if level in levels:
                found[level] = scopes
            scopes = self.parent[scopes]
        return found

    def heaviest_path(self, weights: Floats) -> list[int]:
        """The way from the root down to where the weight is: always the heaviest child, while it has half of it all.

        ``weights``: (scopes,), each at least the sum of those of its children.
        """
        best: dict[int, int] = {}
        weight = weights.tolist()
        for at, above in enumerate(self.parent.tolist()):
            if at and (above not in best or weight[at] > weight[best[above]]):
                best[above] = at
        path = [0]
        while (child := best.get(path[-1])) is not None and weight[child] > 0:
            if weight[child] < 0.5 * weight[path[-1]]:
                break
            path.append(child)
        return path

    def path_to(self, scope: int) -> list[int]:
        """The way from the root to a scope, both counted in."""
        parent = self.parent.tolist()
        path = [scope]
        while path[-1]:
            path.append(parent[path[-1]])
        return path[::-1]

    def branches(self, path: Sequence[int]) -> tuple[Ints, Ints, Ints]:
        """Where each scope leaves a path that begins at the root; int64, (scopes,) each.

        The last scope of the path above it, the first below that (itself, if on the path), and the number of levels
        between.
        """
        on_path = set(path)
        joint, branch, levels = [0] * len(self), [0] * len(self), [0] * len(self)
        for at, above in enumerate(self.parent.tolist()):
            if at in on_path:
                joint[at], branch[at] = at, at
            else:
                joint[at], levels[at] = joint[above], levels[above] + 1
                branch[at] = at if above in on_path else branch[above]
        return np.array(joint), np.array(branch), np.array(levels)


def _scopes_of(blocks: Sequence[Placed], of_block: Ints) -> tuple[list[Scope], Ints]:
    """The scopes around blocks, and their parents, first and last blocks and depths, (4, scopes).

    Writes the scope of each block, (blocks,).
    """
    scopes: list[Scope] = []
    parent: list[int] = []
    first: list[int] = []
    last: list[int] = []
    number: dict[Scope, int] = {}
    for place, block in enumerate(blocks):
        scope = block.scope
        if (at := number.get(scope, -1)) < 0:
            fresh, outer = [scope], scope.parent
            while outer is not None and outer not in number:
                fresh.append(outer)
                outer = outer.parent
            above = number[outer] if outer is not None else 0
            for new in reversed(fresh):
                at = number[new] = len(scopes)
                scopes.append(new)
                parent.append(above)
                first.append(place)
                last.append(place)
                above = at
        last[at] = place + 1
        of_block[place] = at
    for at in range(len(parent) - 1, 0, -1):
        if last[at] > last[parent[at]]:
            last[parent[at]] = last[at]
    return scopes, np.array([parent, first, last, [scope.depth for scope in scopes]], dtype=np.int64)
