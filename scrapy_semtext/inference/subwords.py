"""fastText's subwords: the character n-grams of a word, hashed into buckets.

Bojanowski et al., "Enriching Word Vectors with Subword Information" (2017), section 3.2, as the fastText program
implements it: n-grams of ``<word>``, counted in characters, are hashed as UTF-8 bytes by 32-bit FNV-1a. Like the
program this sign-extends each byte first, so that bytes from 128 on give other hashes than the published FNV-1a.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_OFFSET = 2166136261
_PRIME = 16777619


def subword_buckets_of(
    words: Sequence[str], minn: int, maxn: int, bucket: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the buckets (0 to ``bucket`` - 1) of the words' n-grams, (n-grams,), and how many each has, (words,).

    An n-gram has ``minn`` to ``maxn`` characters. Those of a word are in fastText's order, by first character, then by
    length, with repetitions. The brackets around the word are characters of it, but not n-grams by themselves. A word
    too short for any n-gram has none, and no word has any if ``maxn`` or ``bucket`` is 0.
    """
    if bucket <= 0 or maxn <= 0 or not words:
        return np.zeros(0, dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    text = np.frombuffer("".join(f"<{word}>" for word in words).encode("utf-8", "surrogatepass"), dtype=np.int8)
    begins = np.flatnonzero(text >= -64)  # of the characters: bytes from 0x80 to 0xBF continue one
    sizes = np.diff(begins, append=len(text))
    lengths = np.array([len(word) + 2 for word in words])
    word = np.repeat(np.arange(len(words)), lengths)
    end = np.cumsum(lengths)[word]
    character = np.arange(len(begins))
    inner = (character > end - lengths[word]) & (character < end - 1)
    hashes = np.full(len(begins), _OFFSET, dtype=np.uint32)
    found = np.empty((len(begins), maxn), dtype=np.uint32)
    wanted = np.zeros((len(begins), maxn), dtype=np.bool_)
    for length in range(1, maxn + 1):
        last = character + length - 1
        hashes = _extended(hashes, text, begins, sizes, np.minimum(last, len(begins) - 1))
        found[:, length - 1] = hashes
        if length >= minn:
            wanted[:, length - 1] = (last < end) & (inner if length == 1 else True)
    buckets = found[wanted].astype(np.int64) % bucket
    return buckets, np.bincount(word, weights=wanted.sum(1), minlength=len(words)).astype(np.int64)


def _extended(
    hashes: NDArray[np.uint32],
    text: NDArray[np.int8],
    begins: NDArray[np.intp],
    sizes: NDArray[np.intp],
    characters: NDArray[np.intp],
) -> NDArray[np.uint32]:
    """Extend each hash by a character, of one or more bytes."""
    for place in range(int(sizes.max())):
        byte = text[np.minimum(begins[characters] + place, len(text) - 1)].astype(np.int32).view(np.uint32)
        longer = (hashes ^ byte) * np.uint32(_PRIME)
        hashes = longer if place == 0 else np.where(place < sizes[characters], longer, hashes)
    return hashes
