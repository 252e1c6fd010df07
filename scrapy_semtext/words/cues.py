"""What short texts say, in many languages: dates, post numbers, and questions with their cleaning.

Days are read in many forms: "May 12th, 2023", "12 мая 2023 г.", "2023年5月12日", "12/05/2023". Names of months are in
the table ``tables/months.txt``. dateparser knows them too, but only parses texts that consist of a date ("Pubblicato il
1º febbraio 2023" fails), and takes ten milliseconds for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.word_tables import MONTHS, alternatives

#: Alternatives, in many languages, of the first letters of month names; of units of time; and of days.
MONTH_NAMES, _UNITS, _DAYS = map(alternatives, ("months", "units", "days"))

# Non-ASCII signs that occur in texts of any language but in no word: quotes, dashes, bullets, arrows.
_SIGNS = re.compile(
    "[\xa0-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u200b-\u200f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2122"
    "\u2190-\u21ff\u25a0-\u25ff\u2600-\u2775\u2794-\u27bf\ufe0f]"
)

_WORDED = rf"\b(?:{_DAYS})\b|(?:小时|天|分钟|个月|年)前"  # dates without a digit
DIGIT = re.compile(r"\d")
#: The number of a post on its own: "#12".
POST_NUMBER = re.compile(r"#? ?\d{1,6}\.?")
#: The beginning of a reply's subject: "Re: ...".
SUBJECT = r"(?:re|aw|antw|sv|vs|ответ|回复)(?:\[\d+\])?\s*[:：]"
_SENTENCE_ENDS = ".!?…。！？"
QUESTION_MARK = re.compile(r"[?？؟]")

# Latin, full-width, Arabic and Greek marks, and endings of Chinese, Japanese and Korean questions without a mark.
_QUESTION_MARKS = "?？؟\u037e吗嗎か까"
#: A line that ends in a question mark, followed by closing signs or not.
ASKS = re.compile(rf"[{_QUESTION_MARKS}][^\w\n]{{0,3}}$", re.MULTILINE)
#: The prefix of a question: "Q:", "Q1.", "Question 3 -", "Frage:".
QUESTION_PREFIX = re.compile(
    r"\s*(?:(?:q(?:uestion)?|frage|вопрос|pregunta|domanda|pergunta|vraag|pytanie|kysymys|問|问|س|Ｑ)"
    r"\s*(?:\.\s*)?(?:#\d{0,3}\s*|\d{1,3}\s*)?[.:：)、-]+|(?-i:Q)\d{1,3}\b"
    r"|(?-i:[QＱ])(?=[\u3040-\ufaff]|\s+(?-i:[A-ZÀ-ÞА-Я\u3040-\ufaff])))\s*",  # a sign of its own before the question
    re.IGNORECASE,
)
#: ASCII characters that no question prefix begins with.
NO_PREFIX = frozenset(chr(code) for code in range(33, 127)) - frozenset("qfpdvkQFPDVK")
_NUMBER = re.compile(r"\s*(?:[(#]?\d{1,3}\s*[.):、](?!\d)|\d{1,3}\s+[-–—]\s)\s*")
# A label on its own before a question or an answer: "1.2.", "Q:".
_LABEL = re.compile(r"\s*(?:[\[(]?[A-Za-z]{0,2}\d{1,3}(?:[.-]\d{1,3})*[.):\]]+|[A-Za-z][.:)])\s*")
# The number of a question, in a list where most questions have one: "1.1", "G1.", "[2]".
_SERIES = re.compile(r"\s*[\[(#]?[A-Za-z]{0,2}\d{1,3}(?:[.-]\d{1,3})*(?:[.):\]、]+(?:\s+|(?!\d))|\s+)")
#: The share from which "most" of a list has a property.
MAJORITY = 0.6
#: The prefix of an answer: "A:", "Answer:", "Antwort:".
ANSWER_PREFIX = re.compile(
    r"\s*(?:(?:a|ans(?:wer)?|antwort|réponse|ответ|respuesta|risposta|resposta|antwoord|odpowiedź|vastaus|答|ج|Ａ)\s*(?:\.\s*)?"
    r"(?:\d{1,3}\s*)?[:：]|(?-i:A|Ans)\d{0,3}[.)]\s|(?-i:[AＡ])(?=[\u3040-\ufaff]|\n))\s*",
    re.IGNORECASE,
)
# Characters that expand and collapse an answer, and bullets.
_MARKERS = " \t+−–—×✕✖▼▲▾▴▸►▶⌄˅›»•·>*"
_WORD_CHAR = re.compile(r"\w")

_FIRST_DAY = date(1990, 1, 1)
_BUDDHIST, _THAI = 543, 2400  # years from our calendar to the Thai one, and the first year that is taken for Thai
_YEAR, _DAY, _MONTH = r"(?<!\d)(?P<year>\d{4})(?!\d)", r"(?<![\d.:])(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_WORD = r"(?P<word>[^\W\d_][^\s\d.,/()|·:;_-]{1,14})"
_TH = r"(?:st|nd|rd|th|er|ère|[a-z]?[ºª°]|η|-?(?:го|е))?"
_OF = r"(?:de |of |di |d['’] ?|del |da |ב|พ\.ศ\. ?)?"
_GAP = r"\.? ?[/-]? ?"
# The time of day between the day and its year: "Mon Mar 4 11:40:00 CET 2024".
_BETWEEN = r",? (?:at )?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?(?: [A-Z]{2,4})?,? "
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}(?: ?年 ?| ?년 ?){_MONTH}(?: ?月 ?| ?월 ?)(?P<day>\d{{1,2}})(?: ?[日일号])?",
        rf"(?<![\d.]){_YEAR}(?P<between> ?[-./] ?){_MONTH}(?P=between)(?P<day>\d{{1,2}})(?!\d)",
        rf"{_DAY}{_TH}{_GAP}{_OF}{_WORD}[.,]{{0,2}} ?[/-]? ?{_OF}{_YEAR}",
        rf"{_WORD}{_GAP}(?P<day>\d{{1,2}}){_TH}(?:, ?| de |[ /-]){_YEAR}",
        rf"{_YEAR}[.,]?[ /-](?:m\. |gada )?{_WORD}{_GAP}(?P<day>\d{{1,2}})(?!\d)",
        rf"{_DAY} tháng {_MONTH},?(?: năm)? {_YEAR}",
        rf"{_DAY}{_TH}{_GAP}{_WORD}{_BETWEEN}{_YEAR}",
        rf"{_WORD}{_GAP}(?P<day>\d{{1,2}}){_TH}{_BETWEEN}{_YEAR}",
    )
)
_NUMBERS = re.compile(  # two-digit years: only in short texts, or after a two-digit day and month
    r"(?<![a-zA-Z\d.])(?P<first>\d{1,2})(?P<between> ?[-./] ?)(?P<second>\d{1,2})(?P=between)"
    r"(?P<year>\d{4}|\d\d)(?!\d|\.\d)"
)
_URL_DATE = re.compile(r"(?<![\d-])(20[0-3]\d)([/_-]?)(0?[1-9]|1[0-2])(?:\2|(?=\d\d))([0-3]?\d)(?!\d)")
_MAX_DATE_LINE_CHARS = 40
_CLOCK_OF_TWELVE = re.compile(r"\d [ap]\.?m\b", re.IGNORECASE)
_MAY_HAVE_DAY = re.compile(r"\d{4}|\d ?[-./] ?\d\d? ?[-./] ?\d\d")  # a much faster test


def without_signs(text: str) -> str:
    """Replace each non-ASCII sign that no pattern here uses by "|", which makes most texts pure ASCII."""
    return text if text.isascii() else _SIGNS.sub("|", text)


class AnyCase:
    """A pattern, written in lower case, that is matched case-insensitively.

    ASCII text, which is most of it, is converted to lower case first, which is several times as fast as a
    case-insensitive match. ``hints`` are lower-case strings, at least one of which is in every ASCII text that matches;
    testing for them first is faster still. The pattern must not match the signs that `without_signs` replaces, neither
    literally nor as white space, nor the sign that replaces them.
    """

    def __init__(self, pattern: str, hints: tuple[str, ...] = ("",)) -> None:
        self._hints = hints
        self._lower = re.compile(pattern, re.ASCII)
        self._any = re.compile(pattern, re.IGNORECASE)

    def is_in(self, text: str) -> bool:
        """Return whether the pattern occurs anywhere in a text."""
        text = without_signs(text)
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
        """Return the result of ``match`` with the faster of the two patterns that fits the text."""
        text = without_signs(text)
        return match(*((self._lower, text.lower()) if text.isascii() else (self._any, text))) is not None


_DATE = AnyCase(
    r"\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b|\b\d{1,2}:\d{2}\b|\d{4} ?年|\d{1,2} ?月"
    rf"|\b\d{{1,2}}\.? ?(?:de )?(?:{MONTH_NAMES})|\b(?:{MONTH_NAMES})\w*\.? \d{{1,2}}\b"
    rf"|\b\d+ ?(?:{_UNITS})\w{{0,4}}\b|{_WORDED}"
)
_DATE_IN_WORDS = AnyCase(_WORDED, tuple(day for day in _DAYS.split("|") if day.isascii()))
#: What appears above a list of questions, or in the URL and title of its page.
FAQ_WORDS = AnyCase(
    alternatives("faq"),
    hints=(
        *("aq", "a.q", "frequently", "questions", "q&", "q &", "q and", "qand"),
        *"fragen usein kysymy ofte preguntas domande perguntas veelgestelde vragen pytania gyakori".split(),
    ),
)
#: A question, recognized by its first word.
OPENS_AS_QUESTION = AnyCase(
    rf"[^\w\n]{{0,9}}(?:\w?\d[\d.]{{0,9}}[^\w\n]{{1,9}})?(?:(?:{alternatives('openers')})\b|什么|怎么|怎样|如何|为什么|是否|可以|哪|どう|なぜ|何|هل|كيف|ما|متى|لماذا|أين)"
)
# Labels of controls around questions and after answers.
_CONTROL = AnyCase(rf"\W*(?:{alternatives('controls')})\W*")


def remembered_search(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Return a cached function that searches names or short texts, which often repeat, for a pattern."""
    return remembered(1 << 12)(lambda text: pattern.search(text) is not None)


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
    return [len(text) <= longest and has_date(text) for text in texts]


