"""Plain numbers that a block is described by, beside its words.

Most are those that Web2Text (Vogels et al. 2018, appendix), boilerpipe and jusText found to tell: length, link share,
punctuation, function words, position, and the same of the elements around the block.
"""

from __future__ import annotations

import re
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import Scope, TextBlock

_SENTENCE_ENDS = frozenset(".!?…。！？؟۔")
_SENTENCE_END = re.compile(f"[{''.join(_SENTENCE_ENDS)}]")
_COMMA = re.compile(r"[,;:、，；：،]")
_UPPER = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]")
_DIGIT = re.compile(r"\d")
# What of these is ASCII.
_ASCII = (b".!?", b",;:", b"0123456789", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")

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

# Columns that hold logarithms: ln(1 + x).
_LOGARITHMS = [column for column, name in enumerate(FEATURES) if "log_" in name]


def numbers(blocks: Sequence[TextBlock], title: str = "", stop: frozenset[str] = frozenset()) -> NDArray[np.float32]:
    """Describe a page's blocks by numbers; float32, (blocks, features), each roughly between -1 and 10.

    ``title`` is the page's title, ``stop`` the function words of its language.
    """
    if not blocks:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    title_words = frozenset(title.lower().split())
    rows = [
        _text_numbers(block, title_words, stop) + around
        for block, around in zip(blocks, _place_numbers(blocks), strict=True)
    ]
    found = np.array(rows, dtype=np.float64)
    found[:, _LOGARITHMS] = np.log1p(found[:, _LOGARITHMS])
    return found.astype(np.float32)


def _text_numbers(block: TextBlock, title: frozenset[str], stop: frozenset[str]) -> tuple[float, ...]:
    """Numbers of a block's own text, before logarithms are taken."""
    text = block.text
    head = text[:_LOOK]
    words = head.lower().split()
    count, length = len(words) or 1, len(head)
    sentence_ends, commas, digits, capitals = _counts_ascii(head) if head.isascii() else _counts(head)
    return (
        len(text),
        len(words) * len(text) / length,
        block.link_chars / len(text),
        sentence_ends,
        commas,
        text[-1] in _SENTENCE_ENDS,
        digits / length,
        capitals / length,
        sum(map(stop.__contains__, words)) / count,
        min(length / count, 30.0) / 10,
        text.count("\n"),
        sum(map(title.__contains__, words)) / count,
        block.hidden,
    )


def _counts(text: str) -> tuple[int, ...]:
    """How many characters end sentences, part them, are digits, and are capitals."""
    return tuple(len(pattern.findall(text)) for pattern in (_SENTENCE_END, _COMMA, _DIGIT, _UPPER))


def _counts_ascii(text: str) -> tuple[int, ...]:
    """The same of text in ASCII, as most is, in a fifth of the time."""
    data = text.encode("ascii")
    return tuple(len(data) - len(data.translate(None, counted)) for counted in _ASCII)


def _place_numbers(blocks: Sequence[TextBlock]) -> list[tuple[float, ...]]:
    """Numbers of a block's place, before logarithms are taken: in the page, on its path, in the elements around it."""
    sizes = _sizes(blocks)
    paths = [(id(block.scope.parent), block.scope.tag, block.scope.names) for block in blocks]
    path_blocks = Counter(path[1:] for path in paths)
    path_chars: Counter[tuple[int, str, str]] = Counter()
    for path, block in zip(paths, blocks, strict=True):
        path_chars[path] += len(block.text)
    repeats = Counter(block.text for block in blocks)
    total = sum(len(block.text) for block in blocks)
    rows: list[tuple[float, ...]] = []
    previous: Scope | None = None
    for index, (path, block) in enumerate(zip(paths, blocks, strict=True)):
        scope = block.scope
        up, down = _levels(previous, scope)
        previous = scope
        parent = scope.parent or scope
        chars, links, inside = sizes[parent]
        outer_chars, outer_links, outer_inside = sizes[parent.parent or parent]
        rows.append(
            (
                min(scope.depth, 40) / 10,
                index / len(blocks),
                len(blocks),
                path_blocks[path[1:]],
                path_chars[path] / total,
                repeats[block.text],
                up,
                down,
                chars,
                inside,
                links / chars,
                chars / total,
                outer_inside,
                outer_links / outer_chars,
                outer_chars / total,
            )
        )
    return rows


def _sizes(blocks: Sequence[TextBlock]) -> dict[Scope, list[int]]:
    """Characters, link characters and blocks in each scope, those of the scopes inside it included; linear."""
    sizes: dict[Scope, list[int]] = {}
    for block in blocks:
        scope: Scope | None = block.scope
        while scope is not None and scope not in sizes:
            sizes[scope] = [0, 0, 0]
            scope = scope.parent
        size = sizes[block.scope]
        size[0] += len(block.text)
        size[1] += block.link_chars
        size[2] += 1
    for scope in sorted(sizes, key=attrgetter("depth"), reverse=True):
        if scope.parent is not None:
            outer, size = sizes[scope.parent], sizes[scope]
            outer[0] += size[0]
            outer[1] += size[1]
            outer[2] += size[2]
    return sizes


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
