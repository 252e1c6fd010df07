"""fastText's subwords: the character n-grams of a word, hashed into buckets.

Bojanowski et al., "Enriching Word Vectors with Subword Information" (2017), section 3.2, in the form that the fastText
program gives it: n-grams of ``<word>`` counted in characters, hashed as UTF-8 bytes by 32-bit FNV-1a. The program takes
each byte as a signed one and widens it before it enters the hash, so that bytes from 128 up give other values than the
published FNV-1a; the rows of a trained model are at those places, so it is done here too.
"""

from __future__ import annotations

_OFFSET = 2166136261
_PRIME = 16777619
_MASK = 0xFFFFFFFF
# A byte as the hash sees it: sign-extended to 32 bits.
_EXTENDED = tuple(byte if byte < 128 else byte | 0xFFFFFF00 for byte in range(256))


def subword_buckets(word: str, minn: int, maxn: int, bucket: int) -> list[int]:
    """Return the buckets (0 to ``bucket`` - 1) of the word's n-grams of ``minn`` to ``maxn`` characters.

    They come in fastText's order: by first character, then by length; an n-gram that occurs twice is there twice. The
    brackets around the word are characters of it, but neither counts as an n-gram of its own. A word too short for any
    n-gram has none, nor has any word if ``maxn`` or ``bucket`` is 0.
    """
    if bucket <= 0 or maxn <= 0:
        return []
    if word.isascii():
        return _single_bytes(f"<{word}>".encode(), minn, maxn, bucket)
    characters = [[_EXTENDED[byte] for byte in character.encode("utf-8", "surrogatepass")] for character in f"<{word}>"]
    last = len(characters)
    buckets = []
    for start in range(last):
        value = _OFFSET
        # One pass over the following characters: every n-gram's hash extends that of the n-gram before it.
        for end in range(start + 1, min(start + maxn, last) + 1):
            for byte in characters[end - 1]:
                value = (value ^ byte) * _PRIME & _MASK
            length = end - start
            if length >= minn and (length > 1 or 0 < start < last - 1):
                buckets.append(value % bucket)
    return buckets


def _single_bytes(data: bytes, minn: int, maxn: int, bucket: int) -> list[int]:
    """Do the same for characters of one byte each, which most words are made of: twice as fast."""
    last = len(data)
    buckets = []
    for start in range(last):
        value = _OFFSET
        for length, byte in enumerate(data[start : start + maxn], 1):
            value = (value ^ byte) * _PRIME & _MASK
            if length >= minn and (length > 1 or 0 < start < last - 1):
                buckets.append(value % bucket)
    return buckets
