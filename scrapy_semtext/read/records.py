"""The records of a page with a list: their titles and URLs, text, image, numbers, date and author."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.models.storage import TreeHead
from scrapy_semtext.page import Record
from scrapy_semtext.read.dates import date_in, is_byline, is_dated, is_machine_date, name_in, read_dates
from scrapy_semtext.read.facts import number_of
from scrapy_semtext.read.lists import (
    LIST_FEATURES,
    TITLE_FEATURES,
    Column,
    Member,
    PageLists,
    do_alternate,
    elements_of_records,
    next_page_of,
)
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.elements import shown_lines, shown_text
from scrapy_semtext.tree.parsing import base_url
from scrapy_semtext.utils.address import resolved
from scrapy_semtext.words.cues import MONTH_NAMES
from scrapy_semtext.words.word_tables import alternatives
from scrapy_semtext.words.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.utils.arrays import Floats


#: The minimum probability of the likeliest list to be a main list, and that of further lists.
_MIN_PROBABILITY, _MIN_FURTHER_PROBABILITY = 0.15, 0.5
#: The maximum number of main lists of a page; each is compared with the others.
_MAX_LISTS = 40
# From this probability of an overview on, records are read; if it is not an overview, they must be most of its text.
_LIKELY_OVERVIEW = 0.2
#: A list is dropped if likelier lists have more than this share of its URLs.
_MAX_SHARED_URLS = 0.3

_MIN_TEXT_SHARE = 1 / 3

# The name of an element that contains the author of a record.
_AUTHOR_NAME = re.compile(
    r"(?:^|[\s_-])(?:author|byline|auteur|autor|writer|user|poster)(?:[-_]?name)?(?:$|\s)", re.IGNORECASE
)
# A price: an amount beside the sign or the code of a currency.
_PRICE = re.compile(
    r"(?:[$€£¥₹₽₩]|\b(?:usd|eur|gbp|chf|cad|aud)\b)\s?\d(?:[\d.,]*\d)?"
    r"|\b\d(?:[\d.,]*\d)?\s?(?:[$€£¥₹₽₩]|(?:usd|eur|gbp|chf|kr|zł|руб|kč|ft)\b)",
    re.IGNORECASE,
)

#: Counts by what is counted ({"replies": 12}), and the price as text.
Numbers = dict[str, int | float | str]
# A count before or after its word: "12 replies", "Views: 1,204", "4.5 out of 5".
_COUNTED = re.compile(r"(?<![\w.,$€£])(\d[\d.,]*[kKmM]?)\+?\s{1,2}([^\W\d_]{2,24})(?![\w.])")
_LABELED = re.compile(r"([^\W\d_]{3,24})\s?[:：(]\s?(\d[\d.,]*[kKmM]?)\)?(?![\w/:-])")
# Words of a date that a duration ("8 min") does not have.
_IS_POINT = re.compile(rf"{MONTH_NAMES}|{alternatives('point in time')}", re.IGNORECASE)
# A separator between the facts of a line: "3 May - 12 comments".
_SEPARATOR = re.compile(r"\s[-–—|·•]\s")
#: Longer lines are sentences, whose numbers do not describe the record.
_MAX_LINE_CHARS = 60
#: The minimum share of records with a number of a word, for the numbers to be read as counts.
_MIN_COUNT_SHARE = 0.3
# The ``src`` of lazily loaded images is a placeholder.
_IMAGE_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src", "data-image", "src")
_SETS = ("srcset", "data-srcset")


@dataclass(frozen=True, slots=True)
class RecordModels:
    """Trees that choose the title column of each list (``titles``) and the main lists of a page (``lists``).

    ``training`` describes how they were fitted: data, seed, dates and scores.
    """

    titles: TreeEnsemble
    lists: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees were fitted to other features than this release computes."""
        if (self.titles.columns, self.lists.columns) != (len(TITLE_FEATURES), len(LIST_FEATURES)):
            raise ValueError("the trees were fitted to other features than this release computes")

    def main_columns(self, page: PageLists) -> list[Column]:
        """Return the title columns of the main lists, the likeliest first. Empty for a page without lists."""
        titles = title_columns(page, self.titles)
        if not titles:
            return []
        likely = self.lists.predict(page.list_features(titles))
        order = np.argsort(-likely, kind="stable")
        return _distinct([page.columns[titles[index]] for index in order.tolist()], likely[order])


