"""The main text from the blocks that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.tags import GROUPS, Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.segment import Scope, TextBlock


def main_text(blocks: Sequence[TextBlock], keep: Sequence[bool]) -> str:
    """Join the blocks to keep in page order: cells of one table row by tabs, all else by newlines."""
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
    x, y = _cell(first), _cell(second)
    return x is not None and y is not None and x is not y and x.parent is y.parent


def _cell(block: TextBlock) -> Scope | None:
    """The innermost table cell around a block."""
    return next((scope for scope in block.scope.ancestry() if GROUPS[scope.tag] == Group.CELL), None)
