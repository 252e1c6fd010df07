"""Passages that occur on a page more than once, and quotations of earlier posts in a thread.

Passages are repeated by copies for other screen widths, clones in carousels and teasers. Such a passage is content only
once, unless it returns between other texts of the same element, like a refrain, or answers another question. Threads
are excluded, because there a repeated passage is a quotation ("X said: ..."): an element of a post in which nearly all
runs of four words occurred in an earlier post. A quotation is a <blockquote> or <q>, or an element of a type (same tag
and class names, ignoring digits) whose text on the page is mostly repeated.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import numbered
from scrapy_semtext.text.tokens import lower_tokens
from scrapy_semtext.text.word_tables import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import Scope
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


#: The minimum number of words of a repeated passage. Shorter ones are labels, cells and so on, which content repeats.
LEAST_WORDS = 10

#: What occurs more often is part of the content, such as text that documentation repeats for many similar entries.
MOST_TIMES = 3

# The end of a question, and names of elements that are displayed one at a time and therefore repeated.
_ASKS = re.compile(r"[?？؟;]\W*$")
_SHOWN_ONE_BY_ONE = re.compile(r"slide|slick|swiper|carousel|clone|duplicate|splide|glide|owl-", re.IGNORECASE)

# The maximum number of levels up to a common ancestor for a repeated text to be a refrain.
_LEVELS = 3

#: The share of repeated word runs from which an element, or all elements of a type, count as repetition.
LEAST_REPEATED = 0.7
#: The minimum number of elements of a type other than <blockquote> and <q>.
LEAST_ELEMENTS = 2
# The number of words in a run, and a factor for its hash (that of 64-bit FNV).
_RUN = 4
_FACTOR = np.uint64(1099511628211)
_QUOTING = frozenset(("blockquote", "q"))
_DIGITS = re.compile(r"\d+")
#: A block directly before a quotation that names its author: "X said:", "Originally posted by X".
_HEADER = re.compile(alternatives("quoted"), re.IGNORECASE)
_HEADER_WORDS = 15


def without_repeats(texts: Sequence[str], keep: Bools, words: Floats, scopes: Sequence[Scope]) -> Bools:
    """Return which blocks are main content, (blocks,), without passages that occurred among them before.

    ``texts``, ``words`` and ``scopes`` are those of the page's blocks, (blocks,); ``keep``: which are main content so
    far. A passage is a maximal run of blocks whose texts equal those of an earlier run in the same order, ignoring case
    and white space; no text may occur in more than three blocks. It is dropped if it has ten words, is not a refrain
    and does not answer a question.
    """
    kept = keep.nonzero()[0].tolist()
    result: Bools = keep.copy()
    comparable = _comparable([texts[place] for place in kept], words[kept].tolist())
    if len(set(comparable)) == len(comparable):
        return result
    for earlier, begin, end in _repeated(comparable):
        passage = kept[begin:end]
        if words[passage].sum() < LEAST_WORDS or _ASKS.search(texts[passage[0] - 1]):
            continue
        is_apart = earlier + end - begin < begin  # an immediate repetition is a copy of the whole
        pairs = [(scopes[one], scopes[other]) for one, other in zip(kept[earlier:], passage, strict=False)]
        if not (is_apart and _are_alike(pairs)):
            result[passage] = False
    return result


def _are_alike(pairs: Sequence[tuple[Scope, Scope]]) -> bool:
    """Return whether each pair of elements is of one type and has a near common ancestor, see `_levels_between`.

    With an ancestor more than one level up, all elements must be of one type, which excludes cards of title and text.
    """
    levels = [_levels_between(*pair) for pair in pairs]
    return 0 not in levels and (max(levels) == 1 or len({_kind(scope) for scope, _ in pairs}) == 1)


def _levels_between(one: Scope, other: Scope) -> int:
    """Return the levels up to two elements' common ancestor; 0 if those on the way differ in type or exclude it."""
    for level in range(1, _LEVELS + 1):
        if one.tag == "li" or _kind(one) != _kind(other) or _SHOWN_ONE_BY_ONE.search(one.names):
            return 0
        if one.parent is None or other.parent is None:
            return 0
        one, other = one.parent, other.parent
        if one is other:
            return 0 if _SHOWN_ONE_BY_ONE.search(one.names) else level
    return 0


def _kind(scope: Scope) -> tuple[str, str]:
    return scope.tag, _DIGITS.sub("", scope.classes or "")


