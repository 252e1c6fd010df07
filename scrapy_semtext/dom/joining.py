"""Join blocks that belong together (the combine phase of SCS), and join kept blocks to the main text.

For the combine phase see Zhang & Wang 2022, III-A.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.dom.scope_tree import ScopeTree, blocks_with_tree
from scrapy_semtext.dom.segmentation import Scope, TextBlock
from scrapy_semtext.dom.tags import GROUPS, Group
from scrapy_semtext.utils.arrays import Ints
from scrapy_semtext.utils.extensions import walk

# How a block is joined to the previous ones: not at all, by a newline, or by a tab between the cells of a table row.
_APART, _NEWLINE, _TAB = range(3)
_SEPARATORS = ("", "\n", "\t")


def segment(root: Any) -> list[TextBlock]:
    """Split the tree below ``root`` (an lxml element) into text blocks in page order, in linear time and memory."""
    return joined_blocks(*blocks_with_tree(root))[0]


def joined_blocks(blocks: Sequence[TextBlock], tree: ScopeTree) -> tuple[list[TextBlock], Ints]:
    """Join adjacent blocks by cases 1 to 4 of the paper; ``tree`` is the tree of the blocks.

    Returns the text blocks, and the index in ``blocks`` of the first block of each, (text blocks,) int64, from which
    `ScopeTree.of_joined` builds their tree.
    """
    separators = _separators(tree)
    starts = np.flatnonzero(separators == _APART)
    if len(starts) == len(blocks):
        return list(blocks), starts
    found = []
    names = separators.tolist()
    for first, end in pairwise([*starts.tolist(), len(blocks)]):
        block = blocks[first]
        if end > first + 1:
            parts = [block.text]
            for following in range(first + 1, end):
                parts += (_SEPARATORS[names[following]], blocks[following].text)
            runs = [run for part in blocks[first:end] for run in part.runs]
            block = TextBlock("".join(parts), block.scope, runs, sum([part.link_chars for part in blocks[first:end]]))
        found.append(block)
    return found, starts


def _separators(tree: ScopeTree) -> NDArray[np.int8]:
    """Return how each block is joined to the previous ones, (blocks,): _APART, _NEWLINE or _TAB.

    The paper's recursion c(x, y) compares a block with the next one and (case 4) with the result of joining the next
    ones. A stack replaces the recursion: a new block is joined to the top while a case allows it. Every step pops a
    block or advances to the next, so the time is linear.
    """
    types = tree.element_types
    parent = tree.parent.copy()
    parent[:1] = -1
    is_cell = np.array([tag in CELLS for tag in types.tags], dtype=np.uint8)
    has_names = np.array([names != "" for _, names in types.pairs], dtype=np.uint8)
    columns = (tree.of_block, parent, tree.children, types.of_scope, is_cell, has_names)
    found = np.zeros(len(tree.of_block), dtype=np.int8)
    if walk is not None:
        walk.separators(*columns, found)
    else:
        _join(found, *(column.tolist() for column in columns))
    return found


def _join(
    found: NDArray[np.int8],
    of_block: list[int],
    parent: list[int],
    children: list[int],
    type_of_scope: list[int],
    is_cell: list[int],
    has_names: list[int],
) -> None:
    """Write the separators of blocks; the columns are those of `_separators` as lists."""
    # whether a block, with those joined to it, represents a leaf of the tree
    is_leaf = [children[scope] == 0 for scope in of_block]

    def separator(first: int, second: int) -> int:
        """Return the separator of two neighbors, given by their first blocks; _APART is case 3."""
        x, y = of_block[first], of_block[second]
        if x == y:  # text nodes of one element: leaf siblings of the same path (case 1)
            return _NEWLINE
        kind = type_of_scope[x]
        if parent[x] == parent[y]:
            alike = is_leaf[first] and is_leaf[second] and kind == type_of_scope[y]
            return (_TAB if is_cell[kind] else _NEWLINE) if alike else _APART  # case 1
        if parent[y] == x and is_leaf[second] and children[x] == 1 and not has_names[type_of_scope[y]]:
            is_leaf[first] = True  # case 2: the joined block represents all of x
            return _NEWLINE
        return _APART

    stack: list[int] = []  # first original block of each joined block
    for block in range(len(found)):
        last = block
        while stack and (joined_by := separator(stack[-1], last)):
            found[last] = joined_by
            last = stack.pop()
        stack.append(last)


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
    own, other = first.scope, second.scope
    if own.parent is other.parent and own.tag not in CELLS and other.tag not in CELLS:
        return False  # in the same cell, or not in cells
    x, y = _cell(own), _cell(other)
    return x is not None and y is not None and x is not y and x.parent is y.parent


def _cell(scope: Scope) -> Scope | None:
    return next((each for each in scope.ancestry() if each.tag in CELLS), None)