def title_columns(page: PageLists, trees: TreeEnsemble) -> list[int]:
    """Return the index of the title column of each list of a page, chosen by the trees."""
    counts = [len(columns) for columns in page.lists]
    if not counts:
        return []
    rows = [page.title_features(number) for number in range(len(counts))]
    scores = np.split(trees.scores(np.concatenate(rows)), np.cumsum(counts)[:-1])
    return [columns[int(scores_of_list.argmax())] for columns, scores_of_list in zip(page.lists, scores, strict=True)]


def _distinct(columns: list[Column], likely: Floats) -> list[Column]:
    """Return the first column, and further likely columns that do not repeat the records of those before.

    Empty if the first is unlikely: if a script adds the items of a page, only menus are found.
    """
    chosen: list[Column] = []
    seen_urls: set[str | None] = set()
    for column, probability in zip(columns, likely.tolist(), strict=True):
        urls = column.urls
        if (
            probability < _MIN_PROBABILITY
            or (chosen and probability < _MIN_FURTHER_PROBABILITY)
            or len(chosen) == _MAX_LISTS
        ):
            break
        if chosen and len(urls & seen_urls) > _MAX_SHARED_URLS * len(urls):
            continue
        if not any(do_alternate(column.orders, previous.orders) for previous in chosen):
            chosen.append(column)
            seen_urls |= urls
    return chosen


HEAD = TreeHead(
    "records",
    "record models",
    1,
    trees={"titles": "titles", "lists": "lists"},
    build=lambda description, trees: RecordModels(**trees, training=description["training"]),
    names={"titles": TITLE_FEATURES, "lists": LIST_FEATURES},
)
save_record_models, load_record_models = HEAD.write, HEAD.read


class FoundRecords(NamedTuple):
    """The records of a page in page order, and the URL of the next page of the list, or None."""

    records: list[Record]
    next_page: str | None


def read_records(page: ParsedPage, models: RecordModels) -> FoundRecords:
    """Read the records of a page and the URL of its next page, in linear time."""
    base = base_url(page.root, page.url) or ""
    columns = models.main_columns(PageLists.of(page))
    if not columns:
        return FoundRecords([], None)
    titles = _titles(columns)
    elements = elements_of_records([member.element for member, _ in titles], [column for _, column in titles])
    lines = [record_lines(parts, member.text) for (member, _), parts in zip(titles, elements, strict=True)]
    dates_as_written = [date_of(parts, text) for text, parts in zip(lines, elements, strict=True)]
    dates = read_dates(dates_as_written, (block.text for block in page.raw_blocks), page.lang)
    numbers_of_all = numbers_of(lines, page.lang)
    records = [
        Record(
            title=member.text,
            url=member.url or "",
            text="\n".join(text),
            date=date,
            author=author_of(parts, text),
            image=image_of(parts, base),
            numbers=numbers,
        )
        for (member, _), text, parts, date, numbers in zip(titles, lines, elements, dates, numbers_of_all, strict=True)
    ]
    return FoundRecords(records, next_page_of(page.root, page.url, base))


def are_most(records: Sequence[Record], page: ParsedPage) -> bool:
    """Return whether records are more than a third of the text, as on the index of a forum and not on a thread."""
    shown = sum(len(record.title) + len(record.text) for record in records)
    return shown > _MIN_TEXT_SHARE * sum(len(block.text) for block in page.raw_blocks)


def _titles(columns: Sequence[Column]) -> list[tuple[Member, int]]:
    """Return the titles of all columns in page order, one for each URL, with the numbers of their columns."""
    title_of_url: dict[str, tuple[Member, int]] = {}
    for number, column in enumerate(columns):
        for member in column.members:
            if member.url:
                title_of_url.setdefault(member.url, (member, number))
    return sorted(title_of_url.values(), key=lambda title: title[0].order)


def record_lines(elements: Sequence[Any], title: str) -> list[str]:
    """Return the lines of text of a record, given its elements, without the title."""
    lines = [line for element in elements for line in shown_lines(element)]
    title_line = next((index for index, line in enumerate(lines) if title in line), None)
    if title_line is None:
        return lines
    remaining = " ".join(lines[title_line].replace(title, " ", 1).split())
    return [*lines[:title_line], *([remaining] if any(map(str.isalnum, remaining)) else []), *lines[title_line + 1 :]]


def image_of(elements: Sequence[Any], base: str) -> str | None:
    """Return the absolute URL of the first image of a record. Lazily loaded images have it in other attributes."""
    for element in elements:
        for image in element.iter("img", "source"):
            if image.tag == "source" and image.getparent().tag != "picture":
                continue
            for address in _addresses(image):
                is_image = address and not address.startswith("data:")
                if is_image and (found := resolved(address, base)) is not None:
                    return found
    return None


