"""Plain numbers that a block is described by, beside its words.

Most are those that Web2Text (Vogels et al. 2018, appendix), boilerpipe and jusText found to tell: length, link share,
punctuation, function words, position, and the same of the elements around the block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.structure.layout import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import Scope, TextBlock
    from scrapy_semtext.structure.layout import Layout

    Floats = NDArray[np.float64]

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


def numbers(
    blocks: Sequence[TextBlock], layout: Layout, title: str = "", stop: frozenset[str] = frozenset()
) -> NDArray[np.float32]:
    """Describe a page's blocks, at least one, by numbers; float32, (blocks, features), each roughly from -1 to 10.

    ``layout`` is that of the blocks, ``title`` the page's title, ``stop`` the function words of its language.
    """
    title_words = frozenset(title.lower().split())
    texts = np.array([_text_numbers(block, title_words, stop) for block in blocks], dtype=np.float64)
    found = np.concatenate([texts, _place_numbers(blocks, layout)], axis=1)
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


def _place_numbers(blocks: Sequence[TextBlock], layout: Layout) -> Floats:
    """Numbers of a block's place, before logarithms are taken: in the page, on its path, in the elements around it."""
    count = len(blocks)
    chars = np.array([len(block.text) for block in blocks], dtype=np.float64)
    links = np.array([block.link_chars for block in blocks], dtype=np.float64)
    totals = layout.totals(np.stack([chars, links, np.ones(count)], axis=1))
    parent = layout.parent[layout.of_block]
    inner, outer = totals[parent].T, totals[layout.parent[parent]].T
    scopes = [block.scope for block in blocks]
    kinds = numbered((scope.tag, scope.names) for scope in scopes)
    paths = numbered((id(scope.parent), scope.tag, scope.names) for scope in scopes)
    texts = numbered(block.text for block in blocks)
    levels = np.array([_levels(before, scope) for before, scope in zip([None, *scopes], scopes, strict=False)])
    return np.stack(
        [
            np.minimum(layout.depth[layout.of_block], 40) / 10,
            np.arange(count) / count,
            np.full(count, count),
            np.bincount(kinds)[kinds],
            np.bincount(paths, chars)[paths] / chars.sum(),
            np.bincount(texts)[texts],
            levels[:, 0],
            levels[:, 1],
            inner[0],
            inner[2],
            inner[1] / inner[0],
            inner[0] / chars.sum(),
            outer[2],
            outer[1] / outer[0],
            outer[0] / chars.sum(),
        ],
        axis=1,
        dtype=np.float64,
    )


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
