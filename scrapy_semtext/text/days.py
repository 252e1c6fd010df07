"""Days in texts of many languages: "May 12th, 2023", "12 мая 2023 г.", "2023年5月12日", "12/05/2023".

Names of months are in the table ``tables/months.txt``. dateparser knows them too, but only parses texts that consist of
a date ("Pubblicato il 1º febbraio 2023" fails), and takes ten milliseconds for one.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.text.word_tables import MONTHS

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIRST = date(1990, 1, 1)
_BUDDHIST, _THAI = 543, 2400  # years from our calendar to the Thai one, and the first year that is taken for Thai
_YEAR, _DAY, _MONTH = r"(?<!\d)(?P<year>\d{4})(?!\d)", r"(?<![\d.:])(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_WORD = r"(?P<word>[^\W\d_][^\s\d.,/()|·:;_-]{1,14})"
_TH = r"(?:st|nd|rd|th|er|ère|[a-z]?[ºª°]|η|-?(?:го|е))?"
_OF = r"(?:de |of |di |d['’] ?|del |da |ב|พ\.ศ\. ?)?"
_GAP = r"\.? ?[/-]? ?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}(?: ?年 ?| ?년 ?){_MONTH}(?: ?月 ?| ?월 ?)(?P<day>\d{{1,2}})(?: ?[日일号])?",
        rf"(?<![\d.]){_YEAR}(?P<between> ?[-./] ?){_MONTH}(?P=between)(?P<day>\d{{1,2}})(?!\d)",
        rf"{_DAY}{_TH}{_GAP}{_OF}{_WORD}[.,]{{0,2}} ?[/-]? ?{_OF}{_YEAR}",
        rf"{_WORD}{_GAP}(?P<day>\d{{1,2}}){_TH}(?:, ?| de |[ /-]){_YEAR}",
        rf"{_YEAR}[.,]?[ /-](?:m\. |gada )?{_WORD}{_GAP}(?P<day>\d{{1,2}})(?!\d)",
        rf"{_DAY} tháng {_MONTH},?(?: năm)? {_YEAR}",
    )
)
_NUMBERS = re.compile(  # two-digit years: only in short texts, or after a two-digit day and month
    r"(?<![a-zA-Z\d.])(?P<first>\d{1,2})(?P<between> ?[-./] ?)(?P<second>\d{1,2})(?P=between)"
    r"(?P<year>\d{4}|\d\d)(?!\d|\.\d)"
)
_IN_ADDRESS = re.compile(r"(?<![\d-])(20[0-3]\d)([/_-]?)(0?[1-9]|1[0-2])(?:\2|(?=\d\d))([0-3]?\d)(?!\d)")
_SHORT = 40
_CLOCK_OF_TWELVE = re.compile(r"\d [ap]\.?m\b", re.IGNORECASE)
_MAY_HAVE_DAY = re.compile(r"\d{4}|\d ?[-./] ?\d\d? ?[-./] ?\d\d")  # a much faster test


class Day(NamedTuple):
    """A day in a text: as YYYY-MM-DD, as written, and where it begins in the text."""

    iso: str
    raw: str
    start: int


#: The days of a text if 05/12/2023 is in December, and if it is in May.
Readings = tuple[tuple[Day, ...], tuple[Day, ...]]


def days_in(text: str, *, month_first: bool = False) -> tuple[Day, ...]:
    """Return the days from 1990 to today in a text, in order; years on their own are ignored."""
    return readings_of(text)[month_first]


def readings_of(text: str) -> Readings:
    """Return both readings of a text's days, which are equal if no day is ambiguous."""
    return _readings(text) if _MAY_HAVE_DAY.search(text) else ((), ())


def months_go_first(texts: Iterable[tuple[str, Readings]], language: str | None, known: str | None) -> bool | None:
    """Return whether a page with these texts, in both readings, writes 05/12/2023 for May 12; None if unknown.

    This is decided by a number above twelve, or by another date of the page, in words or ``known``, that equals one of
    the readings; otherwise by the language: English without a country or of the United States.
    """
    days, swapped, certain, clock = set(), set(), {known}, False
    for text, readings in texts:
        if match := _NUMBERS.search(text):
            first, second = int(match["first"]), int(match["second"])
            if (first > 12) != (second > 12):
                return second > 12
            clock |= _CLOCK_OF_TWELVE.search(text) is not None
        first_days, second_days = ({day.iso for day in reading} for reading in readings)
        certain |= first_days & second_days
        days |= first_days - second_days
        swapped |= second_days - first_days
    if bool(certain & days) != bool(certain & swapped):
        return bool(certain & swapped)
    return language.lower() in ("en", "en-us") if language else clock or None


def day_of_address(path: str) -> str | None:
    """Return the day in the path of a URL, such as /2023/05/12/, /2023/0512/ or /2023/may/12/."""
    stated = (_iso(year, int(month), day) for year, _, month, day in _IN_ADDRESS.findall(path))
    named = (day.iso for day in days_in(path) if any(map(str.isalpha, day.raw)))
    return next(filter(None, (*stated, *named)), None)


def is_day(iso: str) -> bool:
    """Return whether YYYY-MM-DD is a valid day; the year 1 is not, because systems use it for unset dates."""
    try:
        return date.fromisoformat(iso).year > 1
    except ValueError:  # such as 31 February
        return False


def _readings(text: str) -> Readings:
    found = {
        Day(iso, match[0], match.start())
        for pattern in _PATTERNS
        for match in pattern.finditer(text)
        if (iso := _iso(match["year"], _month(match.groupdict()), match["day"]))
    }
    taken = {place for day in found for place in range(day.start, day.start + len(day.raw))}
    orders: tuple[set[Day], set[Day]] = (set(found), set(found))
    for match in _NUMBERS.finditer(text):
        is_padded = len(match["first"]) == len(match["second"]) == len(match["year"])
        if match.start() in taken or (len(match["year"]) < 4 and len(text) > _SHORT and not is_padded):
            continue
        day, month = int(match["first"]), int(match["second"])
        for days, is_swapped in zip(orders, (month > 12, day <= 12), strict=True):
            pair = (day, month) if is_swapped else (month, day)
            if iso := _iso(f"{20 if len(match['year']) == 2 else ''}{match['year']}", *pair):
                days.add(Day(iso, match[0], match.start()))
    first, second = (tuple(sorted(days, key=lambda day: day.start)) for days in orders)
    return first, second


def _month(parts: dict[str, str | None]) -> int:
    word = (parts.get("word") or "").lower().replace("i\u0307", "i")  # a capital I with a dot in Turkish
    return MONTHS.get(word, 0) if word else int(parts["month"] or 0)


def _iso(year: str, month: int, day: str | int) -> str | None:
    number = int(year)
    try:
        found = date(number - _BUDDHIST if number > _THAI else number, month, int(day))
    except ValueError:
        return None
    return found.isoformat() if _FIRST <= found <= date.today() + timedelta(days=1) else None
