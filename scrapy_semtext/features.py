"""Plain numbers that a block is described by, beside its words.

Most are those that Web2Text (Vogels et al. 2018, appendix), boilerpipe and jusText found to tell: length, link share,
punctuation, function words, position, and the same of the elements around the block.
"""

from __future__ import annotations

import re
from functools import cache
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
# What of the characters of a text is counted: those that end sentences, those that part them, digits, capitals.
_COUNTED = (
    re.compile(f"[{''.join(_SENTENCE_ENDS)}]"),
    re.compile(r"[,;:、，；：،]"),
    re.compile(r"\d"),
    re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]"),
)

# No character with a code from here on is any of these.
_CODES = 0x20000

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
    found = np.concatenate([_text_numbers(blocks, title_words, stop), _place_numbers(blocks, layout)], axis=1)
    found[:, _LOGARITHMS] = np.log1p(found[:, _LOGARITHMS])
    return found.astype(np.float32)


def _text_numbers(blocks: Sequence[TextBlock], title: frozenset[str], stop: frozenset[str]) -> Floats:
    """Numbers of the blocks' own texts, before logarithms are taken."""
    texts = [block.text for block in blocks]
    heads = [text[:_LOOK] for text in texts]
    words = [head.lower().split() for head in heads]
    chars, length, count = (np.array(list(map(len, each)), dtype=np.float64) for each in (texts, heads, words))
    sentence_ends, commas, digits, capitals = _counts(heads)
    some = np.maximum(count, 1)
    columns = [
        chars,
        count * chars / length,
        np.array([block.link_chars for block in blocks]) / chars,
        sentence_ends,
        commas,
        [text[-1] in _SENTENCE_ENDS for text in texts],
        digits / length,
        capitals / length,
        np.array([sum(map(stop.__contains__, each)) for each in words]) / some,
        np.minimum(length / some, 30.0) / 10,
        [text.count("\n") for text in texts],
        np.array([sum(map(title.__contains__, each)) for each in words]) / some,
        [block.hidden for block in blocks],
    ]
    return np.stack(columns, axis=1, dtype=np.float64)


def _counts(texts: Sequence[str]) -> NDArray[np.int64]:
    """How many characters of each kind in _COUNTED each text has, none of them empty; (kinds, texts)."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kinds = _kinds_of_characters()
    kind = kinds[np.minimum(codes, len(kinds) - 1)]
    lengths = np.array(list(map(len, texts)))
    begins = np.cumsum(lengths) - lengths
    of_kinds = [np.add.reduceat(kind == which, begins, dtype=np.int64) for which in range(1, len(_COUNTED) + 1)]
    return np.stack(of_kinds)


@cache
def _kinds_of_characters() -> NDArray[np.uint8]:
    """By code point: 0, or 1 + the place in _COUNTED. The last, which stands for all behind it, is none of them."""
    characters = "".join(map(chr, range(_CODES)))
    kinds = np.zeros(_CODES, dtype=np.uint8)
    for kind, pattern in enumerate(_COUNTED, 1):
        kinds[[match.start() for match in pattern.finditer(characters)]] = kind
    return kinds


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
