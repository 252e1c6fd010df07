"""Scopes (group-3 elements that contain text) of a page or a batch as arrays, and the text blocks joined by them.

Scopes are in page order, parents before their children, and the blocks inside a scope are consecutive, so a sum over
the blocks of any scope is the difference of two prefix sums. Nothing here is recursive; time is linear in the pages.
Blocks that belong together are joined (the combine phase of SCS: Zhang & Wang 2022, III-A), and kept blocks are joined
to the main text.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, count, pairwise, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from scrapy_semtext.tree.parsing import from_outside_in
from scrapy_semtext.tree.segmentation import Run, Scope, TextBlock, search, search_columns
from scrapy_semtext.tree.tags import GROUPS, Group
from scrapy_semtext.utils.arrays import Floats, Ints
from scrapy_semtext.words.words import AttributeWords, attribute_words

if TYPE_CHECKING:
    from typing_extensions import Self


Value = TypeVar("Value", bound=Hashable)

# Rows of the columns that the walk records.
PARENT, FIRST, LAST, _, TYPE = range(5)  # the fourth row is the depth


def numbered(values: Iterable[Hashable]) -> Ints:
    """Return the index of each value among the distinct ones, in the order of first occurrence; (values,)."""
    return first_of_each(list(values))[1]


def first_of_each(values: Sequence[Value]) -> tuple[dict[Value, int], Ints]:
    """Return the distinct values, each with its index in the order of first occurrence, and `numbered`, (values,)."""
    known = dict(zip(dict.fromkeys(values), count(), strict=False))
    return known, np.fromiter(map(known.__getitem__, values), np.int64, len(values))


def group_ids(codes: Ints) -> Ints:
    """Return `numbered` of an array of integers; (codes,)."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def ranges(begins: Ints, lengths: Ints) -> Ints:
    """Return consecutive numbers from each of ``begins``, as many as its ``lengths``, concatenated."""
    ends = lengths.cumsum()
    numbers: Ints = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - ends + lengths, lengths)
    return numbers


class ElementTypes:
    """The distinct pairs of tag and names (see `Scope.names`) of scopes.

    ``pairs``: the distinct pairs; ``of_scope``: (scopes,) int64, the index in ``pairs`` of each scope's pair.
    """

    def __init__(self, pairs: list[tuple[str, str]], of_scope: Ints) -> None:
        self.pairs = pairs
        self.of_scope = of_scope

    @cached_property
    def words(self) -> list[AttributeWords]:
        """The words of the names of each pair."""
        return [attribute_words(names) for _, names in self.pairs]

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each pair."""
        return [tag for tag, _ in self.pairs]

    @cached_property
    def _tags(self) -> tuple[dict[str, int], Ints]:
        """The distinct tags with their indexes, and `tag_of_scope`."""
        distinct, of_pair = first_of_each(self.tags)
        return distinct, of_pair[self.of_scope]

    @property
    def tag_of_scope(self) -> Ints:
        """The index of the tag of each scope among the distinct ones; (scopes,) int64."""
        return self._tags[1]

    def by_tag(self, values: Mapping[str, int], default: int = 0) -> Ints:
        """Return for each scope the value of its tag, or ``default`` for other tags; (scopes,) int64."""
        distinct, of_scope = self._tags
        return np.array([values.get(tag, default) for tag in distinct], dtype=np.int64)[of_scope]

    @cached_property
    def names(self) -> tuple[list[str], Ints]:
        """The distinct names, and the index of each scope's names among them; (scopes,) int64."""
        distinct, of_pair = first_of_each([names for _, names in self.pairs])
        return [*distinct], of_pair[self.of_scope]

    @cached_property
    def first_words(self) -> tuple[list[str], Ints, Ints]:
        """The distinct words of all first names; the indexes of each name's words, concatenated, with counts."""
        words = [attribute_words(names).first for names in self.names[0]]
        distinct, number = first_of_each([*chain.from_iterable(words)])
        return [*distinct], number, np.fromiter(map(len, words), np.int64, len(words))


