"""Where text blocks stand: equal for the blocks that a site's template puts in the same place."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING

from scrapy_semtext.dom.tree import from_outside_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from scrapy_semtext.dom.segmentation import Run, Scope, TextBlock

_DIGITS = re.compile(r"\d+")

#: How many inline elements around a text node are part of a place.
_MOST_INLINE = 3


def block_paths(blocks: Iterable[TextBlock]) -> list[str]:
    """Return the path of each block, as in ``html>body>div.main.post->p``.

    It consists of the group-3 elements from the root down to the block, each with its sorted id and class names. Names
    are without digits, so that ``post-17`` and ``post-18`` are the same.
    """
    known: dict[Scope, str] = {}
    return [_path(block.scope, known) for block in blocks]


def block_places(blocks: Sequence[TextBlock]) -> list[tuple[str, ...]]:
    """Return the places of each block, from the general to the particular.

    These are the last element of its path, its last two elements, its whole path, and the last element with the inline
    elements around the first and the last text node of the block, such as ``p/span.date``.
    """
    return [_places(block, path) for block, path in zip(blocks, block_paths(blocks), strict=True)]


def _places(block: TextBlock, path: str) -> tuple[str, ...]:
    parent, _, last = path.rpartition(">")
    first, end = (f"{last}/{_inline(run, block.scope.element)}" for run in (block.runs[0], block.runs[-1]))
    return f"1 {last}", f"2 {parent.rpartition('>')[2]}>{last}", f"path {path}", f"first {first}", f"last {end}"


def _inline(run: Run, scope: Any) -> str:
    """The innermost inline elements around a text node, as a path from the inside out."""
    element, is_tail = run
    if is_tail:
        element = element.getparent()
    steps: list[str] = []
    while element is not None and element is not scope and len(steps) < _MOST_INLINE:
        if isinstance(element.tag, str):
            steps.append(_step(element.tag, f"{element.get('id', '')} {element.get('class', '')}"))
        element = element.getparent()
    return ">".join(steps)


def _path(scope: Scope, known: dict[Scope, str]) -> str:
    """The path of a scope; those above it are kept in ``known``, so that each is built once."""
    return from_outside_in(scope, known, attrgetter("parent"), _path_within) or ""


def _path_within(scope: Scope, outer: str | None) -> str:
    step = _step(scope.tag, scope.names)
    return f"{outer}>{step}" if outer else step


def _step(tag: str, names: str) -> str:
    return ".".join((tag, *sorted({name for name in _DIGITS.sub("", names).split() if name})))
