"""Numbers in front of lines: "1.", "2.3.1 Scope", "(a)", "IV.", "Article 5", "§ 3", "第三章"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.text.characters import SPACE
from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.text.characters import Characters
    from scrapy_semtext.utils.arrays import Bools

# Words that name a part of a document in front of its number, in the languages that are most written on the web.
_PART_WORDS = WORDS["parts"]

_LABELLED = re.compile(
    rf"(?:(?:{'|'.join(sorted(set(_PART_WORDS), key=len, reverse=True))})\s*\.?\s*|§+\s*)"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|[ivxlc]{1,7}|[a-z])\b[.):–—-]*\s*",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"第\s*(?P<number>[一二三四五六七八九十百〇零\d]{1,5})\s*[章节節条條部编編篇]\s*|[一二三四五六七八九十]{1,3}[、.．]\s*"
)
_DECIMAL = re.compile(r"\(?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?:[.):]\)?\s*[-–—]?\s*|\s*[-–—]\s+|\s+)(?=\S|$)")
_ROMAN = re.compile(r"\(?(?P<number>[IVXLC]{1,7}|[ivxlc]{1,7})[.)]\s*")
_LETTER = re.compile(r"\(?(?P<number>[A-Za-z])[.)]\s*")
_BULLETS = np.array([*map(ord, "•·●○■□▪▫◆◇►▸➢➤✓✔✪★☆*–—-")], dtype=np.uint32)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

#: Kinds of numbering, in the order of their codes.
KINDS = ("none", "decimal", "letter", "roman", "labelled", "chinese")


class Numbering(NamedTuple):
    """The number in front of a line.

    ``kind`` is one of KINDS, ``depth`` its number of parts ("2.3.1" has 3), ``value`` its last part as a number (0 if
    unknown), ``width`` its length in characters.
    """

    kind: str = "none"
    depth: int = 0
    value: int = 0
    width: int = 0


_NONE = Numbering()
# The patterns by kind, in the order in which they are tried, and those that can match behind a digit or bracket, and
# behind any other character of ASCII.
_ALL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("labelled", _LABELLED),
    ("chinese", _CHINESE),
    ("decimal", _DECIMAL),
    ("roman", _ROMAN),
    ("letter", _LETTER),
)
_BEHIND_DIGIT, _BEHIND_ASCII = _ALL[2:], (_ALL[0], *_ALL[3:])
# How much of a line is searched for its number.
_HEAD = 60

# That most lines have no number shows in their first characters: as many as the shortest part word has, or the longest
# Roman number with the sign behind it; or in the very first, if it is not of ASCII.
_WORD_START, _NUMERAL = min(map(len, _PART_WORDS)), 8
_ASCII = 128
_PACKED_WORD_STARTS = np.unique(
    [int.from_bytes(word[:_WORD_START].encode(), "big") for word in _PART_WORDS if word[:_WORD_START].isascii()]
)
_FIRST_LETTERS = "".join(sorted({word[0] for word in _PART_WORDS}))
_OTHER_START = re.compile(rf"[{_FIRST_LETTERS}§第一二三四五六七八九十\d]", re.IGNORECASE)


def numbering(text: str) -> Numbering:
    """Return how a line is numbered; a year or a quantity in front of a sentence is a number like any other."""
    head, first = text[:_HEAD], text[:1]
    if first.isascii() and (first.isdigit() or first == "("):
        patterns = _BEHIND_DIGIT
    else:
        patterns = _BEHIND_ASCII if first.isascii() else _ALL
    for kind, pattern in patterns:
        if match := pattern.match(head):
            if kind == "chinese":
                return Numbering(kind, 1, 0, match.end())
            parts = match["number"].split(".")
            return Numbering(kind, len(parts), _value(parts[-1]), match.end())
    return _NONE


def numberings(texts: Sequence[str], characters: Characters) -> dict[int, Numbering]:
    """Return the numbers of those of many lines that have one, by the places of these lines.

    ``characters`` are those of ``texts`` or of their beginnings.
    """
    places = np.flatnonzero(_may_be_numbered(texts, characters)).tolist()
    return {place: number for place in places if (number := numbering(texts[place])).width}


def _may_be_numbered(texts: Sequence[str], characters: Characters) -> Bools:
    """Whether the first characters of each line allow for a number; (lines,)."""
    window = characters.starts[:, None] + np.arange(_NUMERAL)  # may reach into the next line, behind a newline
    codes = characters.codes.take(window, mode="clip")
    lower = codes | 32  # for letters
    is_letter = (lower >= ord("a")) & (lower <= ord("z"))
    first = codes[:, 0]
    begins_word = is_letter[:, 0]
    letters = is_letter.argmin(axis=1)  # 0 if all are letters
    behind = codes[np.arange(len(codes)), letters]
    is_numeral = begins_word & ((behind == ord(".")) | (behind == ord(")")))
    packed = lower[:, :_WORD_START].astype(np.int64) @ (256 ** np.arange(_WORD_START)[::-1])
    nearest = _PACKED_WORD_STARTS.take(_PACKED_WORD_STARTS.searchsorted(packed), mode="clip")
    may_be_word = begins_word & ((codes[:, :_WORD_START] >= _ASCII).any(axis=1) | (nearest == packed))
    is_digit = (first >= ord("0")) & (first <= ord("9"))
    found: Bools = is_numeral | may_be_word | is_digit | (first == ord("("))
    for place in np.flatnonzero(first >= _ASCII).tolist():
        found[place] = _OTHER_START.match(texts[place]) is not None
    return found


def bulleted(characters: Characters) -> Bools:
    """Whether each line begins with a sign that marks an item of a list, and white space; (lines,)."""
    has_space = characters.kinds.take(characters.starts + 1, mode="clip") & SPACE != 0
    found: Bools = np.isin(characters.codes.take(characters.starts), _BULLETS)
    found &= has_space & (characters.lengths > 1)
    return found


def _value(part: str) -> int:
    if part.isdigit():
        return int(part)
    values = [_ROMAN_VALUES.get(letter, 0) for letter in part.lower()]
    if (all(values) and len(part) > 1) or part.lower() in "ivx":
        return sum(-value if behind > value else value for value, behind in zip(values, [*values[1:], 0], strict=True))
    return ord(part.lower()) - ord("a") + 1 if len(part) == 1 and part.isascii() else 0