def _addresses(image: Any) -> list[str]:
    """Return the values of the attributes of an image that may have its URL, "" for missing ones."""
    values = [image.get(name, "").strip() for name in _IMAGE_ATTRIBUTES]
    sets = [(image.get(name, "").split() or [""])[0].rstrip(",") for name in _SETS]
    return values + sets


def numbers_of(texts: Sequence[Sequence[str]], lang: str | None) -> list[Numbers]:
    """Return the prices and counts in each record's lines, by word, without stop words and words of few records."""
    found = [_numbers(lines) for lines in texts]
    times = Counter(word for numbers in found for word in numbers)
    for word in stop_words(lang):
        times.pop(word, None)
    min_count = max(2.0, _MIN_COUNT_SHARE * len(texts))
    return [{word: number for word, number in numbers.items() if times[word] >= min_count} for numbers in found]


def _numbers(lines: Sequence[str]) -> Numbers:
    """Return the price and the counts in the lines of one record, by lower-case word; the first of each word wins."""
    numbers: Numbers = {}
    for label, line in pairwise(lines):  # "Replies" and "12" in separate cells
        if label.rstrip(" :").isalpha():
            _add(numbers, label.rstrip(" :"), line)
    for line in chain.from_iterable(map(_SEPARATOR.split, lines)):
        if len(line) > _MAX_LINE_CHARS or not any(map(str.isdecimal, line)):
            continue
        if price := _PRICE.search(line):
            numbers.setdefault("price", price[0])
        remaining = _PRICE.sub(" ", line)
        if not is_dated(remaining):
            counts = [(word, number) for number, word in _COUNTED.findall(remaining)] + _LABELED.findall(remaining)
            for word, number in counts:
                _add(numbers, word, number)
    return numbers


def _add(numbers: Numbers, word: str, number: str) -> None:
    """Add a number as a count of its word, unless it is that of a price, or the word has one."""
    if word.lower() == "price":  # prices stay text
        return
    count = number_of(number.rstrip(".,"))
    if count is not None:
        numbers.setdefault(word.lower(), count)
    elif re.fullmatch(r"\d+\.\d+", number):
        numbers.setdefault(word.lower(), float(number))


def date_of(elements: Sequence[Any], lines: Sequence[str]) -> str | None:
    """Return the date of a record: the first in a ``datetime`` attribute or, without one, in a short line."""
    stated: Iterator[str] = (time.get("datetime", "").strip() for element in elements for time in element.iter("time"))
    if date := next(filter(is_machine_date, stated), None):
        return date
    short = (line for line in lines if len(line) <= _MAX_LINE_CHARS)
    dates = filter(None, map(date_in, filter(is_dated, short)))
    return next(filter(_IS_POINT.search, dates), None)


def author_of(elements: Sequence[Any], lines: Sequence[str]) -> str | None:
    """Return the author of a record: the name in a byline, or in an element with a name such as "author"."""
    for line in lines:
        if len(line) <= _MAX_LINE_CHARS and is_byline(line) and (name := name_in(line)):
            return name
    for element in elements:
        for inner in element.iter("a", "span", "p", "div", "cite", "address", "li"):
            names = " ".join(filter(None, map(inner.get, ("class", "rel", "itemprop"))))
            if _AUTHOR_NAME.search(names) and (name := name_in(shown_text(inner))):
                return name
    return None


@reader(("records", "next_of_records"), ("page_kind", "posts"), asked=lambda options: options.records)
def records_reader(reading: Reading, models: Models) -> FoundRecords:
    """Read the records of an overview, or where they are most of a page, as on a forum's index."""
    page, posts = reading.page, reading.posts
    is_index = page.page_kind == "forum" and (posts is None or not posts.is_thread)
    if page.is_overview or is_index or (page.overview_probability or 0.0) >= _LIKELY_OVERVIEW:
        found = read_records(reading.parsed, models.record_models)
        if page.is_overview or are_most(found.records, reading.parsed):
            return found
    return FoundRecords([], None)


@reader("next_page", uses=("next_of_records",), asked=lambda _: True)
def next_page_reader(reading: Reading, _: Models) -> str | None:
    """Find the next page of a list: the rule's, or that of its records."""
    if reading.rule is None:
        return reading.next_of_records
    return reading.rule.next_page(base_url(reading.parsed.root, reading.page.url)) or reading.next_of_records
