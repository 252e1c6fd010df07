"""Plain numbers that a block is described by, beside its words.

Most are those that Web2Text (Vogels et al. 2018, appendix), boilerpipe and jusText found to tell: length, link share,
punctuation, function words, position, and the same of the elements around the block.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import numbered
from scrapy_semtext.text.words import UNSPACED
from scrapy_semtext.utils.extensions import texts as compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Column = Floats | Ints | list[bool] | list[int] | int

_SENTENCE_ENDS = frozenset(".!?…。！？؟۔")
# What of the characters of a text is counted: those that end sentences, those that part them, digits, capitals, and
# those of scripts without spaces.
_COUNTED = (
    re.compile(f"[{''.join(_SENTENCE_ENDS)}]"),
    re.compile(r"[,;:、，；：،]"),
    re.compile(r"\d"),
    re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]"),
    re.compile(f"[{UNSPACED}]"),
)
#: How many characters of a script without spaces count as a word.
UNSPACED_WORD = 2

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

# So many of them are of a block's own text.
_OWN = FEATURES.index("depth")
# Columns that hold logarithms: ln(1 + x).
_LOGARITHMS = [column for column, name in enumerate(FEATURES) if "log_" in name]


def block_features(
    blocks: Sequence[TextBlock], layout: ScopeTree, title: str = "", stop: frozenset[str] = frozenset()
) -> NDArray[np.float32]:
    """Describe a page's blocks, at least one, by numbers; float32, (blocks, features), each roughly from -1 to 10.

    ``layout`` is that of the blocks, ``title`` the page's title, ``stop`` the function words of its language.
    """
    texts = [block.text for block in blocks]
    links = np.array([block.link_chars for block in blocks], dtype=np.float64)
    counts = _counts(texts, stop, frozenset(title.lower().split()))
    counts[0] += counts[-1] // UNSPACED_WORD
    columns = np.empty((len(FEATURES), len(blocks)))
    _write_own(texts, links, [block.hidden for block in blocks], counts, columns[:_OWN])
    _write_places(texts, columns[0], links, layout, columns[_OWN:])
    columns[_LOGARITHMS] = np.log1p(columns[_LOGARITHMS])
    return np.ascontiguousarray(columns.T, dtype=np.float32)


def _write_own(texts: list[str], links: Floats, hidden: list[bool], counts: Ints, columns: Floats) -> None:
    """Write the numbers of the blocks' own texts, (_OWN, blocks), before logarithms are taken.

    ``links``: (blocks,), the characters in links; ``counts``: (8, blocks), what `_counts` gives, words without spaces
    counted in.
    """
    if compiled is not None:
        compiled.own_numbers(texts, links, hidden, counts.T, _LOOK, _SENTENCE_ENDS, columns)
        return
    words, stop_words, title_words, sentence_ends, commas, digits, capitals, _ = counts
    chars = np.array(list(map(len, texts)), dtype=np.float64)
    length, some = np.minimum(chars, _LOOK), np.maximum(words, 1)
    own: list[Column] = [
        chars,
        words * chars / length,
        links / chars,
        sentence_ends,
        commas,
        [text[-1] in _SENTENCE_ENDS for text in texts],
        digits / length,
        capitals / length,
        stop_words / some,
        np.minimum(length / some, 30.0) / 10,
        [text.count("\n") for text in texts],
        title_words / some,
        hidden,
    ]
    for column, values in zip(columns, own, strict=True):
        column[:] = values


def _counts(texts: Sequence[str], stop: frozenset[str], title: frozenset[str]) -> NDArray[np.int64]:
    """What the beginnings of texts, none of them empty, have; (8, texts).

    Words between white space; of these, in lower case, those in ``stop`` and in ``title``; characters of each kind in
    _COUNTED.
    """
    kinds = _kinds_of_characters()
    if compiled is not None:
        found = np.empty((len(texts), 3 + len(_COUNTED)), dtype=np.int64)
        compiled.counts(texts, _LOOK, kinds, stop, title, _sieve_of(stop), found)
        turned: NDArray[np.int64] = found.T
        return turned
    heads = [text[:_LOOK] for text in texts]
    words = [head.lower().split() for head in heads]
    of_words = [[sum(map(some.__contains__, each)) for each in words] for some in (stop, title)]
    codes = np.frombuffer("".join(heads).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kind = kinds[np.minimum(codes, len(kinds) - 1)]
    lengths = np.array(list(map(len, heads)))
    begins = np.cumsum(lengths) - lengths
    of_kinds = [np.add.reduceat(kind == which, begins, dtype=np.int64) for which in range(1, len(_COUNTED) + 1)]
    return np.stack([list(map(len, words)), *of_words, *of_kinds])


@lru_cache(maxsize=16)
def _sieve_of(stop: frozenset[str]) -> bytes:
    return bytes(compiled.sieve_of(stop))


@cache
def _kinds_of_characters() -> NDArray[np.uint8]:
    """By code point: 0, or 1 + the place in _COUNTED. The last, which stands for all behind it, is none of them."""
    characters = "".join(map(chr, range(_CODES)))
    kinds = np.zeros(_CODES, dtype=np.uint8)
    for kind, pattern in enumerate(_COUNTED, 1):
        kinds[[match.start() for match in pattern.finditer(characters)]] = kind
    return kinds


def _write_places(texts: list[str], chars: Floats, links: Floats, layout: ScopeTree, columns: Floats) -> None:
    """Write the numbers of the blocks' places, (numbers, blocks), before logarithms are taken."""
    of_text = numbered(texts)
    if compiled is not None:
        scopes = (layout.of_block, layout.parent, layout.depth, layout.first, layout.last, layout.looks.of_scope)
        compiled.places(chars, links, of_text, layout.alike, *scopes, columns)
        return
    # siblings of one tag and names are on one path; the root counts there as if it were a child of itself
    paths = np.where(layout.of_block == 0, 0, layout.alike[layout.of_block] + 1)
    for column, values in zip(columns, _places(chars, links, of_text, paths, layout), strict=True):
        column[:] = values


def _places(chars: Floats, links: Floats, texts: Ints, paths: Ints, layout: ScopeTree) -> list[Column]:
    """In the page, on its path, in the elements around it: what `_write_places` writes of each block."""
    count = len(chars)
    totals = layout.totals(np.stack([chars, links, np.ones(count)], axis=1))
    parent = layout.parent[layout.of_block]
    inner, outer = totals[parent].T, totals[layout.parent[parent]].T
    kinds = layout.looks.of_scope[layout.of_block]
    depth = layout.depth[layout.of_block]
    all_chars = chars.sum()
    return [
        np.minimum(depth, 40) / 10,
        np.arange(count) / count,
        count,
        np.bincount(kinds)[kinds],
        np.bincount(paths, chars)[paths] / all_chars,
        np.bincount(texts)[texts],
        *_levels(layout, depth),
        inner[0],
        inner[2],
        inner[1] / inner[0],
        inner[0] / all_chars,
        outer[2],
        outer[1] / outer[0],
        outer[0] / all_chars,
    ]


def _levels(layout: ScopeTree, depth: Ints) -> tuple[Ints, Ints]:
    """How many scopes end and how many begin between each block, at a ``depth``, and the one before it."""
    begun = np.bincount(layout.first, minlength=len(depth)).cumsum()
    ended = np.bincount(layout.last, minlength=len(depth)).cumsum()
    shared = begun[:-1] - ended[1 : len(depth)] - 1  # the depth of the innermost scope around both
    return np.append(0, depth[:-1] - shared), np.append(depth[0], depth[1:] - shared)
