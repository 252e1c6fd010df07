"""Numbers in front of lines: "1.", "2.3.1 Scope", "(a)", "IV.", "Article 5", "§ 3", "第三章"."""

from __future__ import annotations

import re
from typing import NamedTuple

# Words that name a part of a document in front of its number, in the languages that are most written on the web.
_PART_WORDS = """
    article section chapter part clause paragraph appendix annex schedule exhibit step rule lesson question
    artikel abschnitt kapitel teil absatz paragraf anhang anlage schritt
    chapitre partie titre annexe étape artículo articulo capítulo capitulo sección seccion parte anexo título paso
    articolo capitolo sezione allegato artigo seção secção anexo hoofdstuk deel bijlage stap
    глава статья раздел часть приложение пункт rozdział artykuł część paragraf kapitola článek kapittel
""".split()

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
_BULLET = re.compile(r"[•·●○■□▪▫◆◇►▸➢➤✓✔✪★☆*–—-]\s+")
# What numbers of letters look like, and more.
_LETTERS = re.compile(r"[A-Za-z]{1,7}[.)]")
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
# By kind, in the order in which they are tried; of these those for texts that begin with a digit or a bracket, and
# those for texts that begin with a letter of ASCII: the others do not match there.
_ALL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("labelled", _LABELLED),
    ("chinese", _CHINESE),
    ("decimal", _DECIMAL),
    ("roman", _ROMAN),
    ("letter", _LETTER),
)
_OF_SIGNS, _OF_WORDS = _ALL[2:], (_ALL[0], *_ALL[3:])
_BEGIN = min(map(len, _PART_WORDS))
#: The first letters of the part words, as many as the shortest has.
BEGINNINGS = frozenset(word[:_BEGIN] for word in _PART_WORDS)


def numbering(text: str) -> Numbering:
    """Return how a line is numbered; a year or a quantity in front of a sentence is a number like any other."""
    return _NONE if _is_plain(text) else numbering_of_odd(text)


def numbering_of_odd(text: str) -> Numbering:
    """What `numbering` says of a text that is not plain."""
    head, first = text[:60], text[:1]
    if first.isascii() and (first.isdigit() or first == "("):  # no word, in no language
        patterns = _OF_SIGNS
    else:
        patterns = _OF_WORDS if first.isascii() else _ALL
    for kind, pattern in patterns:
        if match := pattern.match(head):
            return Numbering("chinese", 1, 0, match.end()) if kind == "chinese" else _numbering(kind, match)
    return _NONE


def _is_plain(text: str) -> bool:
    """Whether a text begins with a word or sign that none of the patterns can match, as most do: told without them."""
    first, start = text[:1], text[:_BEGIN]
    if not first.isascii() or not first.isalpha():
        return first.isascii() and not first.isdigit() and first != "("
    return start.isascii() and start.lower() not in BEGINNINGS and not _LETTERS.match(text)


def has_bullet(text: str) -> bool:
    """Whether a line begins with a sign that marks an item of a list."""
    return _BULLET.match(text[:5]) is not None


def _numbering(kind: str, match: re.Match[str]) -> Numbering:
    number = match["number"]
    parts = number.split(".")
    return Numbering(kind, len(parts), _value(parts[-1]), match.end())


def _value(part: str) -> int:
    if part.isdigit():
        return int(part)
    values = [_ROMAN_VALUES.get(letter, 0) for letter in part.lower()]
    if (all(values) and len(part) > 1) or part.lower() in "ivx":
        return sum(-value if behind > value else value for value, behind in zip(values, [*values[1:], 0], strict=True))
    return ord(part.lower()) - ord("a") + 1 if len(part) == 1 and part.isascii() else 0
