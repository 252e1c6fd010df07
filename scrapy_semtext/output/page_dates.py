"""The dates of a page's publication and change, as ISO 8601 with the text that states them."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom.element_text import lines_of, text_line
from scrapy_semtext.qa.dates import date_in
from scrapy_semtext.text.days import Day, days_in, is_day, months_go_first, readings_of
from scrapy_semtext.text.folding import letters_of
from scrapy_semtext.text.word_tables import alternatives, labels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ]\s*((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
#: Names of elements, properties and <meta> for dates of something that a page is about, not of the page.
OF_OCCASION = re.compile(alternatives("occasion"), re.IGNORECASE)
_CHANGED, _PUBLISHED, _UNRELATED = map(labels, ("changed", "published", "unrelated"))
_NAMED_CHANGED = re.compile(r"updated|modif", re.IGNORECASE)
_NAMED_PUBLISHED = re.compile(r"publi|pubdate|posted|entry-(?:date|time)", re.IGNORECASE)
_LONGEST, _LABEL, _BESIDE = 120, 40, 30
# How many lines above and below the title the page's date or author may be, and the maximum number of days elsewhere.
_ABOVE, _BELOW, _MOST_DAYS = 4, 12, 3


class StatedDate(NamedTuple):
    """A date and time in ISO 8601, and the text that it was read from; None if unknown."""

    iso: str | None = None
    raw: str | None = None


NO_DATE = StatedDate()


class PageLines:
    """The lines of text of a page's body; ``begins`` are the lines where its title or main text begins."""

    def __init__(self, root: Any, title: str | None, main_text: str) -> None:
        body = root.find("body")
        self.lines = lines_of(root if body is None else body)
        squeezed = [letters_of(line) if len(line) <= 2 * _LONGEST else line for line in self.lines]
        title, first = letters_of(title or ""), letters_of(main_text.partition("\n")[0])
        equal = ([place for place, line in enumerate(squeezed) if line == begin != ""] for begin in (title, first))
        within = [place for place, line in enumerate(squeezed) if title and line.startswith(title)]  # with subtitle
        self.begins: list[int] = next(filter(None, (*equal, within)), [])

    def is_near(self, place: int) -> bool:
        """Return whether a line is near the beginning of the page's content."""
        return place >= 0 and any(-_ABOVE <= place - begin <= _BELOW for begin in self.begins)

    def before(self, place: int, start: int, begin: int = 0) -> str:
        """Return the label of a text in a line: what precedes it or, if nothing does, a short line above."""
        if label := self.lines[place][begin:start].strip(" ([|·•-–—"):
            return label
        above = self.lines[place - 1] if place > 0 and place - 1 not in self.begins else ""
        return above if len(above) <= _LABEL else ""


class _Shown(NamedTuple):
    """A day displayed on a page: its line, the text before it, names of its element, characters next to it."""

    line: int
    start: int
    date: StatedDate
    label: str
    names: str | None
    rest: int

    @property
    def is_labeled(self) -> bool:
        return (_PUBLISHED.search(self.label) or _NAMED_PUBLISHED.search(self.names or "")) is not None

    @property
    def is_change(self) -> bool:
        return not self.is_labeled and (
            _CHANGED.search(self.label) is not None or _NAMED_CHANGED.search(self.names or "") is not None
        )


def iso_of(text: str | None) -> str | None:
    """Return the date and time at the beginning of a text as ISO 8601 with seconds; None if there is none.

    A day without a time gets 00:00:00. The time zone is omitted if the text has none.
    """
    match = _ISO.match((text or "").strip())
    if not match or not is_day(match[1]):
        return None
    day, time, seconds, zone = match.groups()
    zone = (zone or "").upper()
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    return f"{day}T{time or '00:00'}{seconds or ':00'}{zone}"


def stated_date(text: str | None) -> StatedDate:
    """Return the date of a text that is a date, or that contains exactly one unambiguous date."""
    iso = iso_of(text)
    if iso is None and text and len(text) <= _LONGEST:
        days = days_in(text)
        iso = f"{days[0].iso}T00:00:00" if days and days == days_in(text, month_first=True) else None
    return StatedDate(iso, text) if iso else NO_DATE


