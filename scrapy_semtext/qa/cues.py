"""Dates, post numbers and questions in short texts of a page."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from scrapy_semtext.text.word_tables import alternatives
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Alternatives, in many languages, of the first letters of month names; of units of time; and of days.
MONTHS, _UNITS, _DAYS = map(alternatives, ("months", "units", "days"))


# Non-ASCII signs that occur in texts of any language but in no word: quotes, dashes, bullets, arrows.
_SIGNS = re.compile(
    "[\xa0-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u200b-\u200f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2122"
    "\u2190-\u21ff\u25a0-\u25ff\u2600-\u2775\u2794-\u27bf\ufe0f]"
)


def plain(text: str) -> str:
    """Replace each non-ASCII sign that no pattern here uses by "|", which makes most texts pure ASCII."""
    return text if text.isascii() else _SIGNS.sub("|", text)


class AnyCase:
    """A pattern, written in lower case, that is matched case-insensitively.

    ASCII text, which is most of it, is converted to lower case first, which is several times as fast as a
    case-insensitive match. ``hints`` are lower-case strings, at least one of which is in every ASCII text that matches;
    testing for them first is faster still. The pattern must not match the signs that `plain` replaces, neither
    literally nor as white space, nor the sign that replaces them.
    """

    def __init__(self, pattern: str, hints: tuple[str, ...] = ("",)) -> None:
        self._hints = hints
        self._lower = re.compile(pattern, re.ASCII)
        self._any = re.compile(pattern, re.IGNORECASE)

    def is_in(self, text: str) -> bool:
        """Return whether the pattern occurs anywhere in a text."""
        text = plain(text)
        if not text.isascii():
            return self._any.search(text) is not None
        lower = text.lower()
        return any(hint in lower for hint in self._hints) and self._lower.search(lower) is not None

    def begins(self, text: str) -> bool:
        """Return whether a text begins with the pattern."""
        return self._matches(text, re.Pattern.match)

    def is_all_of(self, text: str) -> bool:
        """Return whether the pattern matches a whole text."""
        return self._matches(text, re.Pattern.fullmatch)

    def _matches(self, text: str, match: Callable[[re.Pattern[str], str], re.Match[str] | None]) -> bool:
        text = plain(text)
        return match(*((self._lower, text.lower()) if text.isascii() else (self._any, text))) is not None


def remembered_search(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Return a cached function that searches names or short texts, which often repeat, for a pattern."""
    return remembered(1 << 12)(lambda text: pattern.search(text) is not None)


_WORDED = rf"\b(?:{_DAYS})\b|(?:小时|天|分钟|个月|年)前"  # dates without a digit
_DATE = AnyCase(
    r"\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b|\b\d{1,2}:\d{2}\b|\d{4} ?年|\d{1,2} ?月"
    rf"|\b\d{{1,2}}\.? ?(?:de )?(?:{MONTHS})|\b(?:{MONTHS})\w*\.? \d{{1,2}}\b"
    rf"|\b\d+ ?(?:{_UNITS})\w{{0,4}}\b|{_WORDED}"
)
_DATE_IN_WORDS = AnyCase(_WORDED, tuple(day for day in _DAYS.split("|") if day.isascii()))
DIGIT = re.compile(r"\d")


def _ascii(words: str) -> str:
    return "|".join(word for word in words.split("|") if word.isascii())


# The same, for many lower-case ASCII texts joined into one: alternatives that begin with a digit (rare and found fast);
# a number that may follow a month, with what must precede it; words.
_FROM_DIGIT = re.compile(
    rf"\d(?<=\b\d)(?:\d{{0,3}}[./-]\d{{1,2}}[./-]\d{{1,4}}\b|\d?:\d{{2}}\b"
    rf"|\d?\.? ?(?:de )?(?:{_ascii(MONTHS)})|\d* ?(?:{_ascii(_UNITS)})\w{{0,4}}\b)",
    re.ASCII,
)
_BEHIND_MONTH = re.compile(r" \d{1,2}\b", re.ASCII)
_MONTH_BEFORE = re.compile(rf"\b(?:{_ascii(MONTHS)})\w*\.?$", re.ASCII)
_DAY = {day: re.compile(rf"{day}(?<=\b{day})\b", re.ASCII) for day in _ascii(_DAYS).split("|")}
#: The number of a post on its own: "#12".
POST_NUMBER = re.compile(r"#? ?\d{1,6}\.?")
#: The beginning of a reply's subject: "Re: ...".
SUBJECT = r"(?:re|aw|antw|sv|vs|ответ|回复)(?:\[\d+\])?\s*[:：]"
_SENTENCE_ENDS = ".!?…。！？"
QUESTION_MARK = re.compile(r"[?？؟]")


def sentence_ends(text: str) -> int:
    """Return how many sentence-ending signs a text has."""
    if text.isascii():
        return text.count(".") + text.count("!") + text.count("?")
    return sum(map(text.count, _SENTENCE_ENDS))


def has_date(text: str) -> bool:
    """Return whether a text has a date, a time of day or an age ("3 days ago") in one of the main forum languages."""
    return (_DATE if DIGIT.search(text) else _DATE_IN_WORDS).is_in(text)


def with_dates(texts: Sequence[str], longest: int) -> list[bool]:
    """Return for each text whether it has a date (see `has_date`) and is at most ``longest`` characters long."""
    dated = [False] * len(texts)
    lines = [text if len(text) <= longest else "" for text in texts]
    # no date contains a line break, so the dates in the joined text are those of the single texts
    joined = "\n".join(lines)
    if not joined.isascii():
        lines = [*map(plain, lines)]
        for place, line in enumerate(lines):
            if not line.isascii():
                dated[place], lines[place] = has_date(line), ""
        joined = "\n".join(lines)
    if found := [*_dates_in(joined.lower())]:
        ends = [*accumulate([len(line) + 1 for line in lines])]
        for at in found:
            dated[bisect_right(ends, at)] = True
    return dated


def _dates_in(text: str) -> Iterator[int]:
    """Yield positions where dates begin or end in a lower-case ASCII text, at least one per line with a date."""
    for found in _FROM_DIGIT.finditer(text):
        yield found.start()
    for found in _BEHIND_MONTH.finditer(text):
        at = found.start()
        if _MONTH_BEFORE.search(text, text.rfind("\n", 0, at) + 1, at):
            yield at
    for day, pattern in _DAY.items():
        if day in text:
            for found in pattern.finditer(text):
                yield found.start()