def asks(text: str) -> bool:
    """Return whether a line of a text ends in a question mark. Searching for the mark first is much faster."""
    return text.endswith("?") or (has_question_mark(text) and ASKS.search(text) is not None)


def has_question_mark(text: str) -> bool:
    """Return whether a text has a question mark, or a character that ends East Asian questions without one."""
    return "?" in text or (not text.isascii() and any(mark in text for mark in _QUESTION_MARKS[1:]))


def has_mark(text: str) -> bool:
    """Return whether `cues.QUESTION_MARK` is in a text, faster than a search with the pattern."""
    return "?" in text or (not text.isascii() and ("？" in text or "؟" in text))


def prefix_of(text: str) -> re.Match[str] | None:
    """Return the question prefix at the beginning of a text."""
    return None if text[:1] in NO_PREFIX else QUESTION_PREFIX.match(text)


class Cleaner:
    """Cleans the texts of one page, with a cache because many candidates share the same texts."""

    def __init__(self) -> None:
        #: Returns a question cleaned by `clean_question`, and case-folded for comparisons.
        self.question = cache(lambda text: (question := clean_question(text), question.casefold()))
        #: Returns an answer cleaned by `clean_answer`, from its lines and its question.
        self.answer = cache(clean_answer)


def without_series(questions: Sequence[str]) -> list[str]:
    """Remove the numbers from the questions of a list, if most questions have one."""
    found = [_SERIES.match(question) for question in questions]
    if len(found) - found.count(None) < max(2, MAJORITY * len(found)):
        return list(questions)
    return [text[match.end() :] if match else text for text, match in zip(questions, found, strict=True)]


