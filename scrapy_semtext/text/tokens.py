"""Tokens of texts: runs of letters, digits and underscores, which are the words of the word F1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.text.characters import WORD, Characters

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_TOKEN = re.compile(r"\w+")
# Most English text is ASCII but for the quotation marks and dashes of Windows-1252. Such text is encoded, bytes that no
# token has are translated to spaces, and the rest is split, which takes half the time of the pattern. All letters of
# the code page have their lower-case letters on it.
LATIN = "cp1252"
_CHARACTERS = bytes(range(256)).decode(LATIN, "replace")
_LOWER = "".join(each.lower() if _TOKEN.match(each) else " " for each in _CHARACTERS).encode(LATIN)


def in_latin(text: str) -> bytes | None:
    """Return a text encoded as `LATIN`, or None if it has characters that are not on that code page."""
    if text.isascii():
        return text.encode("ascii")
    if text[0] not in _CHARACTERS:  # most text in other scripts: no need to try
        return None
    latin = text.encode(LATIN, "replace")  # faster than an exception
    return latin if latin.count(b"?") == text.count("?") else None


def lower_tokens(text: str) -> list[str]:
    """Return the tokens of a text in lower case, in order."""
    latin = in_latin(text)
    if latin is None:
        return _TOKEN.findall(text.lower())
    return latin.translate(_LOWER).decode("ascii" if text.isascii() else LATIN).split()


def word_counts(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return how many tokens each text has; (texts,)."""
    if not texts:
        return np.zeros(0)
    characters = Characters(texts)
    begins = characters.kinds & WORD != 0
    begins[1:] &= ~begins[:-1]
    return characters.sums(begins).astype(np.float64)


class TokenTable(NamedTuple):
    """The tokens of many texts in one table, so that counting them takes no loop over texts.

    ``characters``: those of the texts; ``begin``, ``end``: int64, (tokens,), where each token stands in
    ``characters.text``; ``text``: int64, (tokens,), the number of the text that each is in.
    """

    characters: Characters
    begin: Ints
    end: Ints
    text: Ints

    @classmethod
    def of(cls, texts: Sequence[str], shortest: int = 1) -> TokenTable:
        """Return the tokens of at least ``shortest`` characters; there has to be a text."""
        characters = Characters(texts)
        edges = np.flatnonzero(np.diff(characters.kinds & WORD != 0, prepend=False))
        begin, end = edges[::2], edges[1::2]
        if shortest > 1:
            long = end - begin >= shortest
            begin, end = begin[long], end[long]
        return cls(characters, begin, end, characters.starts.searchsorted(begin, side="right") - 1)

    def counts(self) -> Ints:
        """Return how many tokens each text has; (texts,)."""
        counts: Ints = np.bincount(self.text, minlength=len(self.characters.starts))
        return counts

    def matches(self, tokens: Collection[str]) -> list[tuple[int, str]]:
        """Return those of the tokens in the table that are among ``tokens``, each with the number of its text."""
        codes, width = self.characters.codes, self.end - self.begin
        keys = _keys(codes[self.begin], codes[self.end - 1], width)
        # most others differ in length, first or last character
        alike = (keys == np.array([[_key(token)] for token in tokens] or [[0]])).any(axis=0).nonzero()[0]
        spans = zip(*(column[alike].tolist() for column in (self.text, self.begin, self.end)), strict=True)
        text = self.characters.text
        return [(number, token) for number, begin, end in spans if (token := text[begin:end]) in tokens]


def _keys(first: NDArray[np.uint32], last: NDArray[np.uint32], width: Ints) -> Ints:
    keys: Ints = first.astype(np.int64) | last.astype(np.int64) << 21 | width << 42
    return keys


def _key(token: str) -> int:
    return ord(token[0]) | ord(token[-1]) << 21 | len(token) << 42