class ScopeTree:
    """The scopes of a page, or of several pages one after the other.

    ``scopes``: the elements; ``blocks``: the text blocks. Arrays of int64, (scopes,): ``parent`` (a root is its own
    parent), ``depth`` (0 for a root), ``first`` and ``last`` (the range of blocks inside), ``children`` (how many
    scopes each had before blocks were combined). ``of_block``: (blocks,), the scope of each block. ``scope_starts`` and
    ``block_starts``: (pages + 1,), where the scopes and the blocks of each page begin.
    """

    parent: Ints
    first: Ints
    last: Ints
    depth: Ints
    children: Ints

    def __init__(self, blocks: list[TextBlock]) -> None:
        """``blocks`` are all text blocks of one page in page order."""
        scopes, columns, of_block = _scopes_of(blocks)
        number, of_scope = first_of_each([(scope.tag, scope.names) for scope in scopes])
        self._set(blocks, scopes, columns, of_block, ElementTypes([*number], of_scope))

    def _set(
        self,
        blocks: list[TextBlock],
        scopes: list[Scope],
        columns: Ints,
        of_block: Ints,
        element_types: ElementTypes,
        children: Ints | None = None,
    ) -> None:
        """``columns``: (4, scopes), the parent, the first and the last block and the depth of each scope."""
        self.blocks = blocks
        self.scopes = scopes
        self.parent, self.first, self.last, self.depth = columns
        if children is None:  # the tree has one page
            children = np.bincount(self.parent, minlength=len(scopes))
            children[:1] -= 1  # the root is its own parent
        self.children = children
        self.of_block = of_block
        self.element_types = element_types
        self.scope_starts: Ints = np.array([0, len(scopes)], dtype=np.int64)
        self.block_starts: Ints = np.array([0, len(of_block)], dtype=np.int64)

    @classmethod
    def of_page(cls, root: Any) -> Self:
        """Run the search phase below ``root``; the tree has its blocks."""
        found = search_columns(root)
        if found is None:
            return cls(search(root))
        blocks, scopes, table, of_block, pairs = found
        columns = np.ascontiguousarray(np.frombuffer(table, dtype=np.int64).reshape(-1, TYPE + 1).T)
        tree, types = cls.__new__(cls), ElementTypes(pairs, columns[TYPE])
        tree._set(blocks, scopes, columns[:TYPE], np.frombuffer(of_block, dtype=np.int64), types)
        return tree

    @classmethod
    def concatenated(cls, trees: Sequence[ScopeTree]) -> Self:
        """Return pages as one forest, with scopes and blocks numbered consecutively and element types shared."""
        forest = cls.__new__(cls)
        scope_starts = np.cumsum([0, *map(len, trees)])
        block_starts = np.cumsum([0, *(len(tree.of_block) for tree in trees)])
        page_of_scope = np.repeat(np.arange(len(trees)), np.diff(scope_starts))
        names = ("parent", "first", "last", "depth", "children")
        columns = np.concatenate([[getattr(tree, name) for name in names] for tree in trees], axis=1)
        columns[PARENT] += scope_starts[page_of_scope]
        columns[FIRST : LAST + 1] += block_starts[page_of_scope]
        of_block = np.concatenate([tree.of_block for tree in trees])
        of_block += np.repeat(scope_starts[:-1], np.diff(block_starts))
        blocks = [*chain.from_iterable(tree.blocks for tree in trees)]
        scopes = [*chain.from_iterable(tree.scopes for tree in trees)]
        forest._set(blocks, scopes, columns[:TYPE], of_block, _united_types(trees), columns[-1])
        forest.scope_starts, forest.block_starts = scope_starts, block_starts
        return forest

    def of_joined(self, blocks: list[TextBlock], starts: Ints) -> ScopeTree:
        """Return the tree after consecutive blocks were joined, with the scopes around the first blocks only.

        ``starts``: (blocks,) int64, the index of the first block of each of the joined ``blocks``, whose scope it has.
        """
        before = np.zeros(len(self.of_block) + 1, dtype=np.int64)  # how many joined blocks begin before each block
        before[starts + 1] = 1
        before.cumsum(out=before)
        first, last = before[self.first], before[self.last]
        kept = np.flatnonzero(last > first)
        number = np.empty(len(self), dtype=np.int64)
        number[kept] = np.arange(len(kept))
        joined = ScopeTree.__new__(ScopeTree)
        columns = np.stack([number[self.parent[kept]], first[kept], last[kept], self.depth[kept]])
        types = ElementTypes(self.element_types.pairs, self.element_types.of_scope[kept])
        scopes = [self.scopes[scope] for scope in kept.tolist()]
        joined._set(blocks, scopes, columns, number[self.of_block[starts]], types, self.children[kept])
        joined.scope_starts = np.searchsorted(kept, self.scope_starts)
        joined.block_starts = before[self.block_starts]
        return joined

    def of_parts(self, counts: Ints) -> ScopeTree:
        """Return the tree after each block was split into ``counts[block]`` >= 1 parts; its ``blocks`` are the same."""
        tree, ends = copy(self), np.append(0, counts.cumsum())
        tree.first, tree.last = ends[self.first], ends[self.last]
        tree.of_block = np.repeat(self.of_block, counts)
        tree.block_starts = ends[self.block_starts]
        for name in ("page_of_block", "place", "text_ids"):
            tree.__dict__.pop(name, None)
        return tree

    def __len__(self) -> int:
        return len(self.scopes)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each block."""
        return [block.text for block in self.blocks]

    @cached_property
    def text_ids(self) -> Ints:
        """An index for each block, equal for equal texts of one page, in the order of first occurrence; (blocks,)."""
        return group_ids(self.page_of_block * len(self.blocks) + numbered(self.texts))

    @cached_property
    def page_of_scope(self) -> Ints:
        """The index of the page of each scope; int64, (scopes,)."""
        return np.repeat(np.arange(len(self.scope_starts) - 1), np.diff(self.scope_starts))

    @cached_property
    def page_of_block(self) -> Ints:
        """The index of the page of each block; int64, (blocks,)."""
        return np.repeat(np.arange(len(self.block_starts) - 1), np.diff(self.block_starts))

    @cached_property
    def place(self) -> Ints:
        """The index of each block on its page; int64, (blocks,)."""
        return np.arange(len(self.of_block)) - self.block_starts[self.page_of_block]

    @cached_property
    def outer(self) -> Ints:
        """The parent of each scope, -1 for a root; int64, (scopes,)."""
        outer: Ints = np.where(self.depth > 0, self.parent, -1)
        return outer

    @property
    def roots(self) -> Ints:
        """The root of each page; int64, (pages,). Each page must have a block."""
        return self.scope_starts[:-1]

    @cached_property
    def sibling_groups(self) -> Ints:
        """The index of each scope's group of siblings of one element type; int64, (scopes,).

        Groups are numbered in the order of their first scopes.
        """
        return group_ids(self.parent * len(self.element_types.pairs) + self.element_types.of_scope)

    @cached_property
    def widest(self) -> Ints:
        """The outermost scope with the same blocks as each scope; int64, (scopes,)."""
        same = (self.first[self.parent] == self.first) & (self.last[self.parent] == self.last)
        return self._ancestor(np.where(same, self.parent, np.arange(len(self))))

    def tag_counts(self, tags: Sequence[str]) -> Ints:
        """Count the scopes of each of the given ``tags``; (tags, pages)."""
        pages = len(self.scope_starts) - 1
        rows = self.element_types.by_tag(dict(zip(tags, count(), strict=False)), len(tags))
        codes = rows * pages + self.page_of_scope
        return np.bincount(codes, minlength=(len(tags) + 1) * pages).reshape(-1, pages)[: len(tags)]

    def sums_inside(self, columns: Floats) -> Floats:
        """Sum block columns, (columns, blocks), over the blocks inside each scope; (columns, scopes)."""
        sums = np.zeros((len(columns), columns.shape[1] + 1))
        columns.cumsum(axis=1, out=sums[:, 1:])
        result: Floats = sums.take(self.last, axis=1)
        result -= sums.take(self.first, axis=1)
        return result

    def heaviest_path(self, weights: Floats) -> Ints:
        """Return the scopes on the path from each root to where most weight is, in order of depth; int64.

        The path continues to the heaviest child (the first if equal) as long as that has half of its parent's weight.
        ``weights``: (scopes,), each at least the sum of those of its children.
        """
        heaviest_weight = np.zeros(len(self))
        inner = np.flatnonzero(self.depth > 0)
        np.maximum.at(heaviest_weight, self.parent[inner], weights[inner])
        heaviest = inner[weights[inner] == heaviest_weight[self.parent[inner]]][::-1]
        child = np.full(len(self), -1)
        child[self.parent[heaviest]] = heaviest  # if an index occurs several times, numpy keeps the last value
        scopes = self.roots
        path = [scopes]
        while len(scopes):
            below = child[scopes]
            goes_on = (below >= 0) & (weights[below] > 0) & (weights[below] >= 0.5 * weights[scopes])
            scopes = below[goes_on]
            path.append(scopes)
        return np.concatenate(path)

    def branches(self, path: Sequence[int] | Ints) -> tuple[Ints, Ints, Ints]:
        """Return where each scope branches off the path of its page, which begins at the root; int64, (scopes,) each.

        The values are the last scope of the path above it, the first one below that (itself if on the path), and the
        number of levels between them. ``path``: the scopes on the paths of all pages.
        """
        scopes = np.arange(len(self))
        on_path = np.zeros(len(self), dtype=np.bool_)
        on_path[path] = True
        joint = self._ancestor(np.where(on_path, scopes, self.parent))
        branch = self._ancestor(np.where(on_path | on_path[self.parent], scopes, self.parent))
        return joint, branch, self.depth - self.depth[joint]

    def _ancestor(self, step: Ints) -> Ints:
        """Follow ``step``, (scopes,), from each scope until it points to itself, doubling the distance each time."""
        while not np.array_equal(further := step[step], step):
            step = further
        return step


def _scopes_of(blocks: Sequence[TextBlock]) -> tuple[list[Scope], Ints, Ints]:
    """Return the scopes around blocks, their parents, first and last blocks and depths, (4, scopes), and `of_block`."""
    scopes: list[Scope] = []
    parent: list[int] = []
    first: list[int] = []
    last: list[int] = []
    number: dict[Scope, int] = {}
    for index, block in enumerate(blocks):
        new = [*takewhile(lambda scope: scope not in number, block.scope.ancestry())]
        outer = new[-1].parent if new else None
        above = 0 if outer is None else number[outer]
        for scope in reversed(new):
            number[scope] = len(scopes)
            parent.append(above)
            above = len(scopes)
            scopes.append(scope)
            first.append(index)
            last.append(index)
        last[number[block.scope]] = index + 1
    for inner in range(len(parent) - 1, 0, -1):
        last[parent[inner]] = max(last[parent[inner]], last[inner])
    columns = np.array([parent, first, last, [scope.depth for scope in scopes]], dtype=np.int64)
    return scopes, columns, np.array([number[block.scope] for block in blocks], dtype=np.int64)


def _united_types(trees: Sequence[ScopeTree]) -> ElementTypes:
    """Return the element types of several pages as one list of pairs without repetitions."""
    types = [tree.element_types for tree in trees]
    distinct, numbers = first_of_each([*chain.from_iterable(each.pairs for each in types)])
    before = np.cumsum([0, *(len(each.pairs) for each in types)]).tolist()
    parts = [each.of_scope + begin for each, begin in zip(types, before, strict=False)]
    return ElementTypes([*distinct], numbers[np.concatenate(parts)])


_DIGITS = re.compile(r"\d+")

#: The number of inline elements around a text node that are part of a place.
_MAX_INLINE = 3


def block_paths(blocks: Iterable[TextBlock]) -> list[str]:
    """Return the path of each block, as in ``html>body>div.main.post->p``.

    It consists of the group-3 elements from the root down to the block, each with its sorted id and class names. Digits
    in names are removed, so that ``post-17`` and ``post-18`` are the same.
    """
    known: dict[Scope, str] = {}  # each path is built once
    return [from_outside_in(block.scope, known, attrgetter("parent"), _path_within) or "" for block in blocks]


def block_places(blocks: Sequence[TextBlock]) -> list[tuple[str, ...]]:
    """Return the places of each block, from general to specific.

    These are the last element of its path, its last two elements, its whole path, and the last element with the inline
    elements around the first and the last text node of the block, such as ``p/span.date``.
    """
    return [_places(block, path) for block, path in zip(blocks, block_paths(blocks), strict=True)]


def _places(block: TextBlock, path: str) -> tuple[str, ...]:
    """Return the `block_places` of one block, given its ``path``; each begins with its kind."""
    parent, _, last = path.rpartition(">")
    first, end = (f"{last}/{_inline(run, block.scope.element)}" for run in (block.runs[0], block.runs[-1]))
    return f"1 {last}", f"2 {parent.rpartition('>')[2]}>{last}", f"path {path}", f"first {first}", f"last {end}"


def _inline(run: Run, scope: Any) -> str:
    """Return the innermost inline elements around a text node, as a path from the inside out."""
    element, is_tail = run
    if is_tail:
        element = element.getparent()
    steps: list[str] = []
    while element is not None and element is not scope and len(steps) < _MAX_INLINE:
        if isinstance(element.tag, str):
            steps.append(_step(element.tag, f"{element.get('id', '')} {element.get('class', '')}"))
        element = element.getparent()
    return ">".join(steps)


def _path_within(scope: Scope, outer: str | None) -> str:
    """Return the path of a scope, given that of the scope around it."""
    step = _step(scope.tag, scope.names)
    return f"{outer}>{step}" if outer else step


def _step(tag: str, names: str) -> str:
    """Return an element of a path: its tag and sorted names, as in ``div.main.post``."""
    return ".".join((tag, *sorted({name for name in _DIGITS.sub("", names).split() if name})))


# How a block is joined to the previous ones: not at all, by a newline, or by a tab between the cells of a table row.
_SEPARATE, _NEWLINE, _TAB = range(3)
_SEPARATORS = ("", "\n", "\t")


def segment(root: Any) -> list[TextBlock]:
    """Split the tree below ``root`` (an lxml element) into text blocks in page order, in linear time and memory."""
    return joined_blocks(ScopeTree.of_page(root))[0]


def joined_blocks(tree: ScopeTree) -> tuple[list[TextBlock], Ints]:
    """Join adjacent blocks of a page by cases 1 to 4 of the paper.

    Returns the text blocks, and the index of the first raw block of each, (text blocks,) int64, see
    `ScopeTree.of_joined`.
    """
    blocks, separators = tree.blocks, _separators(tree)
    starts = np.flatnonzero(np.array(separators) == _SEPARATE)
    if len(starts) == len(blocks):
        return blocks, starts
    found = []
    for first, end in pairwise([*starts.tolist(), len(blocks)]):
        block = blocks[first]
        if end > first + 1:
            parts = [block.text]
            for following in range(first + 1, end):
                parts += (_SEPARATORS[separators[following]], blocks[following].text)
            runs = [run for part in blocks[first:end] for run in part.runs]
            block = TextBlock("".join(parts), block.scope, runs, sum([part.link_chars for part in blocks[first:end]]))
        found.append(block)
    return found, starts


def _separators(tree: ScopeTree) -> list[int]:
    """Return how each block is joined to the previous ones, (blocks,): _SEPARATE, _NEWLINE or _TAB.

    The paper's recursion c(x, y) compares a block with the next one and (case 4) with the result of joining the next
    ones. A stack replaces the recursion: a new block is joined to the top while a case allows it. Every step pops a
    block or advances to the next, so the time is linear.
    """
    of_block, parent, children = tree.of_block.tolist(), tree.outer.tolist(), tree.children.tolist()
    tags, names = tree.element_types.tags, [names for _, names in tree.element_types.pairs]
    type_of_scope = tree.element_types.of_scope.tolist()
    # whether a block, with those joined to it, represents a leaf of the tree
    is_leaf = [children[scope] == 0 for scope in of_block]

    def separator(first: int, second: int) -> int:
        """Return the separator of two neighbors, given by their first blocks; _SEPARATE is case 3."""
        scope, following = of_block[first], of_block[second]
        if scope == following:  # text nodes of one element: leaf siblings of the same path (case 1)
            return _NEWLINE
        kind = type_of_scope[scope]
        if parent[scope] == parent[following]:
            is_same_path = is_leaf[first] and is_leaf[second] and kind == type_of_scope[following]
            return (_TAB if tags[kind] in CELLS else _NEWLINE) if is_same_path else _SEPARATE  # case 1
        if (
            parent[following] == scope
            and is_leaf[second]
            and children[scope] == 1
            and not names[type_of_scope[following]]
        ):
            is_leaf[first] = True  # case 2: the joined block represents all of the scope
            return _NEWLINE
        return _SEPARATE

    found = [_SEPARATE] * len(of_block)
    stack: list[int] = []  # first original block of each joined block
    for block in range(len(found)):
        last = block
        while stack and (joined_by := separator(stack[-1], last)):
            found[last] = joined_by
            last = stack.pop()
        stack.append(last)
    return found


#: The tags of table cells.
CELLS = frozenset(tag for tag, group in GROUPS.items() if group == Group.CELL)


def has_cells(tree: ScopeTree) -> bool:
    """Return whether a page has table cells, given the ``tree`` of its blocks before or after the combine phase."""
    return not CELLS.isdisjoint(tree.element_types.tags)


def main_text(blocks: Sequence[TextBlock], keep: Sequence[bool], tree: ScopeTree | None = None) -> str:
    """Join the kept blocks in page order: cells of one table row by tabs, everything else by newlines.

    ``tree`` is the tree of the blocks before or after the combine phase, if known; it saves a search.
    """
    if tree is not None and not has_cells(tree):
        return "\n".join([block.text for block, kept in zip(blocks, keep, strict=True) if kept])
    parts: list[str] = []
    previous: TextBlock | None = None
    for block, kept in zip(blocks, keep, strict=True):
        if not kept:
            continue
        if previous is not None:
            parts.append(glue(previous, block))
        parts.append(block.text)
        previous = block
    return "".join(parts)


def glue(first: TextBlock, second: TextBlock) -> str:
    """Return the separator between two blocks of the main text."""
    return "\t" if _same_row(first, second) else "\n"


def _same_row(first: TextBlock, second: TextBlock) -> bool:
    """Return whether two blocks are in different cells of one table row."""
    if first.scope.parent is second.scope.parent and CELLS.isdisjoint((first.scope.tag, second.scope.tag)):
        return False  # in the same cell, or not in cells
    cell, other_cell = _cell(first.scope), _cell(second.scope)
    return cell is not None and other_cell is not None and cell is not other_cell and cell.parent is other_cell.parent


def _cell(scope: Scope) -> Scope | None:
    """Return the innermost table cell around a scope, or None."""
    return next((each for each in scope.ancestry() if each.tag in CELLS), None)