def clean_question(text: str) -> str:
    """Return a question on one line without its prefix, number and the label of the control that expands it."""
    lines = [line for line in text.splitlines() if _WORD_CHAR.search(line) and not _CONTROL.is_all_of(line)]
    question = " ".join(" ".join(lines).split()).strip(_MARKERS)
    prefixes = [_NUMBER, QUESTION_PREFIX, _NUMBER]
    if ASKS.search(question):
        prefixes.append(ANSWER_PREFIX)  # some pages swap the two prefixes
    for prefix in prefixes:
        match = prefix.match(question)
        if match and match.end() < len(question):
            question = question[match.end() :]
    return question


def clean_answer(lines: Iterable[str], question: str) -> str:
    """Return an answer from its blocks, without its prefix, controls at either end and a repeated question.

    A block that occurs twice in an answer (a copy for another screen size) is used once.
    """
    kept: list[str] = []
    asked_key = question.casefold()
    seen = {asked_key}
    longest = max(asked_key.split(), key=len, default="")  # a repetition of the question contains all of its words
    for line in lines:
        key = line.casefold()
        if key in seen or (not kept and longest in key and _repeats_question(line, key, asked_key)):
            continue
        if len(line) > 30:
            seen.add(key)
        kept.append(line)
    answer = "\n".join(_without_controls(kept)).strip()
    match = (QUESTION_PREFIX if answer[:1] == "Q" else ANSWER_PREFIX).match(answer)
    return answer[match.end() :].strip() if match else answer


