"""Quotations of earlier posts in a thread ("X said: ..."), told by their words and the elements they stand in.

A quotation is an element of a post in which nearly all runs of four words stood in an earlier post. It is a
<blockquote> or <q>, or most of what the page has in such elements (same tag and class names, digits aside) is repeated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.text.tokens import lower_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree

    Ints = NDArray[np.int64]

#: The share of repeated runs of words from which on an element, or all elements of a kind, repeat.
LEAST_REPEATED = 0.7

#: Elements of another tag are quotations if there are so many of the kind.
LEAST_ELEMENTS = 2

# The words of a run, and a factor for its hash (that of 64-bit FNV).
_RUN = 4
_FACTOR = np.uint64(1099511628211)

_QUOTING = frozenset(("blockquote", "q"))
_DIGITS = re.compile(r"\d+")

#: A block right before a quotation that names who is quoted: "X said:", "Originally posted by X".
_HEADER = re.compile(
    r"originally posted|\b(?:said|wrote|says|schrieb|sagte|a écrit|a dit|escribió|dijo|ha scritto|ha detto|escreveu"
    r"|disse|napisał\w*|schreef|zei|skrev|sa|kirjoitti|sanoi|(?:на)?писал\w*|сказал\w*|пишет)\W*$"
    r"|(?:写道|说)\W*$|^(?:quote|zitat|citation|cita|цитата|引用)\b",
    re.IGNORECASE,
)
_HEADER_WORDS = 15


def without_quotes(
    texts: Sequence[str], tree: ScopeTree, keep: NDArray[np.bool_], post: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which blocks are main content, (blocks,), without quotations of earlier posts and their headers.

    ``texts`` and ``tree`` are those of the page's blocks; ``keep`` says which are main content so far, ``post`` in
    which post each stands, -1 for none; (blocks,) each. Quotations of fewer than four words are not found.
    """
    tokens = [lower_tokens(text) if place >= 0 else [] for text, place in zip(texts, post.tolist(), strict=True)]
    counts = np.fromiter(map(len, tokens), np.int64, len(tokens))
    quotations = _quotations(tree, np.stack([counts, *_runs(tokens, counts, post)], axis=1), post)
    first = tree.first[quotations]
    within = np.zeros(len(texts) + 1, dtype=np.int64)  # in how many quotations, which may be nested, each block stands
    np.add.at(within, first, 1)
    np.add.at(within, tree.last[quotations], -1)
    result: NDArray[np.bool_] = keep & (within.cumsum()[:-1] == 0)
    before = first[first > 0] - 1
    before = before[post[before] == post[before + 1]]
    result[[place for place in before.tolist() if _is_header(texts[place], tokens[place])]] = False
    return result


def _runs(tokens: Sequence[Sequence[str]], counts: Ints, post: Ints) -> tuple[Ints, Ints]:
    """Count the runs of words in each block, of ``counts`` words, and those an earlier post has; (blocks,) each."""
    block = np.repeat(np.arange(len(tokens)), counts)
    known: dict[str, int] = {}
    ids = [known.setdefault(token, len(known)) for each in tokens for token in each]
    hashes = np.zeros(max(0, len(ids) - _RUN + 1), dtype=np.uint64)
    for place in range(_RUN):
        hashes = hashes * _FACTOR + np.array(ids[place : place + len(hashes)], dtype=np.uint64)
    begins, ends = block[: len(hashes)], block[_RUN - 1 :]
    within = post[begins] == post[ends]  # runs may go on in the next block, as quotations join blocks
    run = np.unique(hashes, return_inverse=True)[1]
    first = np.full(len(hashes), len(tokens))  # the first post that has each run
    np.minimum.at(first, run[within], post[begins[within]])
    inside = begins == ends
    again = inside & (first[run] < post[begins])
    return (
        np.bincount(begins[inside], minlength=len(tokens)),
        np.bincount(begins[again], minlength=len(tokens)),
    )


def _quotations(tree: ScopeTree, counts: Ints, post: Ints) -> Ints:
    """The scopes that are quotations: none has all of a post, which may be a long quotation and a word of reply.

    ``counts``: (blocks, 3), the words of each block, its runs, and those that are repeated.
    """
    words, runs, repeated = tree.totals(counts.astype(np.float64)).T
    of_post = np.bincount(post + 1, counts[:, 0])[np.maximum(post[tree.first], post[tree.last - 1]) + 1]
    repeats = (repeated > 0) & (repeated >= LEAST_REPEATED * runs) & (words < of_post)
    numbers: dict[tuple[str, str], int] = {}
    kinds = [numbers.setdefault((tag, _DIGITS.sub("", names)), len(numbers)) for tag, names in tree.element_types.pairs]
    kind = np.array(kinds, dtype=np.int64)[tree.element_types.of_scope]
    enough = np.bincount(kind, repeats) >= LEAST_ELEMENTS
    enough &= np.bincount(kind, repeated) >= LEAST_REPEATED * np.bincount(kind, runs)
    quoting = np.array([tag in _QUOTING for tag in tree.element_types.tags])[tree.element_types.of_scope]
    return np.flatnonzero(repeats & (quoting | enough[kind]))


def _is_header(text: str, tokens: Sequence[str]) -> bool:
    return len(tokens) <= _HEADER_WORDS and _HEADER.search(text) is not None
