"""The paths of text blocks: equal for the blocks that a site's template puts in the same place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.dom.segmentation import Scope, TextBlock

_DIGITS = re.compile(r"\d+")


def block_paths(blocks: Iterable[TextBlock]) -> list[str]:
    """Return the path of each block, as in ``html>body>div.main.post->p``.

    It consists of the group-3 elements from the root down to the block, each with its sorted id and class names. Names
    are without digits, so that ``post-17`` and ``post-18`` are the same.
    """
    known: dict[Scope, str] = {}
    return [_path(block.scope, known) for block in blocks]


def _path(scope: Scope, known: dict[Scope, str]) -> str:
    """The path of a scope; those above it are kept in ``known``, so that each is built once."""
    chain = []
    current: Scope | None = scope
    while current is not None and current not in known:
        chain.append(current)
        current = current.parent
    path = "" if current is None else known[current]
    for each in reversed(chain):
        step = _step(each)
        path = f"{path}>{step}" if path else step
        known[each] = path
    return path


def _step(scope: Scope) -> str:
    names = sorted({name for name in _DIGITS.sub("", scope.names).split() if name})
    return ".".join((scope.tag, *names))
