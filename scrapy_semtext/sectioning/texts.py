"""What the texts of lines say by themselves; each text is looked at once, however often it stands on the page.

Most lines are plain ASCII, whose characters `bytes.translate` counts by kind many times faster than patterns do.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.sectioning.numbering import KINDS, Numbering, has_bullet, numbering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: The end of a sentence, behind it perhaps a bracket, a quotation mark or a footnote.
SENTENCE_END = re.compile(r"[.!?。！？…]['\"“”‘’«»)\]】」]*(?:\[\d+\])?$")
_LEADS_ON = re.compile(r"[:：]\s*$")
_PUNCTUATION = re.compile(r"[^\w\s]")
_COMMAS = re.compile(r"[,;、，；،]")
_DIGITS = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"\w+")
_LOOK = 400

#: Words from which on a line that ends like a sentence counts as running text.
_PROSE_WORDS = 10


def _ascii(pattern: re.Pattern[str]) -> bytes:
    return bytes(code for code in range(128) if pattern.match(chr(code)))


_ASCII_PUNCTUATION, _ASCII_DIGITS = _ascii(_PUNCTUATION), _ascii(_DIGITS)
# ASCII to small letters, and to spaces where no word is.
_TO_WORDS = bytes(ord(chr(code).lower()) if code < 128 and _WORD.match(chr(code)) else 32 for code in range(256))
_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))
_LETTERS = _CAPITALS + _CAPITALS.lower()


class Texts:
    """The texts of a page's lines, in order; ``title`` is that of its <title>.

    ``which`` numbers the distinct text of each line. ``words``, ``ends`` (like a sentence), ``numbers`` (in front) and
    ``caps`` (no small letters) are of each line.
    """

    def __init__(self, texts: Sequence[str], title: str) -> None:
        places: dict[str, int] = {}
        self.which = [places.setdefault(text, len(places)) for text in texts]
        words = frozenset(_WORD.findall(title.lower()))
        encoded = frozenset(word.encode() for word in words)
        numbers = [numbering(text) for text in places]
        facts = [_facts(text, number.width, words, encoded) for text, number in zip(places, numbers, strict=True)]
        kinds = [(*_KIND_CODES[number.kind], number.depth) for number in numbers]
        self._facts = np.concatenate([np.array(facts, dtype=np.float64), np.array(kinds, dtype=np.float64)], axis=1)
        self.chars = list(map(len, texts))
        self.words: list[int] = [int(facts[place][1]) for place in self.which]
        self.ends: list[bool] = [bool(facts[place][2]) for place in self.which]
        self.caps: list[bool] = [bool(facts[place][_CAPS]) for place in self.which]
        self.numbers = [numbers[place] for place in self.which]
        self.prose = [ends and words >= _PROSE_WORDS for ends, words in zip(self.ends, self.words, strict=True)]

    @cached_property
    def log_chars(self) -> NDArray[np.float64]:
        """log(1 + characters) of each line, (lines,)."""
        return np.log1p(np.array(self.chars, dtype=np.float64))

    def repeats(self) -> NDArray[np.int64]:
        """How often the text of each line stands on the page, (lines,)."""
        return np.bincount(self.which)[self.which]

    def columns(self) -> NDArray[np.float64]:
        """The numbers of each line's text, (lines, 21): those from "log_chars" to "number_follows" of FEATURES."""
        table = self._facts
        table[:, _LOGS] = np.log1p(table[:, _LOGS])
        follows = np.array(_follows(self.numbers), dtype=np.float64)
        return np.concatenate([table[self.which], follows[:, None]], axis=1)


_KIND_CODES = {kind: tuple(kind == known for known in KINDS[1:]) for kind in KINDS}
# Columns of what `_facts` gives: those that are wanted as logarithms, and that of all_caps.
_LOGS, _CAPS = [0, 1, 4, 5], 8


def is_prose(text: str) -> bool:
    """Whether a line is running text by its shape alone: a sentence of some length."""
    return _ends(text) and _words(text) >= _PROSE_WORDS


def is_caps(text: str) -> bool:
    """Whether a text has capitals and no small letters."""
    return text[:_LOOK].isupper()


def _ends(text: str) -> bool:
    return not text[-1:].isalnum() and SENTENCE_END.search(text[-20:]) is not None


def _words(text: str) -> int:
    words = text.count(" ") + 1
    if words < _PROSE_WORDS and not text.isascii() and max(text) >= "\u3040":
        # scripts without spaces: two characters are about a word
        words = max(words, sum("\u3040" <= char <= "\u9fff" for char in text[:_LOOK]) // 2)
    return words


def _facts(whole: str, width: int, title: frozenset[str], encoded: frozenset[bytes]) -> tuple[float, ...]:
    """Numbers of a text; ``width`` is that of the number in front, ``title`` the words of the page's title.

    The columns are the first of FEATURES, without the logarithms.
    """
    text = whole[:_LOOK]
    count = _count_ascii(text, encoded) if text.isascii() else _count(text, title)
    punctuation, commas, digits, in_title = count
    core = (text[width:] if width else text).split() or text.split()
    closed = not whole[-1:].isalnum()
    return (
        len(whole),
        _words(whole),
        _ends(whole),
        closed and _LEADS_ON.search(whole[-5:]) is not None,
        punctuation,
        commas,
        bool(core) and core[0][:1].isupper(),
        _capitalised("".join([word[0] for word in core])),
        text.isupper(),
        digits / len(text),
        digits >= 4 and _YEAR.search(text) is not None,
        min(len(text) / (text.count(" ") + 1), 30.0),
        in_title,
        not text[0].isalnum() and has_bullet(text),
    )


def _count_ascii(text: str, title: frozenset[bytes]) -> tuple[int, int, int, float]:
    """The number of punctuation marks, commas and digits, and the share of words that the title has too."""
    data = text.encode("ascii")
    words = data.translate(_TO_WORDS).split()
    return (
        len(data) - len(data.translate(None, _ASCII_PUNCTUATION)),
        data.count(b",") + data.count(b";"),
        len(data) - len(data.translate(None, _ASCII_DIGITS)),
        sum(map(title.__contains__, words)) / (len(words) or 1),
    )


def _count(text: str, title: frozenset[str]) -> tuple[int, int, int, float]:
    """The same of any text."""
    words = _WORD.findall(text.lower())
    return (
        len(_PUNCTUATION.findall(text)),
        len(_COMMAS.findall(text)),
        len(_DIGITS.findall(text)),
        sum(map(title.__contains__, words)) / (len(words) or 1),
    )


def _capitalised(heads: str) -> float:
    """The share of capitals among the letters that words begin with."""
    if heads.isascii():
        data = heads.encode("ascii")
        letters = len(data) - len(data.translate(None, _LETTERS))
        return (len(data) - len(data.translate(None, _CAPITALS))) / (letters or 1)
    begins = list(filter(str.isalpha, heads))
    return sum(map(str.isupper, begins)) / (len(begins) or 1)


def _follows(numbers: Sequence[Numbering]) -> list[bool]:
    """For each line whether its number is the next one after that of an earlier line of its kind and depth."""
    last: dict[tuple[str, int], int] = {}
    found = []
    for number in numbers:
        if number.kind == "none":
            found.append(False)
            continue
        key = number.kind, number.depth
        found.append(number.value > 0 and last.get(key, 0) + 1 == number.value)
        last[key] = number.value
    return found
