"""When a page was published and changed, as ISO 8601 with the text that says so."""

from __future__ import annotations

import re
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom.element_text import text_line
from scrapy_semtext.qa.dates import date_in
from scrapy_semtext.text.folding import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.output.metadata import Metadata

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ]\s*((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{1,8}")
_CHANGED = re.compile(
    r"\b(?:edited|modified|updated?|changed|revised|bearbeitet|geändert|aktualisiert|modifiée?|éditée?|mise? à jour"
    r"|editado|actualizad[oa]|modificad[oa]|aggiornat[oa]|изменен\w*|обновлен\w*)\b|修改|编辑|更新",
    re.IGNORECASE,
)
_LONGEST, _MOST_TEXTS = 100, 5000


class StatedDate(NamedTuple):
    """A date and time of ISO 8601, and the text that it was read from; None where unknown."""

    iso: str | None = None
    raw: str | None = None


def iso_of(text: str | None) -> str | None:
    """Return the date and time at the beginning of a text as ISO 8601 with seconds; None if there is none.

    A day alone is taken at 00:00:00. The time zone is left out if the text has none.
    """
    match = _ISO.match((text or "").strip())
    if not match or not _exists(match[1]):
        return None
    day, time, seconds, zone = match.groups()
    zone = (zone or "").upper()
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    return f"{day}T{time or '00:00'}{seconds or ':00'}{zone}"


def published_of(root: Any, metadata: Metadata, url: str | None) -> tuple[StatedDate, StatedDate]:
    """Return when a page was published and, if the text that says the former is of a change, when it was changed.

    htmldate finds a day on nearly every page; it counts only if a date on the page or the address says the same.
    """
    day, raw = metadata.published, metadata.published_raw
    if day is None or raw is not None:
        return StatedDate(iso_of(raw), raw), StatedDate()
    for before, text, stated in _texts(root, day):
        if stated or (shown := _date_of(text, day)):
            found = StatedDate(iso_of(stated or day), (text or stated) if stated else shown)
            is_change = _CHANGED.search(before) or _CHANGED.search(text)
            return (StatedDate(), found) if is_change else (found, StatedDate())
    year, month, number = day.split("-")
    in_address = re.search(rf"\b{year}[/_.-]?0?{int(month)}[/_.-]?0?{int(number)}\b", url or "")
    return StatedDate(iso_of(day) if in_address else None), StatedDate()


def _exists(day: str) -> bool:
    try:
        return bool(date.fromisoformat(day))
    except ValueError:  # such as 31 February
        return False


def _texts(root: Any, day: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield short texts that may be dates of a year: the text before each, the text, and its date if <time> has it.

    Elements <time> of the day go first.
    """
    for element in root.iter("time"):
        value = (element.get("datetime") or "").strip()
        if value.startswith(day):
            outer = element.getparent()
            before = "" if outer is None else outer.text or ""
            yield before[-_LONGEST:], text_line(element), value
    before = ""
    for node in islice(root.itertext(), _MOST_TEXTS):
        text = one_line(node)
        if day[:4] in text and len(text) <= _LONGEST:
            yield before[-_LONGEST:], text, None
        before = text or before


def _date_of(text: str, day: str) -> str | None:
    """The date in a text, as it is written there, if it can be this day."""
    shown = date_in(text)
    if shown is None:
        return None
    year, month, number = map(int, day.split("-"))
    numbers = [*map(int, _DIGITS.findall(shown))]
    if year not in numbers or number not in numbers:
        return None
    in_words = any(map(str.isalpha, shown))
    return shown if in_words or numbers.count(month) > (month == number) else None
