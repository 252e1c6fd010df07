"""When a page was published and changed, as ISO 8601 with the text that says so."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom.element_text import lines_of, text_line
from scrapy_semtext.qa.dates import date_in
from scrapy_semtext.text.days import days_in, is_day, months_go_first
from scrapy_semtext.text.tokens import lower_tokens
from scrapy_semtext.text.word_tables import labels

if TYPE_CHECKING:
    from collections.abc import Iterator

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ]\s*((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
_CHANGED, _PUBLISHED, _UNRELATED = map(labels, ("changed", "published", "unrelated"))
_NAMED_CHANGED = re.compile(r"updated|modif", re.IGNORECASE)
_NAMED_PUBLISHED = re.compile(r"publi|pubdate|posted|entry-(?:date|time)", re.IGNORECASE)
_LONGEST, _LABEL, _BESIDE = 120, 40, 30
# How many lines above and below the title a date or a name may stand to be the page's, and how many days elsewhere.
_ABOVE, _BELOW, _MOST_DAYS = 4, 12, 3


class StatedDate(NamedTuple):
    """A date and time of ISO 8601, and the text that it was read from; None where unknown."""

    iso: str | None = None
    raw: str | None = None


NO_DATE = StatedDate()


class PageLines:
    """The lines of text of a page's body; ``begins`` are the numbers of those that its title or main text is."""

    def __init__(self, root: Any, title: str | None, main_text: str) -> None:
        body = root.find("body")
        self.lines = lines_of(root if body is None else body)
        squeezed = ["".join(lower_tokens(line)) if len(line) <= 2 * _LONGEST else line for line in self.lines]
        for begin in (title, main_text.partition("\n")[0]):
            wanted = "".join(lower_tokens(begin or ""))
            self.begins = [place for place, line in enumerate(squeezed) if line == wanted != ""]
            if self.begins:
                break

    def is_near(self, place: int) -> bool:
        """Whether a line is near one that begins the page's content."""
        return place >= 0 and any(-_ABOVE <= place - begin <= _BELOW for begin in self.begins)

    def before(self, place: int, start: int, begin: int = 0) -> str:
        """What labels the text at a place of a line: what stands before it, otherwise a short line above."""
        if label := self.lines[place][begin:start].strip(" ([|·•-–—"):
            return label
        above = self.lines[place - 1] if place > 0 and place - 1 not in self.begins else ""
        return above if len(above) <= _LABEL else ""


class _Shown(NamedTuple):
    """A day that a page shows: its line and place in it; what it says; how many other characters are in the line."""

    line: int
    start: int
    date: StatedDate
    is_change: bool
    is_labelled: bool
    is_marked: bool
    rest: int


def iso_of(text: str | None) -> str | None:
    """Return the date and time at the beginning of a text as ISO 8601 with seconds; None if there is none.

    A day alone is taken at 00:00:00. The time zone is left out if the text has none.
    """
    match = _ISO.match((text or "").strip())
    if not match or not is_day(match[1]):
        return None
    day, time, seconds, zone = match.groups()
    zone = (zone or "").upper()
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    return f"{day}T{time or '00:00'}{seconds or ':00'}{zone}"


def stated_date(text: str | None) -> StatedDate:
    """Return the date of a text that is one, or that has one which can be read in no other way."""
    iso = iso_of(text)
    if iso is None and text and len(text) <= _LONGEST:
        days = days_in(text)
        iso = f"{days[0].iso}T00:00:00" if days and days == days_in(text, month_first=True) else None
    return StatedDate(iso, text) if iso else NO_DATE


def shown_dates(
    root: Any, page: PageLines, language: str | None, known: str | None = None
) -> tuple[StatedDate, StatedDate]:
    """Return when a page was published and when it was changed, as far as its text and its elements <time> say so.

    Days near the title go first, of these one that a word says to be that of publication; elsewhere a day counts only
    if there are not many of its kind. Copyright lines and ages ("3 days ago") have no day. ``known`` is a day that the
    page states otherwise: it tells how to read 05/12/2023.
    """
    first = months_go_first([line for line in page.lines if len(line) <= _LONGEST], language, [known])
    shown = [*_marked(root, page), *_written(page, month_first=first)]
    shown.sort(key=lambda day: (day.line, day.start))
    changes = [day for day in shown if day.is_change]
    near_change = next((day.date for day in changes if page.is_near(day.line)), None)
    days = [day for day in shown if not day.is_change]
    near = [day for day in days if page.is_near(day.line)]
    found = next((day.date for day in near if day.is_labelled), near[0].date if near else None)
    if found is None and near_change is None:
        kinds = (
            [day for day in days if day.is_labelled],
            [day for day in days if day.is_marked],
            [day for day in days if day.rest <= _BESIDE],
        )
        few = (kind for kind in kinds if kind and len({(day.date.iso or "")[:10] for day in kind}) <= _MOST_DAYS)
        found = next((kind[0].date for kind in few), None)
    change = near_change or next((day.date for day in changes), None)
    return found or NO_DATE, change or NO_DATE


def _is_change(label: str) -> bool:
    return _CHANGED.search(label) is not None and _PUBLISHED.search(label) is None


def _marked(root: Any, page: PageLines) -> Iterator[_Shown]:
    """The days of elements <time>, which are looked for in the lines in page order."""
    text = "\n".join(page.lines)
    begins = [0, *accumulate(len(line) + 1 for line in page.lines)]
    at = 0
    for element in root.iter("time"):
        value = (element.get("datetime") or "").strip()
        if (iso := stated_date(value).iso) is None:
            continue
        shown, outer = text_line(element), element.getparent()
        place, start = -1, 0
        if shown and (found := text.find(shown, at)) >= 0:
            at = found + len(shown)
            place = bisect_right(begins, found) - 1
            start = found - begins[place]
        before = page.before(place, start) if place >= 0 else ("" if outer is None else outer.text or "")[-_LABEL:]
        names = " ".join(filter(None, (element.get("class"), element.get("itemprop"), element.get("pubdate"))))
        names += f" {outer.get('class') or ''}" if outer is not None else ""
        is_named = _NAMED_PUBLISHED.search(names) is not None
        is_change = not is_named and _NAMED_CHANGED.search(names) is not None
        yield _Shown(
            place,
            start,
            StatedDate(iso, shown or value),
            is_change or _is_change(before),
            is_named or _PUBLISHED.search(before) is not None,
            is_marked=True,
            rest=len(page.lines[place]) - len(shown) if place >= 0 else 0,
        )


def _written(page: PageLines, *, month_first: bool) -> Iterator[_Shown]:
    """The days of short lines, but for those of a copyright or a membership."""
    for place, line in enumerate(page.lines):
        if len(line) > _LONGEST:
            continue
        days = days_in(line, month_first=month_first)
        end = 0
        for day in days:
            before, end = page.before(place, day.start, end), day.start + len(day.raw)
            if _UNRELATED.search(before):
                continue
            behind = line[end:] if day is days[-1] else ""
            longer = date_in(line[day.start :]) or ""
            raw = longer if longer.startswith(day.raw) else day.raw
            yield _Shown(
                place,
                day.start,
                StatedDate(f"{day.iso}T00:00:00", raw),
                _is_change(before) or _is_change(behind),
                _PUBLISHED.search(before) is not None,
                is_marked=False,
                rest=len(line) - len(raw),
            )
