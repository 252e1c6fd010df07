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


class Characters:
    """The characters of texts of one line, at least one, each text with a newline behind it.

    ``kinds``: uint8, (characters,), bits of the kinds; ``starts``: int64, (texts,), where each text begins.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "\n".join(texts) + "\n"
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
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

    def sums(self, values: NDArray[np.generic]) -> Ints:
        """Sums of values of the characters, (characters,), over each text: (texts,)."""
        found: Ints = np.add.reduceat(values, self.starts, dtype=np.int64)
        return found


def _find_out(characters: set[str]) -> None:
    for character in characters:
        kind = KNOWN | LETTER * character.isalpha() | CAPITAL * character.isupper()
        for bit, match in _MATCH.items():
            kind |= bit * (match(character) is not None)
        _TABLE[ord(character)] = kind
