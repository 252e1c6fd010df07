"""What short texts of a page say: dates, post numbers, questions."""

from __future__ import annotations

import re

#: Beginnings of the names of months, one or another of many languages.
MONTHS = (
    "jan|feb|mar|mär|maa|apr|mai|may|jun|jul|aug|sep|oct|okt|nov|dec|dez|янв|фев|мар|апр|май|мая|июн|июл|авг|сен|окт"
    "|ноя|дек|tammi|helmi|maalis|huhti|touko|kesä|heinä|elok|syys|loka|marras|joulu|janv|fév|avr|juin|juil|août|déc"
)
_UNITS = (
    "sec|min|hour|day|week|month|year|std|stunde|tag|woche|monat|jahr|heure|jour|semaine|mois|ans|час|дн|дня|недел"
    "|мес|год|лет|tunti|päiv|viik|kuuka|vuo|h|d|w|mo|y|yr|hr"
)
_DAYS = "yesterday|today|gestern|heute|hier|вчера|сегодня|eilen|tänään"


class AnyCase:
    """A pattern, written in lower case, that is looked for without regard to case.

    Text in ASCII, as most is, is put into lower case for that, which is several times as fast as comparing letters of
    either case.
    """

    def __init__(self, pattern: str) -> None:
        self._lower = re.compile(pattern, re.ASCII)
        self._any = re.compile(pattern, re.IGNORECASE)

    def is_in(self, text: str) -> bool:
        """Whether the pattern is found anywhere in a text."""
        found = self._lower.search(text.lower()) if text.isascii() else self._any.search(text)
        return found is not None

    def begins(self, text: str) -> bool:
        """Whether a text begins with the pattern."""
        found = self._lower.match(text.lower()) if text.isascii() else self._any.match(text)
        return found is not None

    def is_all_of(self, text: str) -> bool:
        """Whether the pattern is all of a text."""
        found = self._lower.fullmatch(text.lower()) if text.isascii() else self._any.fullmatch(text)
        return found is not None


_WORDED = rf"\b(?:{_DAYS})\b|(?:小时|天|分钟|个月|年)前"  # dates without a digit
_DATE = AnyCase(
    r"\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b|\b\d{1,2}:\d{2}\b|\d{4} ?年|\d{1,2} ?月"
    rf"|\b\d{{1,2}}\.? ?(?:de )?(?:{MONTHS})|\b(?:{MONTHS})\w*\.? \d{{1,2}}\b"
    rf"|\b\d+ ?(?:{_UNITS})\w{{0,4}}\b|{_WORDED}"
)
_DATE_IN_WORDS = AnyCase(_WORDED)
_DIGIT = re.compile(r"\d")
#: The number of a post by itself: "#12".
POST_NUMBER = re.compile(r"#? ?\d{1,6}\.?")
_SENTENCE_ENDS = ".!?…。！？"
QUESTION_MARK = re.compile(r"[?？؟]")


def sentence_ends(text: str) -> int:
    """How many signs that end sentences a text has."""
    if text.isascii():
        return text.count(".") + text.count("!") + text.count("?")
    return sum(map(text.count, _SENTENCE_ENDS))


def has_date(text: str) -> bool:
    """Whether a text has a date, a time of day or an age ("3 days ago") in one of the languages of most forums."""
    return (_DATE if _DIGIT.search(text) else _DATE_IN_WORDS).is_in(text)
