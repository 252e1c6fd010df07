"""Counts of correct and wrong labels of blocks, given a true text."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.words.characters import lower_tokens as words

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The share of a block's words that must be aligned for it to be main content (Vogels et al. 2018, 4.1).
BLOCK_SHARE = 2 / 3

# difflib ignores frequent words ("autojunk") of texts above 200 words, which makes alignments worse; this is only
# enabled if the product of the lengths exceeds this number.
_QUICK = 40_000_000


class BlockCounts(NamedTuple):
    """Counts of the blocks of a page: true positives, predicted and expected main content."""

    both: int
    predicted: int
    expected: int


def block_counts(blocks: Sequence[tuple[str, bool]], truth: str) -> BlockCounts:
    """Count the blocks of a page, given as (text, predicted as main content) in page order."""
    content = block_labels([text for text, _ in blocks], truth)
    both = sum(kept and true for (_, kept), true in zip(blocks, content, strict=True))
    return BlockCounts(both, sum(kept for _, kept in blocks), sum(content))


def block_labels(texts: Sequence[str], truth: str) -> list[bool]:
    """Return whether each block of a page, in page order, is main content.

    A block is if two thirds of its words are in the true text; the two texts are aligned word by word in page order
    (difflib's longest matching stretches). Blocks have equal weights (Zhang & Wang 2022, IV-C).
    """
    blocks = [words(text) for text in texts]
    hits = iter(aligned_words([word for block in blocks for word in block], words(truth)))
    return [bool(block) and sum(islice(hits, len(block))) / len(block) >= BLOCK_SHARE for block in blocks]


def aligned_words(page: Sequence[str], truth: Sequence[str]) -> list[bool]:
    """Return for each word of the page whether it is aligned to a true word; the alignment keeps the order."""
    hits = [False] * len(page)
    matcher = SequenceMatcher(None, page, truth, autojunk=len(page) * len(truth) >= _QUICK)
    for begin, _, size in matcher.get_matching_blocks():
        hits[begin : begin + size] = [True] * size
    return hits
