"""Plain numbers that a block is described by, beside its words.

Most are those that Web2Text (Vogels et al. 2018, appendix), boilerpipe and jusText found to tell: length, link share,
punctuation, function words, position, and the same of the elements around the block.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import Scope, TextBlock

_SENTENCE_END = re.compile(r"[.!?…。！？؟۔]")
_COMMA = re.compile(r"[,;:、，；：،]")
_UPPER = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]")
_DIGIT = re.compile(r"\d")

# A block's character is judged by its beginning; a megabyte in one block costs no more than a paragraph.
_LOOK = 600

#: What the columns of `numbers` hold, in order.
FEATURES = (
    "log_chars",
    "log_words",
    "link_share",
    "log_sentence_ends",
    "log_commas",
    "ends_sentence",
    "digit_share",
    "upper_share",
    "stop_word_share",
    "mean_word_length",
    "log_lines",
    "title_overlap",
    "hidden",
    "depth",
    "position",
    "log_blocks",
    "log_path_blocks",
    "path_share",
    "log_text_repeats",
    "log_levels_up",
    "log_levels_down",
    "parent_log_chars",
    "parent_log_blocks",
    "parent_link_share",
    "parent_share",
    "grandparent_log_blocks",
    "grandparent_link_share",
    "grandparent_share",
)


def numbers(blocks: Sequence[TextBlock], title: str = "", stop: frozenset[str] = frozenset()) -> NDArray[np.float32]:
    """Describe a page's blocks by numbers; float32, (blocks, features), each roughly between -1 and 10.

    ``title`` is the page's title, ``stop`` the function words of its language.
    """
    if not blocks:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    title_words = frozenset(title.lower().split())
    rows = [
        own + around
        for own, around in zip(
            (_text_numbers(block, title_words, stop) for block in blocks), _place_numbers(blocks), strict=True
        )
    ]
    return np.array(rows, dtype=np.float32)


def _text_numbers(block: TextBlock, title: frozenset[str], stop: frozenset[str]) -> list[float]:
    text = block.text
    head = text[:_LOOK]
    words = head.lower().split()
    count = len(words) or 1
    return [
        log1p(len(text)),
        log1p(len(words) * len(text) / len(head)),
        block.link_chars / len(text),
        log1p(len(_SENTENCE_END.findall(head))),
        log1p(len(_COMMA.findall(head))),
        float(_SENTENCE_END.match(text[-1]) is not None),
        len(_DIGIT.findall(head)) / len(head),
        len(_UPPER.findall(head)) / len(head),
        sum(word in stop for word in words) / count,
        min(len(head) / count, 30.0) / 10,
        log1p(text.count("\n")),
        sum(word in title for word in words) / count,
        float(block.hidden),
    ]


def _place_numbers(blocks: Sequence[TextBlock]) -> list[list[float]]:
    """Numbers of a block's place: in the page, on its path, and in the elements around it."""
    sizes = _sizes(blocks)
    paths = [(id(block.scope.parent), block.scope.tag, block.scope.names) for block in blocks]
    path_blocks = Counter((block.scope.tag, block.scope.names) for block in blocks)
    path_chars: Counter[tuple[int, str, str]] = Counter()
    for path, block in zip(paths, blocks, strict=True):
        path_chars[path] += len(block.text)
    repeats = Counter(block.text for block in blocks)
    total = sum(len(block.text) for block in blocks)
    rows = []
    previous: Scope | None = None
    for index, (path, block) in enumerate(zip(paths, blocks, strict=True)):
        scope = block.scope
        up, down = _levels(previous, scope)
        previous = scope
        parent = scope.parent or scope
        chars, links, inside = sizes[parent]
        outer_chars, outer_links, outer_inside = sizes[parent.parent or parent]
        rows.append(
            [
                min(scope.depth, 40) / 10,
                index / len(blocks),
                log1p(len(blocks)),
                log1p(path_blocks[path[1:]]),
                path_chars[path] / total,
                log1p(repeats[block.text]),
                log1p(up),
                log1p(down),
                log1p(chars),
                log1p(inside),
                links / chars,
                chars / total,
                log1p(outer_inside),
                outer_links / outer_chars,
                outer_chars / total,
            ]
        )
    return rows


def _sizes(blocks: Sequence[TextBlock]) -> dict[Scope, tuple[int, int, int]]:
    """Characters, link characters and blocks in each scope, those of the scopes inside it included; linear."""
    own: dict[Scope, list[int]] = {}
    for block in blocks:
        scope: Scope | None = block.scope
        while scope is not None and scope not in own:
            own[scope] = [0, 0, 0]
            scope = scope.parent
        size = own[block.scope]
        size[0] += len(block.text)
        size[1] += block.link_chars
        size[2] += 1
    for scope in sorted(own, key=lambda scope: -scope.depth):
        if scope.parent is not None:
            outer = own[scope.parent]
            for column in range(3):
                outer[column] += own[scope][column]
    return {scope: (size[0], size[1], size[2]) for scope, size in own.items()}


def _levels(previous: Scope | None, scope: Scope) -> tuple[int, int]:
    """How many scopes end and how many begin between two neighbouring blocks."""
    if previous is None:
        return 0, scope.depth
    a: Scope | None = previous
    b: Scope | None = scope
    while a is not b:
        if b is None or (a is not None and a.depth > b.depth):
            a = a.parent if a is not None else None
        elif a is None or b.depth > a.depth:
            b = b.parent
        else:
            a, b = a.parent, b.parent
    shared = -1 if a is None else a.depth
    return previous.depth - shared, scope.depth - shared
