"""Characters of texts: normalized texts, the code points of a batch of lines with their classes, and tokens.

Tokens are runs of letters, digits and underscores; they are the words of the word F1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import unescape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.utils.arrays import Bools, Floats, Hashes, Ints

_SIGNS_OF_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_SURROGATE = re.compile("[\ud800-\udfff]")

#: Character classes, as bits; WORD is `\w` of regular expressions (letters, digits and "_").
KNOWN, WORD, SPACE, BLANK, DIGIT, COMMA, LETTER, CAPITAL = (1 << bit for bit in range(8))
_PATTERNS = {WORD: r"\w", SPACE: r"\s", BLANK: " ", DIGIT: r"\d", COMMA: "[,;、，；،]"}
_MATCH = {kind: re.compile(pattern).match for kind, pattern in _PATTERNS.items()}
# The classes of each code point, filled in on first use; the system assigns memory only to the parts in use.
_TABLE = np.zeros(sys.maxunicode + 1, dtype=np.uint8)
# The offset from each code point to its lower-case form, 0 if that is not a single character.
_TO_LOWER = np.zeros(sys.maxunicode + 1, dtype=np.int32)
_FINAL_SIGMA, _SIGMA = "\u03c2", "\u03c3"
# Powers modulo 2**64 by position, the coefficients of the polynomial hash of words up to this length.
_MAX_WORD_CHARS = 1024
_POWERS = np.full(_MAX_WORD_CHARS, 0x9E3779B97F4A7C15, dtype=np.uint64).cumprod()

_TOKEN = re.compile(r"\w+")
# Most English text is ASCII except for the quotation marks and dashes of Windows-1252. Such text is encoded, bytes that
# are in no token are translated to spaces, and the result is split, in half the time of the pattern. All letters of the
# code page have their lower-case forms on it.
LATIN = "cp1252"
_CHARACTERS = bytes(range(256)).decode(LATIN, "replace")
_LOWER = "".join(each.lower() if _TOKEN.match(each) else " " for each in _CHARACTERS).encode(LATIN)


def one_line(text: str | None) -> str:
    """Return a text with each run of white space replaced by a space, and stripped; "" for None."""
    return " ".join(text.split()) if text else ""


def without_entities(text: str) -> str:
    """Return a text with the characters of its HTML entities, which may be escaped twice.

    Entities without a semicolon stay: "&copy=1" is a part of a URL.
    """
    for _ in range(2 * ("&" in text)):
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    return text


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    if text.isascii():  # much faster
        return text.lower().encode("ascii").translate(None, _SIGNS_OF_ASCII).decode("ascii")
    return "".join(filter(str.isalnum, text.casefold()))


def without_surrogates(value: Any) -> Any:
    """Return a JSON value with U+FFFD in place of lone surrogates, which its escapes may contain.

    Lone surrogates cannot be encoded in UTF-8. Raises RecursionError for hundreds of levels.
    """
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(each) for key, each in value.items()}
    return value


class Characters:
    """The code points of one or more lines, each ended by a newline.

    ``text``: the lines in one string; ``codes``: uint32, (characters,); ``kinds``: uint8, (characters,), the bits of
    their classes; ``starts``, ``lengths``: int64, (lines,), where each line begins, and its length without the newline.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Lines may be empty; a newline inside a line counts as white space."""
        self.text = text = "\n".join(lines) + "\n"
        self.codes = codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self.kinds = _TABLE.take(codes)
        if not self.kinds.all():
            _classify(np.unique(codes[self.kinds == 0]).tolist())
            self.kinds = _TABLE.take(codes)
        self.lengths: Ints = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
        self.starts: Ints = (self.lengths + 1).cumsum() - self.lengths - 1

    def word_starts(self) -> Bools:
        """Whether each character begins a word: it is not white space and follows white space; (characters,)."""
        inside = self.kinds & SPACE == 0
        starts: Bools = inside.copy()
        starts[1:] &= ~inside[:-1]
        return starts

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        r"""Where the words (`\w+`) begin and end, (words,) each."""
        is_word = self.kinds & WORD != 0
        edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1  # the last character is a newline
        if is_word[0]:
            edges = np.append(0, edges)
        return edges[::2], edges[1::2]

    def word_counts(self) -> Floats:
        r"""Return how many words (`\w+`) each line has, (lines,)."""
        begins, _ = self.words
        counts = np.diff(begins.searchsorted(self.starts), append=len(begins))
        return counts.astype(np.float64)

    def line_numbers(self, indexes: Ints) -> Ints:
        """Return the line of each character, given by index, (indexes,)."""
        lines: Ints = self.starts.searchsorted(indexes, side="right") - 1
        return lines

    def word_keys(self, begins: Ints, ends: Ints) -> Ints:
        """Return a number below 2**16 for each word, from its length, first and last letter in lower case; (words,)."""
        first, last = (self._lower(index) for index in (begins, ends - 1))
        return (first * 131 + last * 8191 + (ends - begins) * 31) & 0xFFFF

    def word_hashes(self, begins: Ints, ends: Ints) -> Hashes:
        """Return a 64-bit hash of each word in lower case, (words,); for a moderate number of words."""
        lengths = np.minimum(ends - begins, _MAX_WORD_CHARS)
        firsts = lengths.cumsum() - lengths
        index = np.arange(lengths.sum()) - firsts.repeat(lengths)
        codes = self._lower(begins.repeat(lengths) + index).astype(np.uint64)
        hashes: Hashes = np.add.reduceat(codes * _POWERS.take(index), firsts) if len(begins) else codes
        return hashes

    def _lower(self, indexes: Ints) -> Ints:
        """Return the code points of characters in lower case; (indexes,)."""
        codes = self.codes.take(indexes)
        lower: Ints = codes + _TO_LOWER.take(codes).astype(np.int64)
        return lower

    def sums(self, values: NDArray[np.generic]) -> Ints:
        """Sum values of the characters, (characters,), over each line with its newline: (lines,)."""
        sums: Ints = np.add.reduceat(values, self.starts, dtype=np.int64)
        return sums


def _classify(codes: Iterable[int]) -> None:
    """Add the classes of these code points to the table."""
    for code in codes:
        character = chr(code)
        kind = KNOWN | LETTER * character.isalpha() | CAPITAL * character.isupper()
        for bit, match in _MATCH.items():
            kind |= bit * (match(character) is not None)
        _TABLE[code] = kind
        lower = _SIGMA if character == _FINAL_SIGMA else character.lower()
        _TO_LOWER[code] = ord(lower) - code if len(lower) == 1 else 0


def in_latin(text: str) -> bytes | None:
    """Return a text encoded as `LATIN`, or None if it has characters outside that code page."""
    if text.isascii():
        return text.encode("ascii")
    if text[0] not in _CHARACTERS:  # rules out most text in other scripts
        return None
    latin = text.encode(LATIN, "replace")  # faster than an exception
    return latin if latin.count(b"?") == text.count("?") else None


def lower_tokens(text: str) -> list[str]:
    """Return the tokens of a text in lower case, in order."""
    latin = in_latin(text)
    if latin is None:
        return _TOKEN.findall(text.lower())
    return latin.translate(_LOWER).decode("ascii" if text.isascii() else LATIN).split()


def word_counts(texts: Sequence[str]) -> Floats:
    """Return how many tokens each text has; (texts,)."""
    return Characters(texts).word_counts()
