"""Dates and bylines in the texts around posts, in the most common forum languages.

A byline names the author of a post: "by Ann", "Ann wrote:". The date of a post is the one at the same relative position
in all records.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING

from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.cues import (
    DIGIT,
    MONTH_NAMES,
    Day,
    Readings,
    has_date,
    has_question_mark,
    months_go_first,
    readings_of,
    remembered_search,
)
from scrapy_semtext.words.word_tables import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.read.facts import Found, Fragment, Records


#: The maximum length of a label.
MAX_LABEL_CHARS = 40

_MAX_NAME_CHARS, _MAX_NAME_WORDS = 50, 6
_BY = alternatives("by")
_BEFORE = re.compile(rf"^(?:(?:{_BY})(?:\s*[:：]\s*|\s+)|@)", re.IGNORECASE)
_IS_BEFORE = re.compile(rf"(?:.*\b)?(?:{_BY})\s*[:：]?", re.IGNORECASE)
# "Submitted by Ann on 3 May 2004"
_LINE = re.compile(
    r"(?<!\w)(?:by|von|par|por|от|автор:?)\s+(.{1,50}?)\s*(?:\b(?:on|at|am|le|el|il|в)\s|[-–—|,»]\s|\s\d|$)",
    re.IGNORECASE,
)
_COMMENT = re.compile(rf"\W*(?:{alternatives('comment')})\s*(?:#|№|nr\.?|no\.?|n°)?\s*\d", re.IGNORECASE)
_VERBS = alternatives("wrote")
_AFTER = re.compile(
    rf"\s+(?:{_VERBS})\b.{{0,60}}$|\s*(?:发表于|发表|回复于|写道|说道).{{0,40}}$|\s*(?<![»•·|,–—-])[»•·|,–—-]+$",
    re.IGNORECASE,
)
_IS_AFTER = re.compile(rf"(?:(?:{_VERBS})\b|发表于|写道).{{0,30}}", re.IGNORECASE)
_NO_NAME = re.compile(alternatives("no name"), re.IGNORECASE)
_CHANGED = re.compile(rf"\W*(?:last |zuletzt |dernière )?(?:{alternatives('changed')})", re.IGNORECASE)

#: `has_date` with a cache, because the short texts of a page repeat.
is_dated = remembered(1 << 12)(has_date)

_FULL = re.compile(
    rf"\d{{4}}[./-]\d{{1,2}}[./-]\d{{1,2}}|\d{{1,2}}[./-]\d{{1,2}}[./-](?:\d{{4}}|\d\d\b)|\d{{4}} ?[年년]"
    rf"|(?:{MONTH_NAMES})\w{{0,15}}\.?,? (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?(?:de )?'?\d{{2,4}}"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th|er)? ?(?:de )?(?:{MONTH_NAMES})",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\d{1,2}[:.h]\d{2}(?!\d)|\d\d? ?[時点时시]")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*(?: ?[+-]\d{4}|Z)?)?")
_says_date = remembered_search(re.compile(alternatives("date")))
_says_other = remembered_search(re.compile(alternatives("other date")))
_POSTED = re.compile(alternatives("posted"), re.IGNORECASE)
_JOINED = re.compile(alternatives("joined"), re.IGNORECASE)
# The same for a label without a colon, where "Member" may also be a rank.
_JOINED_ALONE = re.compile(r"(?:\w+ )?(?:joined|registered|since|seit|inscrit|liittynyt|注册)\W*$", re.IGNORECASE)
# A displayed date: words and numbers of dates and times, one after the other.
_TOKEN = (
    rf"(?:(?:{MONTH_NAMES}|{alternatives('weekdays')})[^\W\d_]{{0,9}}\b\.?|\d+(?:st|nd|rd|th|h|er)?(?:\b|(?=[년월일시분年月日时時分点]))"
    r"|[년월일시분年月日时時分秒点:：,./+-]"
    rf"|(?:{alternatives('beside days')})\b\.?|小时|天|分钟|个月|前|昨天|今天)"
)
_SPAN = re.compile(rf"(?<![^\W\u2e80-\u9fff\uac00-\ud7a3]){_TOKEN}(?:[\s,]*{_TOKEN})*", re.IGNORECASE)
# What may precede a date: the number of the post, or a word that introduces the date.
_LEADING = re.compile(r"^\d{1,5} (?=\d{4}-)|^(?:(?:am|at|à|в|de|del|of|the|um|klo)\b[\s,]*)+", re.IGNORECASE)
_TIME = re.compile(
    rf"(?P<word>(?:\b(?:{alternatives('before times')})\.?|,) )?(?:(?P<before>{alternatives('halves before')})\.? ?)?"
    r"(?<![\d.])(?P<hour>\d{1,2})(?: ?(?:[:時点时시]|h|giờ) ?|\.(?=\d\d (?:uhr|uur)\b)|(?(word)\.|(?!)))"
    rf"(?P<minute>[0-5]\d)(?!\d|\.\d)(?:[:分분.] ?(?P<second>[0-5]\d)(?!\d))?분?"
    rf"(?: ?(?P<behind>{alternatives('halves behind')})(?!\w))?",
    re.IGNORECASE,
)
_LATE = ("p", "下午", "晚上", "中午", "傍晚", "午後", "오후", "μ", "م", "chiều", "tối", "ös", "du")
_MAX_DATE_CHARS, _MAX_CONTEXT_CHARS = 120, 60
_MAX_GAP_CHARS = 16  # the most characters between a day and the time of day: "(lunedì) alle ore"


def dates_of(records: Records, *, common: bool = False) -> list[str | None]:
    """Return the date of each post from an attribute or else from the text, or None if the post has neither.

    With ``common``, only places that nearly all posts share are read.
    """
    ranked = sorted(records.found(partial(_dated_fragment, records)), key=lambda posts: -_score(records, posts))
    dates: list[str | None] = [None] * records.count
    for posts in ranked:
        if common and not records.is_common([*chain.from_iterable(posts.values())]):
            continue
        for post, found in posts.items():
            if dates[post] is None:
                dates[post] = min(found, key=by_evidence)[1]
    return dates


def _dated_fragment(records: Records, fragment: Fragment) -> tuple[str, float] | None:
    """Return the date of a fragment with its evidence, None if it has none of the post."""
    if len(fragment.text) > _MAX_DATE_CHARS:
        return None
    date, strength = _date(records, fragment)
    return (date, strength + _evidence(records, fragment)) if date and not _is_other(records, fragment) else None


def by_evidence(item: tuple[Fragment, str, float]) -> tuple[float, int, int]:
    """Return the sort key of what was found for a post: the strongest evidence, then the closest to the body."""
    fragment, _, evidence = item
    return -evidence, fragment.element.level, fragment.distance


def read_dates(dates: Sequence[str | None], texts: Iterable[str], language: str | None) -> list[str | None]:
    """Convert a page's dates to ISO 8601, with the time if given; dates that cannot be parsed stay as they are.

    Whether 01/02/2019 is in January is decided by the other dates in the ``texts`` of the page, then by its language.
    """
    read = {date: readings_of(date) for date in dates if date and not _ISO.fullmatch(date)}
    month_first = None
    if any(first != second for first, second in read.values()):
        short = (text for text in chain(read, texts) if len(text) <= _MAX_DATE_CHARS)
        month_first = months_go_first(((text, readings_of(text)) for text in short), language, None)
    return [_iso(date, read[date], month_first) if date in read else date for date in dates]


def _iso(text: str, readings: Readings, month_first: bool | None) -> str:
    days = readings[month_first is True]
    if len(days) != 1 or (month_first is None and readings[0] != readings[1]):
        return text
    time = _TIME.search(text.replace(days[0].raw, " | ", 1)) or (":" in days[0].raw and _TIME.search(days[0].raw))
    hour = int(time["hour"]) if time else 24
    half = time and (time["before"] or time["behind"] or "").lower()
    if half and 0 < hour <= 12:
        hour = hour % 12 + 12 * half.startswith(_LATE)
    return f"{days[0].iso}T{hour:02}:{time['minute']}:{time['second'] or '00'}" if time and hour < 24 else days[0].iso


@remembered(1 << 12)
def date_in(text: str) -> str | None:
    """Return the longest date in a text, as written: "Posted: 3 May 2004 11:56 - Subject" gives "3 May 2004 11:56"."""
    spans = [match[0].strip(" ,.:-/+") for match in _SPAN.finditer(text)]
    spans = [span for span in spans if _dated(span)]
    spans = [_LEADING.sub("", span) for span in spans]
    date = max(spans, key=lambda span: (_is_full(span), len(span)), default=None)
    days = readings_of(text)[0]
    return date if len(days) != 1 else _with_time(text, days[0], date or days[0].raw)


def _with_time(text: str, day: Day, date: str) -> str:
    """Return the part of a text with its only day, the date found there and the time of day next to them."""
    begin, end = day.start, day.start + len(day.raw)
    at = text.find(date)
    after, time = end, None if ":" in day.raw else _TIME.search(text, end)
    if at <= end and at + len(date) >= begin:
        begin, end = min(begin, at), max(end, at + len(date))
    if time and time.start() - after <= _MAX_GAP_CHARS:
        end = max(end, time.end())
    elif ":" not in day.raw and (time := _TIME.search(text, max(0, begin - _MAX_GAP_CHARS), begin)):
        begin = time.start("hour")
    return text[begin:end]


@remembered(1 << 12)
def _dated(text: str) -> bool:
    return has_date(text) or _is_full(text)


@remembered(1 << 12)
def _is_full(text: str) -> bool:
    # searching for a digit is much faster
    return DIGIT.search(text) is not None and (_FULL.search(text) is not None or bool(readings_of(text)[0]))


def is_machine_date(value: str) -> bool:
    """Return whether the value of a ``datetime`` attribute is a date or a time, and not a duration such as "PT30M"."""
    return not value.startswith("P") and any(map(str.isdigit, value))


def _date(records: Records, fragment: Fragment) -> tuple[str | None, float]:
    for step, element in enumerate(fragment.element.self_and_outer(2)):
        if not element.attributes:
            continue
        stated = element.get("datetime")
        if is_machine_date(stated):
            return stated, 1.2
        title = element.get("title")
        if title and len(title) <= _MAX_DATE_CHARS and _is_full(title) and not (step and _is_full(fragment.text)):
            iso = _ISO.search(title)
            return (iso[0] if iso else date_in(title)), 0.9
    if not fragment.text or not _dated(fragment.text):
        return None, 0.0
    date = date_in(fragment.text)
    if not date:
        return None, 0.0
    for text in islice(records.context(fragment), 2):  # the day and the time of day may be in separate elements
        if len(text) <= _MAX_CONTEXT_CHARS and (longer := date_in(text) or "").count(date) == 1:
            date = longer
    return date, 0.6 * _is_full(date) + 0.3 * (_CLOCK.search(date) is not None)


def _is_other(records: Records, fragment: Fragment) -> bool:
    if any(_says_other(element.names) for element in fragment.element.self_and_outer(2)) or is_of_change(
        records, fragment
    ):
        return True
    label = records.label(fragment)[-MAX_LABEL_CHARS:].rstrip()
    named = _JOINED.search(label) if label.endswith((":", "：")) else _JOINED_ALONE.match(label)
    return bool(_JOINED.match(fragment.text) or (named and not any(map(str.isdigit, label))))


def _evidence(records: Records, fragment: Fragment) -> float:
    named = any(_says_date(element.names) for element in fragment.element.self_and_outer(3))
    shown = date_in(fragment.text)
    remaining = len(fragment.text) - len(shown or "")
    posted = bool(_POSTED.search(fragment.text) or _POSTED.search(records.label(fragment)[-MAX_LABEL_CHARS:]))
    return 0.4 * named + 0.3 * posted + 0.2 * (remaining < 12) - 0.3 * (remaining > 60)


def _score(records: Records, posts: dict[int, Found]) -> float:
    found = [item for items in posts.values() for item in items]
    strength: float = sum(map(itemgetter(2), found)) / len(found)
    distinct = len({date for _, date, _ in found})
    if len(posts) > 2 and distinct == 1:
        strength -= 0.3
    first = [items[0][1] for _, items in sorted(posts.items())]
    if len(first) > 2 and all(map(_ISO.match, first)) and first in (sorted(first), sorted(first)[::-1]):
        strength += 0.5  # posts are ordered by date
    return strength * (0.3 + 0.7 * records.share(found[0][0], len(posts))) / (0.5 + 0.5 * len(found) / len(posts))


@remembered(1 << 12)
def name_in(text: str) -> str | None:
    """Return the name in a short text such as "Ann", "by Ann" or "Ann wrote:", or None if it cannot contain one."""
    if is_dated(text) and (line := _LINE.search(text)):
        text = line[1]
    name = _AFTER.sub("", _BEFORE.sub("", text, count=1), count=1).strip()
    text = name.rstrip(" :：") if name != text else name
    if not text or len(text) > _MAX_NAME_CHARS or len(text.split()) > _MAX_NAME_WORDS or _NO_NAME.search(text):
        return None
    return text


@remembered(1 << 12)
def is_byline(text: str) -> bool:
    """Return whether a text contains more than just a name: "by Ann", "Ann wrote:"."""
    after = _AFTER.search(text)
    spoken = after is not None and any(map(str.isalpha, after[0]))
    return spoken or _BEFORE.match(text) is not None or (is_dated(text) and _LINE.search(text) is not None)


def signs_comment(text: str) -> bool:
    """Return whether a heading labels a comment: "Comment 3 by Ann", "Changed 2 days ago by"."""
    is_signed = _COMMENT.match(text) is not None or (is_dated(text) and (is_byline(text) or announces(text)))
    return is_signed and not has_question_mark(text)


@remembered(1 << 12)
def announces(label: str) -> bool:
    """Return whether a label announces a name that follows it: "Posted by"."""
    return _IS_BEFORE.fullmatch(label[-MAX_LABEL_CHARS:]) is not None


@remembered(1 << 12)
def follows(text: str) -> bool:
    """Return whether a text follows a name: "wrote:"."""
    return _IS_AFTER.fullmatch(text) is not None


def is_of_change(records: Records, fragment: Fragment) -> bool:
    """Return whether a fragment describes a later edit of the post rather than its creation."""
    return any(map(_names_change, records.context(fragment))) or _names_change(
        records.label(fragment)[:MAX_LABEL_CHARS]
    )


@remembered(1 << 12)
def _names_change(text: str) -> bool:
    return _CHANGED.match(text) is not None
