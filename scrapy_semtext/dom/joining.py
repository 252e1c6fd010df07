"""The main text from the blocks that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.dom.tags import GROUPS, Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import Scope, TextBlock

_CELL = int(Group.CELL)  # a plain number, which is compared faster than a member of the enum
_CELLS = frozenset(tag for tag, group in GROUPS.items() if group == _CELL)


def has_cells(layout: ScopeTree) -> bool:
    """Whether a page has cells of tables, as most have none; ``layout`` is that of its blocks."""
    return not _CELLS.isdisjoint(layout.element_types.tags)


def main_text(blocks: Sequence[TextBlock], keep: Sequence[bool], layout: ScopeTree | None = None) -> str:
    """Join the blocks to keep in page order: cells of one table row by tabs, all else by newlines.

    ``layout`` is that of the blocks, if it is known: without cells there is nothing to be told of where blocks stand.
    """
    if layout is not None and not has_cells(layout):
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
    if own.parent is other.parent and GROUPS[own.tag] != _CELL and GROUPS[other.tag] != _CELL:
        return False  # in one cell, or in none
    x = _cell(first.scope)
    if x is None:
        return False
    y = _cell(second.scope)
    return y is not None and x is not y and x.parent is y.parent


def _cell(scope: Scope | None) -> Scope | None:
    """The innermost table cell among a scope and those around it."""
    while scope is not None and GROUPS[scope.tag] != _CELL:
        scope = scope.parent
    return scope
