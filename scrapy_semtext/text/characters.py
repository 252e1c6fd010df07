"""The characters of many texts, counted by kind all at once.

Numbers of characters, a table of what each is, and sums between two places take a page a few steps of numpy, where
patterns and methods of strings take several for each text.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

#: Kinds of characters, as bits; those of words are letters, digits and "_", as in patterns.
KNOWN, WORD, SPACE, BLANK, DIGIT, COMMA, LETTER, CAPITAL = (1 << bit for bit in range(8))
_PATTERNS = {WORD: r"\w", SPACE: r"\s", BLANK: " ", DIGIT: r"\d", COMMA: "[,;、，；،]"}
_MATCH = {kind: re.compile(pattern).match for kind, pattern in _PATTERNS.items()}
# What each character is, found out when it is first met; memory is taken for the parts that are.
_TABLE = np.zeros(sys.maxunicode + 1, dtype=np.uint8)
# The number of a character has so many bits.
_CODE = 21


class Characters:
    """The characters of texts of one line, at least one, each text with a newline behind it.

    ``codes`` and ``kinds``: uint32 and uint8, (characters,), their numbers and the bits of their kinds; ``starts``:
    int64, (texts,), where each text begins.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = joined = "\n".join(texts) + "\n"
        self.codes = codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self.kinds = _TABLE.take(codes)
        if not self.kinds.all():
            _find_out(set(joined))
            self.kinds = _TABLE.take(codes)
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1
        self.starts: Ints = lengths.cumsum() - lengths

    def begins(self) -> NDArray[np.bool_]:
        """Where a word begins: what is no white space, behind white space; (characters,)."""
        inside = self.kinds & SPACE == 0
        found: NDArray[np.bool_] = inside.copy()
        found[1:] &= ~inside[:-1]
        return found

    def share_of(self, words: frozenset[str]) -> NDArray[np.float64]:
        """Of the words of letters, digits and "_" in each text, the share that ``words`` holds too; (texts,)."""
        edges = np.flatnonzero(np.diff(self.kinds & WORD != 0, prepend=False))
        begins, ends = edges[::2], edges[1::2]
        text_of = self.starts.searchsorted(begins, side="right") - 1
        alike = (self._signature(begins, ends) == np.array([[_signature(word)] for word in words] or [[0]])).any(axis=0)
        hits = [at for at in np.flatnonzero(alike).tolist() if self.text[begins[at] : ends[at]] in words]
        counts, found = (np.bincount(each, minlength=len(self.starts)) for each in (text_of, text_of[hits]))
        share: NDArray[np.float64] = found / np.maximum(counts, 1)
        return share

    def _signature(self, begins: Ints, ends: Ints) -> Ints:
        """A number for each word, by which those of other first and last letters and lengths are told from it."""
        codes = self.codes.astype(np.int64)
        found: Ints = codes[begins] | codes[ends - 1] << _CODE | ends - begins << 2 * _CODE
        return found

    def sums(self, values: NDArray[np.generic]) -> Ints:
        """Sums of values of the characters, (characters,), over each text: (texts,)."""
        found: Ints = np.add.reduceat(values, self.starts, dtype=np.int64)
        return found


def _signature(word: str) -> int:
    return ord(word[0]) | ord(word[-1]) << _CODE | len(word) << 2 * _CODE


def _find_out(characters: set[str]) -> None:
    for character in characters:
        kind = KNOWN | LETTER * character.isalpha() | CAPITAL * character.isupper()
        for bit, match in _MATCH.items():
            kind |= bit * (match(character) is not None)
        _TABLE[ord(character)] = kind
