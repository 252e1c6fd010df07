"""The main text from the blocks that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.dom.tags import GROUPS, Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import Scope, TextBlock

#: The tags of table cells.
CELLS = frozenset(tag for tag, group in GROUPS.items() if group == Group.CELL)


def has_cells(tree: ScopeTree) -> bool:
    """Whether a page, by the ``tree`` of its blocks before or after they are combined, has cells of tables."""
    return not CELLS.isdisjoint(tree.element_types.tags)


def main_text(blocks: Sequence[TextBlock], keep: Sequence[bool], tree: ScopeTree | None = None) -> str:
    """Join the blocks to keep in page order: cells of one table row by tabs, all else by newlines.

    ``tree`` is that of the blocks before or after they are combined, if it is known: it spares pages without cells the
    search for them.
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
    """What stands between two blocks of the main text."""
    return "\t" if _same_row(first, second) else "\n"


def _same_row(first: TextBlock, second: TextBlock) -> bool:
    own, other = first.scope, second.scope
    if own.parent is other.parent and own.tag not in CELLS and other.tag not in CELLS:
        return False  # in one cell, or in none
    x, y = _cell(own), _cell(other)
    return x is not None and y is not None and x is not y and x.parent is y.parent


def _cell(scope: Scope) -> Scope | None:
    return next((each for each in scope.ancestry() if each.tag in CELLS), None)
