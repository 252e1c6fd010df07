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
#: A date, a time of day or an age ("3 days ago") in one of the languages that forums are mostly in.
DATE = re.compile(
    r"\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b|\b\d{1,2}:\d{2}\b|\d{4} ?年|\d{1,2} ?月"
    rf"|\b\d{{1,2}}\.? ?(?:de )?(?:{MONTHS})|\b(?:{MONTHS})\w*\.? \d{{1,2}}\b"
    rf"|\b\d+ ?(?:{_UNITS})\w{{0,4}}\b|(?:小时|天|分钟|个月|年)前"
    r"|\b(?:yesterday|today|gestern|heute|hier|вчера|сегодня|eilen|tänään)\b",
    re.IGNORECASE,
)
#: The words of ASCII letters that DATE takes for one by themselves: it finds nothing else in ASCII without digits.
SPELT_DATES = ("yesterday", "today", "gestern", "heute", "hier", "eilen")
#: The number of a post by itself: "#12".
POST_NUMBER = re.compile(r"#? ?\d{1,6}\.?")
_SENTENCE_ENDS = ".!?…。！？"
QUESTION_MARK = re.compile(r"[?？؟]")


def sentence_ends(text: str) -> int:
    """How many signs that end sentences a text has."""
    return sum(map(text.count, _SENTENCE_ENDS))
