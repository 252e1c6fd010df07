"""Numeric features of blocks, in addition to their words.

Most are from Web2Text (Vogels et al. 2018, appendix), boilerpipe and jusText: length, link share, punctuation, function
words and position, also for the elements around the block.

The three word strings of a text block: tags, names and text (Zhang & Wang 2022, III-B and III-D).
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from scrapy_semtext.tree.nodes import matrix_of
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import ScopeTree
from scrapy_semtext.words.word_tables import tag_words
from scrapy_semtext.words.words import UNSPACED, UNSPACED_WORD, Words, stop_words, words_of_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.utils.arrays import Floats, Ints, Singles


_SENTENCE_ENDS = frozenset(".!?…。！？؟۔")
# The classes of characters that are counted: ends of sentences, punctuation inside them, digits, upper-case letters,
# and scripts without spaces.
_CHARACTER_CLASSES = (
    re.compile(f"[{''.join(_SENTENCE_ENDS)}]"),
    re.compile(r"[,;:、，；：،]"),
    re.compile(r"\d"),
    re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]"),
    re.compile(f"[{UNSPACED}]"),
)
# Characters with a code from here on are in none of the classes.
_CODES = 0x20000
# The number of characters of a block that are counted, so that a megabyte costs no more than a paragraph.
_MAX_COUNTED_CHARS = 600


def block_features(tree: ScopeTree, titles: Sequence[str], stop_words: Sequence[frozenset[str]]) -> Singles:
    """Compute numeric features of the blocks of pages; float32, (blocks, FEATURES), each roughly from -1 to 10.

    ``tree`` has the blocks of all pages, at least one per page; ``titles`` are the titles of the pages,
    ``stop_words`` the function words of their languages.
    """
    return np.ascontiguousarray(matrix_of(_columns(tree, titles, stop_words).values()))


def _columns(tree: ScopeTree, titles: Sequence[str], stop_words: Sequence[frozenset[str]]) -> dict[str, NDArray[Any]]:
    """Return the features by name, (blocks,) each; see `block_features`."""
    blocks, texts = tree.blocks, tree.texts
    links = np.array([block.link_chars for block in blocks], dtype=np.float64)
    counts = np.empty((3 + len(_CHARACTER_CLASSES), len(blocks)), dtype=np.int64)
    for begin, end, title, stop in zip(tree.block_starts, tree.block_starts[1:], titles, stop_words, strict=False):
        counts[:, begin:end] = _counts(texts[begin:end], stop, frozenset(title.lower().split()))
    counts[0] += counts[-1] // UNSPACED_WORD
    chars = np.array(list(map(len, texts)), dtype=np.float64)
    hidden = np.array([block.hidden for block in blocks])
    return {**_own(texts, chars, links, counts), "hidden": hidden, **_places(chars, links, tree)}


def _own(texts: list[str], chars: Floats, links: Floats, counts: Ints) -> dict[str, NDArray[Any]]:
    """Describe the blocks' own texts.

    ``chars`` and ``links``: (blocks,), the number of characters and of link characters; ``counts``: (8, blocks), see
    `_counts`, with the words of scripts without spaces added.
    """
    words, stop_words, title_words, sentence_ends, commas, digits, capitals, _ = counts
    length, word_count = np.minimum(chars, _MAX_COUNTED_CHARS), np.maximum(words, 1)
    return {
        "log_chars": np.log1p(chars),
        "log_words": np.log1p(words * chars / length),
        "link_share": links / chars,
        "log_sentence_ends": np.log1p(sentence_ends),
        "log_commas": np.log1p(commas),
        "ends_sentence": np.array([text[-1] in _SENTENCE_ENDS for text in texts]),
        "digit_share": digits / length,
        "upper_share": capitals / length,
        "stop_word_share": stop_words / word_count,
        "mean_word_length": np.minimum(length / word_count, 30.0) / 10,
        "log_lines": np.log1p([text.count("\n") for text in texts]),
        "title_overlap": title_words / word_count,
    }


def _counts(texts: Sequence[str], stop: frozenset[str], title: frozenset[str]) -> Ints:
    """Count words and characters at the beginning of each text; (8, texts). No text may be empty.

    The rows: words; those that, in lower case, are in ``stop``, and in ``title``; characters of each of
    _CHARACTER_CLASSES.
    """
    heads = [text[:_MAX_COUNTED_CHARS] for text in texts]
    words = [head.lower().split() for head in heads]
    all_words = [*chain.from_iterable(words)]
    listed = {**dict.fromkeys(stop, 1), **dict.fromkeys(title, 2), **dict.fromkeys(stop & title, 3)}
    kinds = np.fromiter(map(listed.get, all_words, repeat(0)), np.int64, len(all_words))
    numbers = np.array(list(map(len, words)))
    only_stop, only_title, both = _counts_of_kinds(kinds, numbers, 3)
    codes = np.frombuffer("".join(heads).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kinds = _kinds_of_characters().take(codes, mode="clip")
    of_characters = _counts_of_kinds(kinds, np.array(list(map(len, heads))), len(_CHARACTER_CLASSES))
    return np.stack([numbers, only_stop + both, only_title + both, *of_characters])


def _counts_of_kinds(kinds: Ints, lengths: Ints, count: int) -> Ints:
    """Count the kinds 1 to ``count`` in consecutive parts of ``lengths``, (parts,); (count, parts). Kind 0 is none."""
    places = np.flatnonzero(kinds)
    part = np.searchsorted(lengths.cumsum(), places, side="right")
    counts = np.bincount(kinds[places] * len(lengths) + part, minlength=(count + 1) * len(lengths))
    return counts.reshape(count + 1, -1)[1:]


@cache
def _kinds_of_characters() -> Ints:
    """Return by code point: 0, or 1 + the index in _CHARACTER_CLASSES. The last 0 is for all higher code points."""
    characters = "".join(map(chr, range(_CODES)))
    kinds = np.zeros(_CODES, dtype=np.int64)
    for kind, pattern in enumerate(_CHARACTER_CLASSES, 1):
        kinds[[match.start() for match in pattern.finditer(characters)]] = kind
    return kinds


def _places(chars: Floats, links: Floats, tree: ScopeTree) -> dict[str, NDArray[Any]]:
    """Describe the position of blocks in the page, on the path and in the ancestors; (blocks,) each."""
    totals = tree.sums_inside(np.stack([chars, links, np.ones(len(chars))]))
    parent = tree.parent[tree.of_block]
    inner, outer = totals[:, parent], totals[:, tree.parent[parent]]
    page, types = tree.page_of_block, tree.element_types
    all_chars, _, count = totals[:, tree.roots[page]]
    type_on_page = types.of_scope[tree.of_block] * len(tree.roots) + page
    # siblings of one element type share a path; blocks directly inside the root share another one
    depth = tree.depth[tree.of_block]
    path = np.where(depth == 0, len(tree) + page, tree.sibling_groups[tree.of_block])
    up, down = _levels(tree, depth)
    return {
        "depth": np.minimum(depth, 40) / 10,
        "position": tree.place / count,
        "log_blocks": np.log1p(count),
        "log_path_blocks": np.log1p(np.bincount(type_on_page)[type_on_page]),
        "path_share": np.bincount(path, chars)[path] / all_chars,
        "log_text_repeats": np.log1p(np.bincount(tree.text_ids)[tree.text_ids]),
        "log_levels_up": np.log1p(up),
        "log_levels_down": np.log1p(down),
        "parent_log_chars": np.log1p(inner[0]),
        "parent_log_blocks": np.log1p(inner[2]),
        "parent_link_share": inner[1] / inner[0],
        "parent_share": inner[0] / all_chars,
        "grandparent_log_blocks": np.log1p(outer[2]),
        "grandparent_link_share": outer[1] / outer[0],
        "grandparent_share": outer[0] / all_chars,
    }


def _levels(tree: ScopeTree, depth: Ints) -> tuple[Ints, Ints]:
    """Return how many scopes end and begin between the previous block and each block; (blocks,)."""
    count, starts = len(depth), tree.block_starts[:-1]
    begun = np.bincount(tree.first, minlength=count).cumsum()
    ended = np.bincount(tree.last, minlength=count).cumsum()
    shared = np.append(-1, begun[:-1] - ended[1:count] - 1)  # the depth of the innermost scope around both
    up, down = np.append(0, depth[:-1]) - shared, depth - shared
    up[starts], down[starts] = 0, depth[starts]
    return up, down


#: The columns of `block_features`, in order.
FEATURES = (*_columns(ScopeTree.of_page(parse("<p>One block.</p>")), [""], [frozenset()]),)
#: Which words of a path that is too long are kept: the outermost (as in the paper) or the ones nearest to the block.
Keep = Literal["first", "last"]


class BlockWords(NamedTuple):
    """The word strings of blocks, in the order of the blocks. Equal strings of tags, or of names, share one tuple."""

    tags: list[Words]
    names: list[Words]
    text: list[Words]


def words_of_blocks(layout: ScopeTree, limit: int = 50, keep: Keep = "last", lang: str | None = None) -> BlockWords:
    """Convert the blocks of a page to strings of at most ``limit`` words (the paper's n).

    Longer paths are truncated to the words nearest to the block (``keep="last"``): pages in the style of Tailwind have
    more than fifty words on nearly every path, and the outermost ones are the same for all blocks. The paper keeps the
    first words (``keep="first"``), as is always done for the text. ``lang`` is the page's language for the stop words
    (see `stop_words`). Time is linear in the page. Raises ValueError for a limit below 1 or an unknown ``keep``.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1 word, not {limit}")
    if keep not in get_args(Keep):
        raise ValueError(f"keep must be 'first' or 'last', not {keep!r}")
    scopes = layout.of_block.tolist()
    tags = _words_of_paths(layout, list(map(tag_words, layout.element_types.tags)), limit, keep)
    names = _words_of_paths(layout, [words.telling for words in layout.element_types.words], limit, keep)
    return BlockWords(
        [tags[scope] for scope in scopes],
        [names[scope] for scope in scopes],
        words_of_texts(layout.texts, stop_words(lang), limit),
    )


def _words_of_paths(layout: ScopeTree, words_of_type: list[Words], limit: int, keep: Keep) -> list[Words]:
    """Return the words on the path from the root to each scope, given the words of each of its element types."""
    types = layout.element_types.of_scope
    # equal paths share a number, so that each is only built once
    words: list[Words] = [()]
    numbers: dict[Words, int] = {(): 0}
    steps: dict[tuple[int, int], int] = {}  # from a path by an element
    paths: list[int] = []
    for parent, element_type in zip(layout.parent.tolist(), types.tolist(), strict=True):
        step = (paths[parent] if paths else 0, element_type)
        path = steps.get(step)
        if path is None:
            joined = words[step[0]] + words_of_type[element_type]
            joined = joined[-limit:] if keep == "last" else joined[:limit]
            path = steps[step] = numbers.setdefault(joined, len(words))
            if path == len(words):
                words.append(joined)
        paths.append(path)
    return [words[path] for path in paths]
