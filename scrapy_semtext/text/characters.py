"""Character classes, counts and word hashes of many lines of text at once, over one array of their code points."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Hashes = NDArray[np.uint64]

#: Character classes, as bits; WORD is `\w` of regular expressions (letters, digits and "_").
KNOWN, WORD, SPACE, BLANK, DIGIT, COMMA, LETTER, CAPITAL = (1 << bit for bit in range(8))
_PATTERNS = {WORD: r"\w", SPACE: r"\s", BLANK: " ", DIGIT: r"\d", COMMA: "[,;、，；،]"}
_MATCH = {kind: re.compile(pattern).match for kind, pattern in _PATTERNS.items()}
# The classes of each code point, filled in when it is first seen; the system assigns memory only to the parts in use.
_TABLE = np.zeros(sys.maxunicode + 1, dtype=np.uint8)
_NEWLINE = 10
# An odd number modulo 2**64, so that it has an inverse.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
# Powers of these by base, kept for the next batch up to so many (8 MiB each).
_POWERS: dict[int, Hashes] = {}
_MOST_CACHED = 1 << 20


class Characters:
    """The code points of one or more lines, each ended by a newline.

    ``codes``: uint32, (characters,); ``kinds``: uint8, (characters,), the bits of their classes; ``starts``: int64,
    (lines,), where each line begins; ``lengths``: int64, (lines,), without the newline.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """``lines`` are without newlines; a line may be empty."""
        self.text = "\n".join(lines) + "\n"
        self._set_codes()
        self.lengths: Ints = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
        self.starts: Ints = (self.lengths + 1).cumsum() - self.lengths - 1

    def _set_codes(self) -> None:
        self.codes = codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self.kinds = _TABLE.take(codes)
        if not self.kinds.all():
            _classify(set(self.text))
            self.kinds = _TABLE.take(codes)

    def lower(self) -> Characters:
        """The same lines in lower case, which in a few cases changes their lengths."""
        lower = Characters.__new__(Characters)
        lower.text = self.text.lower()
        lower._set_codes()  # noqa: SLF001 - of this class
        ends = np.flatnonzero(lower.codes == _NEWLINE)
        lower.starts = np.append(0, ends[:-1] + 1)
        lower.lengths = ends - lower.starts
        return lower

    def word_starts(self) -> NDArray[np.bool_]:
        """Whether a character begins a word: it is no white space and stands behind white space; (characters,)."""
        inside = self.kinds & SPACE == 0
        starts: NDArray[np.bool_] = inside.copy()
        starts[1:] &= ~inside[:-1]
        return starts

    def word_hashes(self) -> tuple[Ints, Hashes]:
        r"""Find the words (`\w+`): the line of each and a hash of 64 bits, the same for equal words; (words,) each.

        A polynomial hash (Rabin & Karp 1987) from prefix sums, so that no word is handled by itself.
        """
        is_word = self.kinds & WORD != 0
        edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1  # the last character is a newline
        if is_word[0]:
            edges = np.append(0, edges)
        begins, ends = edges[::2], edges[1::2]
        prefix = np.empty(len(self.codes) + 1, dtype=np.uint64)
        prefix[0] = 0
        np.multiply(self.codes, _powers(_BASE, len(self.codes)), out=prefix[1:])
        prefix.cumsum(out=prefix)
        hashes: Hashes = (prefix.take(ends) - prefix.take(begins)) * _powers(_INVERSE, len(self.codes)).take(begins)
        return self.starts.searchsorted(begins, side="right") - 1, hashes

    def sums(self, values: NDArray[np.generic]) -> Ints:
        """Sum values of the characters, (characters,), over each line with its newline: (lines,)."""
        sums: Ints = np.add.reduceat(values, self.starts, dtype=np.int64)
        return sums


def _powers(base: int, count: int) -> Hashes:
    """The first powers of a number modulo 2**64; uint64, (count,)."""
    powers = _POWERS.get(base)
    if powers is not None and len(powers) >= count:
        return powers[:count]
    powers = np.full(1 << max(count - 1, 1).bit_length(), base, dtype=np.uint64)
    powers[0] = 1
    powers.cumprod(out=powers)
    if count <= _MOST_CACHED:
        _POWERS[base] = powers
    return powers[:count]


def _classify(characters: set[str]) -> None:
    """Enter the classes of characters into the table."""
    for character in characters:
        kind = KNOWN | LETTER * character.isalpha() | CAPITAL * character.isupper()
        for bit, match in _MATCH.items():
            kind |= bit * (match(character) is not None)
        _TABLE[ord(character)] = kind