def shown_dates(
    root: Any, page: PageLines, language: str | None, known: str | None, others: Collection[str] = ()
) -> tuple[StatedDate, StatedDate]:
    """Return when a page was published and changed, according to its text and its <time> elements.

    Days near the title take precedence, especially one labeled as the date of publication; elsewhere a day counts only
    if there are not many of its kind. Copyright lines and ages ("3 days ago") have no day. ``known`` is a day that the
    page states elsewhere, which decides how to read 05/12/2023; ``others`` are days of what the page is about.
    """
    read = [(place, line, readings_of(line)) for place, line in enumerate(page.lines) if len(line) <= _LONGEST]
    read = [each for each in read if each[2][0] or each[2][1]]
    month_first = months_go_first((each[1:] for each in read), language, known) is True
    written = _written(page, [(place, readings[month_first]) for place, _, readings in read])
    shown = sorted([*_marked(root, page), *written], key=lambda day: day[:2])
    shown = [day for day in shown if day.is_labeled or (day.date.iso or "")[:10] not in others]
    changes, days = ([day for day in shown if day.is_change is wanted] for wanted in (True, False))
    near_changes, near = ([day for day in each if page.is_near(day.line)] for each in (changes, days))
    found = [day for day in near if day.is_labeled] or near
    if not found and not near_changes:
        labeled, marked = [day for day in days if day.is_labeled], [day for day in days if day.names is not None]
        kinds = (labeled, marked, [day for day in days if day.rest <= _BESIDE])
        counts = [len({(day.date.iso or "")[:10] for day in kind}) for kind in kinds]
        found = next((kind for kind, count in zip(kinds, counts, strict=True) if 0 < count <= _MOST_DAYS), [])
    dates = (next((day.date for day in each), NO_DATE) for each in (found, near_changes or changes))
    return next(dates), next(dates)


def _marked(root: Any, page: PageLines) -> Iterator[_Shown]:
    """Yield the days of <time> elements, which are located in the lines in page order."""
    text = "\n".join(page.lines)
    begins = [0, *accumulate(len(line) + 1 for line in page.lines)]
    at = 0
    for element in root.iter("time"):
        value = (element.get("datetime") or "").strip()
        if (iso := stated_date(value).iso) is None:
            continue
        shown, outer = text_line(element), element.getparent()
        own = " ".join(element.get(name) or "" for name in ("class", "itemprop", "property", "pubdate"))
        if OF_OCCASION.search(own):
            continue
        names = [own]
        line, start, label, rest = -1, 0, "", 0
        if outer is not None:
            names.append(outer.get("class"))
            label = (outer.text or "")[-_LABEL:]
        if shown and (found := text.find(shown, at)) >= 0:
            at = found + len(shown)
            line = bisect_right(begins, found) - 1
            start, rest = found - begins[line], len(page.lines[line]) - len(shown)
            label = page.before(line, start)
        if _UNRELATED.search(label):
            continue
        yield _Shown(line, start, StatedDate(iso, shown or value), label, " ".join(filter(None, names)), rest)


def _written(page: PageLines, days_of_lines: list[tuple[int, tuple[Day, ...]]]) -> Iterator[_Shown]:
    """Yield the days of short lines, except copyright and membership lines."""
    for place, days in days_of_lines:
        line, end = page.lines[place], 0
        for day in days:
            label, end = page.before(place, day.start, end), day.start + len(day.raw)
            if not _UNRELATED.search(label):
                longer = date_in(line[day.start :]) or ""
                date = StatedDate(f"{day.iso}T00:00:00", longer if longer.startswith(day.raw) else day.raw)
                if day is days[-1] and _CHANGED.search(line, end) and not _PUBLISHED.search(line, end):
                    label = line[end:]
                yield _Shown(place, day.start, date, label, None, len(line) - len(date.raw or ""))
