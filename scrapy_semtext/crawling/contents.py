"""Signatures of texts, which identify the same content at different URLs."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

import numpy as np

_WORD = re.compile(r"[^\W_]+")
_SHINGLE = 4  # words
_LEAST_WORDS = 100  # shorter texts have to be equal: too large a share of few words may differ
_MOST_WORDS = 5000
_BANDS = 4
#: Bits in which the signatures of near-identical texts may differ; one of the bands is then equal.
MOST_BITS = 3


class Signature(NamedTuple):
    """``exact`` is equal for equal letters; ``near``, None for short texts, differs in few bits if nearly identical."""

    exact: int
    near: int | None

    @property
    def bands(self) -> tuple[int, ...]:
        """Parts of ``near``, of which near-identical texts share at least one; empty without ``near``."""
        return () if self.near is None else tuple(self.near >> 16 * band & 0xFFFF for band in range(_BANDS))


def signature_of(text: str, title: str = "") -> Signature | None:
    """Return the signature of a text, or None without letters. Case, punctuation and white space do not count.

    A title at the beginning of the text does not count either, as it may be in only one of two texts of a page.
    """
    words = _WORD.findall(text.removeprefix(title).casefold())
    if not words:
        return None
    digest = blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).digest()
    exact = int.from_bytes(digest, "big", signed=True)
    return Signature(exact, _near(words[:_MOST_WORDS]) if len(words) >= _LEAST_WORDS else None)


def bits_between(one: int, other: int) -> int:
    """Return the number of bits in which two signatures differ."""
    return (one ^ other).bit_count()


def _near(words: list[str]) -> int:
    """Return the SimHash of the shingles of words, 64 bits."""
    shingles = {" ".join(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1)}
    codes = [shingle.encode("utf-8", "replace") for shingle in sorted(shingles)]
    halves = np.array([(crc32(code), crc32(code, 0x9E3779B9)) for code in codes], dtype=">u4")  # (shingles, 2)
    bits = np.unpackbits(halves.view(np.uint8), axis=1)  # (shingles, 64)
    return int.from_bytes(np.packbits(2 * bits.sum(axis=0, dtype=np.int64) > len(codes)).tobytes(), "big")