def _comparable(texts: Sequence[str], words: Sequence[float]) -> list[str]:
    """Return the texts in lower case without extra white space; texts that cannot match another are unchanged.

    These differ from all others in the number of words or the first letter; no text begins with white space.
    """
    keys = [(length, text[:1].lower()) for text, length in zip(texts, words, strict=True)]
    times = Counter(keys)
    shared = [times[key] > 1 for key in keys]
    return [" ".join(text.lower().split()) if alike else text for text, alike in zip(texts, shared, strict=True)]


def _repeated(texts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield runs of texts that repeat earlier ones in order: end of the earlier run, begin, end (exclusive)."""
    times = Counter(texts)
    first: dict[str, int] = {}
    earlier = [
        first.setdefault(text, place) if times[text] <= MOST_TIMES else place for place, text in enumerate(texts)
    ]
    begin = 0
    while begin < len(texts):
        end = begin + 1
        if earlier[begin] < begin:
            while end < len(texts) and earlier[end] == earlier[end - 1] + 1 and earlier[end] < end:
                end += 1
            yield earlier[begin], begin, end
        begin = end


def without_quotes(texts: Sequence[str], tree: ScopeTree, keep: Bools, post: Ints) -> Bools:
    """Return which blocks are main content, (blocks,), without quotations of earlier posts and their headers.

    ``texts`` and ``tree`` are those of the page's blocks; ``keep``: which are main content so far, ``post``: the post
    of each, -1 for none; (blocks,) each. Quotations of fewer than four words are not found.
    """
    tokens = [lower_tokens(text) if place >= 0 else [] for text, place in zip(texts, post.tolist(), strict=True)]
    counts = np.fromiter(map(len, tokens), np.int64, len(tokens))
    quotations = _quotations(tree, np.stack([counts, *_runs(tokens, counts, post)], axis=1), post)
    first = tree.first[quotations]
    within = np.zeros(len(texts) + 1, dtype=np.int64)  # the number of (nested) quotations around each block
    np.add.at(within, first, 1)
    np.add.at(within, tree.last[quotations], -1)
    result: Bools = keep & (within.cumsum()[:-1] == 0)
    before = first[first > 0] - 1
    before = before[post[before] == post[before + 1]]
    short = [place for place in before.tolist() if len(tokens[place]) <= _HEADER_WORDS]
    result[[place for place in short if _HEADER.search(texts[place])]] = False
    return result


def _runs(tokens: Sequence[Sequence[str]], counts: Ints, post: Ints) -> tuple[Ints, Ints]:
    """Count the word runs in each block of ``counts`` words, and those that an earlier post has; (blocks,) each."""
    block = np.repeat(np.arange(len(tokens)), counts)
    ids = numbered(chain.from_iterable(tokens))
    hashes = np.zeros(max(0, len(ids) - _RUN + 1), dtype=np.uint64)
    for place in range(_RUN):
        hashes = hashes * _FACTOR + ids[place : place + len(hashes)].astype(np.uint64)
    begins, ends = block[: len(hashes)], block[_RUN - 1 :]
    within = post[begins] == post[ends]  # runs may continue in the next block, because quotations join blocks
    run = np.unique(hashes, return_inverse=True)[1]
    first = np.full(len(hashes), len(tokens))  # the first post with each run
    np.minimum.at(first, run[within], post[begins[within]])
    inside = begins == ends
    again = inside & (first[run] < post[begins])
    return (
        np.bincount(begins[inside], minlength=len(tokens)),
        np.bincount(begins[again], minlength=len(tokens)),
    )


def _quotations(tree: ScopeTree, counts: Ints, post: Ints) -> Ints:
    """Return the scopes that are quotations; none has all of a post, which may be a long quotation and a short reply.

    ``counts``: (blocks, 3), the words of each block, its runs, and its repeated runs.
    """
    words, runs, repeated = tree.totals(counts.astype(np.float64)).T
    of_post = np.bincount(post + 1, counts[:, 0])[np.maximum(post[tree.first], post[tree.last - 1]) + 1]
    repeats = (repeated > 0) & (repeated >= LEAST_REPEATED * runs) & (words < of_post)
    kinds = numbered((tag, _DIGITS.sub("", names)) for tag, names in tree.element_types.pairs)
    kind = kinds[tree.element_types.of_scope]
    enough = np.bincount(kind, repeats) >= LEAST_ELEMENTS
    enough &= np.bincount(kind, repeated) >= LEAST_REPEATED * np.bincount(kind, runs)
    quoting = np.array([tag in _QUOTING for tag in tree.element_types.tags])[tree.element_types.of_scope]
    return np.flatnonzero(repeats & (quoting | enough[kind]))