def _without_controls(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines from the first to the last that say something."""
    said = [place for place, line in enumerate(lines) if not _is_no_answer(line)]
    return lines[said[0] : said[-1] + 1] if said else ()


def _repeats_question(line: str, key: str, asked_key: str) -> bool:
    """Return whether a line repeats a cleaned question; ``key``, ``asked_key``: line and question, case-folded."""
    last_char = key.rstrip(_MARKERS)[-1:]
    if asked_key and last_char != asked_key[-1] and not last_char.isspace() and len(line.splitlines()) == 1:
        return False  # a single line is only compared as a whole
    return clean_question(line).casefold() == asked_key


def _is_no_answer(line: str) -> bool:
    """Return whether a line says nothing: it has no word, or is only a control or a label."""
    return not _WORD_CHAR.search(line) or (
        len(line) <= 40 and (_CONTROL.is_all_of(line) or _LABEL.fullmatch(line) is not None)
    )


class Day(NamedTuple):
    """A day in a text: as YYYY-MM-DD, as written, and where it begins in the text."""

    iso: str
    raw: str
    start: int


#: The days of a text if 05/12/2023 is in December, and if it is in May.
Readings = tuple[tuple[Day, ...], tuple[Day, ...]]


def days_in(text: str, *, month_first: bool = False) -> tuple[Day, ...]:
    """Return the days from 1990 to tomorrow in a text, in order; years on their own are ignored."""
    return readings_of(text)[month_first]


def readings_of(text: str) -> Readings:
    """Return both readings of a text's days, which are equal if no day is ambiguous."""
    return _readings(text) if _MAY_HAVE_DAY.search(text) else ((), ())


def months_go_first(texts: Iterable[tuple[str, Readings]], language: str | None, known: str | None) -> bool | None:
    """Return whether a page with these texts, in both readings, writes 05/12/2023 for May 12; None if unknown.

    This is decided by a number above twelve, or by another date of the page, in words or ``known``, that equals one of
    the readings; otherwise by the language: English without a country or of the United States.
    """
    days, swapped_days, certain_days, has_twelve_hour_clock = set(), set(), {known}, False
    for text, readings in texts:
        if match := _NUMBERS.search(text):
            first, second = int(match["first"]), int(match["second"])
            if (first > 12) != (second > 12):
                return second > 12
            has_twelve_hour_clock |= _CLOCK_OF_TWELVE.search(text) is not None
        first_days, second_days = ({day.iso for day in reading} for reading in readings)
        certain_days |= first_days & second_days
        days |= first_days - second_days
        swapped_days |= second_days - first_days
    if bool(certain_days & days) != bool(certain_days & swapped_days):
        return bool(certain_days & swapped_days)
    return language.lower() in ("en", "en-us") if language else has_twelve_hour_clock or None


def day_of_address(path: str) -> str | None:
    """Return the day in the path of a URL, such as /2023/05/12/, /2023/0512/ or /2023/may/12/."""
    in_numbers = (_iso(year, int(month), day) for year, _, month, day in _URL_DATE.findall(path))
    in_words = (day.iso for day in days_in(path) if any(map(str.isalpha, day.raw)))
    return next(filter(None, (*in_numbers, *in_words)), None)


def is_day(iso: str) -> bool:
    """Return whether YYYY-MM-DD is a valid day; the year 1 is not, because systems use it for unset dates."""
    try:
        return date.fromisoformat(iso).year > 1
    except ValueError:  # such as 31 February
        return False


def _readings(text: str) -> Readings:
    """Compute `readings_of`."""
    found = {
        Day(iso, match[0], match.start())
        for pattern in _PATTERNS
        for match in pattern.finditer(text)
        if (iso := _iso(match["year"], _month(match.groupdict()), match["day"]))
    }
    used_positions = {index for day in found for index in range(day.start, day.start + len(day.raw))}
    orders: tuple[set[Day], set[Day]] = (set(found), set(found))
    for match in _NUMBERS.finditer(text):
        is_padded = len(match["first"]) == len(match["second"]) == len(match["year"])
        is_whole = is_padded or len(match["year"]) == 4 or len(text) <= _MAX_DATE_LINE_CHARS
        for days, iso in zip(orders, _both_orders(match), strict=True):
            if iso and is_whole and match.start() not in used_positions:
                days.add(Day(iso, match[0], match.start()))
    first, second = (tuple(sorted(days, key=lambda day: day.start)) for days in orders)
    return first, second


def _both_orders(match: re.Match[str]) -> tuple[str | None, str | None]:
    """Return a date in numbers as YYYY-MM-DD, with the day and with the month first; equal if one is impossible."""
    day, month = int(match["first"]), int(match["second"])
    year = f"{20 if len(match['year']) == 2 else ''}{match['year']}"
    day_first, month_first = _iso(year, month, day), _iso(year, day, month)
    return (month_first if month > 12 else day_first), (month_first if day <= 12 else day_first)


def _month(parts: dict[str, str | None]) -> int:
    """Return the number of a month from the groups of one of the _PATTERNS, 0 if it is unknown."""
    word = (parts.get("word") or "").lower().replace("i\u0307", "i")  # a capital I with a dot in Turkish
    return MONTHS.get(word, 0) if word else int(parts["month"] or 0)


def _iso(year: str, month: int, day: str | int) -> str | None:
    """Return a day from 1990 to tomorrow as YYYY-MM-DD, None for any other; Thai years are converted."""
    number = int(year)
    try:
        found = date(number - _BUDDHIST if number > _THAI else number, month, int(day))
    except ValueError:
        return None
    return found.isoformat() if _FIRST_DAY <= found <= date.today() + timedelta(days=1) else None
