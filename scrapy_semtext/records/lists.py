"""The lists of a page: groups of columns that share most of their URLs. One column of each has the titles."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.element_text import rough_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.qa.cues import has_date
from scrapy_semtext.records.columns import Addresses, Column, Extents, Member, columns_of
from scrapy_semtext.text.word_tables import WORDS
from scrapy_semtext.text.words import attribute_words
from scrapy_semtext.utils.address import address_of, host_of
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.utils.arrays import Singles

#: The names of the features, in order.
FEATURES = (
    *"log_count distinct_texts distinct_addresses words words_low words_high long_words digits dated prices".split(),
    *"heading heading_level is_link in_link level of_whole lower_case ends".split(),
    *"same_host one_place depth slug address_precision address_recall address_f1 query".split(),
    *"nav header footer aside menu related facts".split(),
    *"first last before_h1 chars_share chars_rank count_rank".split(),
    *"record_chars record_images record_dates record_prices record_links record_addresses title_share".split(),
    *"before_title longest_link other_headings height alike".split(),
)

#: The number of records of a column that are read for its features.
_SAMPLED_MEMBERS = 6
#: How many characters of a record are searched for dates and prices.
_LOOK = 500
#: The number of ancestors of a column that are read for its features.
_LEVELS = 30
_WORD = re.compile(r"\w+")
_SLUG_WORD = re.compile(r"[^\W_]+")
_PRICE = re.compile(r"[$€£¥₹₽]\s?\d|\d\s?(?:[$€£¥₹₽]|(?:usd|eur|gbp|kr|zł|руб)\b)", re.IGNORECASE)
_OUTER = {"nav": 0, "header": 1, "footer": 2, "aside": 3}
# Words in the names of elements that contain menus, teasers of other pages, and facts about a record.
_MENU, _RELATED, _FACTS = (frozenset(WORDS[name]) for name in ("menu", "related", "facts"))


@dataclass(slots=True)
class PageContext:
    """Values of a page that the features of its columns are relative to."""

    url: str
    candidates: int  # the number of candidates
    chars: float  # the length of the text
    h1: int | None  # the order of the first h1


def column_features(columns: Sequence[Column], extents: Sequence[Extents], page: PageContext) -> Singles:
    """Return the features of the columns of a page, (columns, FEATURES)."""
    host = host_of(page.url)
    rows = [
        [*_texts(column), *_kind(column), *_addresses(column, host), *_outer(column), *_place(column, page)]
        for column in columns
    ]
    chars = [sum(len(member.text) for member in column.members) for column in columns]
    most_chars, most = max(chars, default=1), max((len(column.members) for column in columns), default=1)
    known: dict[Any, _Record] = {}  # parallel columns have the same records
    sizes = [
        [own / max(page.chars, 1.0), own / most_chars, len(column.members) / most]
        for column, own in zip(columns, chars, strict=True)
    ]
    inside = [_records(column, extent, known) for column, extent in zip(columns, extents, strict=True)]
    joined = [[*row, *size, *record] for row, size, record in zip(rows, sizes, inside, strict=True)]
    return np.array(joined, dtype=np.float32).reshape(len(columns), len(FEATURES))


def _texts(column: Column) -> list[float]:
    texts = [member.text for member in column.members]
    count, words = len(texts), sorted(len(_WORD.findall(text)) for text in texts)
    letters = sum(map(len, texts)) or 1
    return [
        math.log(count),
        len(set(texts)) / count,
        len({member.url for member in column.members}) / count,
        sum(words) / count,
        words[count // 10],
        words[-1 - count // 10],
        letters / max(sum(words), 1),
        sum(sum(map(str.isdecimal, text)) for text in texts) / letters,
        _mean(has_date(text) for text in texts[:_SAMPLED_MEMBERS]),
        _mean(_PRICE.search(text) is not None for text in texts[:_SAMPLED_MEMBERS]),
    ]


def _kind(column: Column) -> list[float]:
    members, first = column.members, column.members[0]
    near = (first.element, *islice(first.element.iterancestors(), 3), *first.element.iter(*HEADING_LEVELS))
    level = next(filter(None, (HEADING_LEVELS.get(each.tag) for each in near)), 0)
    is_link = first.element.tag == "a"
    return [
        level > 0,
        level,
        is_link,
        not is_link and first.url is not None,
        column.level,
        len(members) / column.whole,
        _mean(member.text[:1].islower() for member in members),
        _mean(member.text[-1:] in ".!…»>:" for member in members),
    ]


def _addresses(column: Column, host: str) -> list[float]:
    members = [member for member in column.members[: 5 * _SAMPLED_MEMBERS] if member.url]
    if not members:
        return [-1.0] * 8
    parts = [address_of(member.url) for member in members]
    paths = [part.path.strip("/").split("/") for part in parts]
    places = Counter((part.netloc, path[0]) for part, path in zip(parts, paths, strict=True))
    depths = Counter(map(len, paths))
    return [
        _mean(part.host == host for part in parts),
        places.most_common(1)[0][1] / len(parts),
        depths.most_common(1)[0][1] / len(parts),
        _mean(path[-1].count("-") + path[-1].count("_") > 2 for path in paths),
        *_address_words(members, [path[-1] or path[0] for path in paths]),
        _mean(bool(part.query) for part in parts),
    ]


def _outer(column: Column) -> list[float]:
    """Return how close the ancestors with certain tags or names are: 1 for a parent, less above it, 0 for none."""
    found = [0.0] * 7
    for distance, element in enumerate(islice(column.members[0].element.iterancestors(), _LEVELS)):
        if element.tag == "body":
            break
        near = 1 / (1 + distance)
        place = _OUTER.get(element.tag)
        if place is not None and not found[place]:
            found[place] = near
        for number, words in ((4, _MENU), (5, _RELATED), (6, _FACTS)):
            if not found[number] and not words.isdisjoint(_name_words(element)):
                found[number] = near
    return found


def _place(column: Column, page: PageContext) -> list[float]:
    orders = [member.order for member in column.members]
    before = -1.0 if page.h1 is None else _mean(order < page.h1 for order in orders)
    return [orders[0] / page.candidates, orders[-1] / page.candidates, before]


@dataclass(slots=True)
class _Record:
    """The content of the element of a record."""

    text: str
    has_image: bool
    has_price: bool
    links: int
    addresses: int
    longest_link: int
    headings: int

    @classmethod
    def of(cls, element: Any) -> _Record:
        links = [*element.iter("a")]
        text = rough_text(element)
        return cls(
            text,
            next(element.iter("img", "picture"), None) is not None,
            _PRICE.search(text[:_LOOK]) is not None,
            len(links),
            len({link.get("href") for link in links}),
            max((len(rough_text(link)) for link in links[:_SAMPLED_MEMBERS]), default=0),
            sum(1 for _ in element.iter(*HEADING_LEVELS)),
        )

    def features(self, title: str, is_heading: bool) -> list[float]:
        """Return the features of the record, given its title and whether the title is a heading."""
        length = max(len(self.text), 1)
        return [
            math.log1p(len(self.text)),
            self.has_image,
            has_date(self.text[:_LOOK].replace(title, " ")),
            self.has_price,
            self.links,
            self.addresses,
            len(title) / length,
            max(self.text.find(title), 0) / length,
            len(title) >= self.longest_link,
            self.headings - is_heading,
        ]


def _records(column: Column, extents: Extents, known: dict[Any, _Record]) -> list[float]:
    count, rows = len(column.members), []
    for at in range(0, count, max(1, count // _SAMPLED_MEMBERS))[:_SAMPLED_MEMBERS]:
        member, element = column.members[at], extents.elements[at]
        if (record := known.get(element)) is None:
            record = known[element] = _Record.of(element)
        rows.append(record.features(member.text, member.element.tag in HEADING_LEVELS))
    return [*np.mean(np.array(rows, dtype=np.float64), axis=0).tolist(), extents.height, extents.alike]


@remembered(1 << 12)
def _words_of(names: str) -> frozenset[str]:
    return frozenset(attribute_words(names).every)


def _name_words(element: Any) -> frozenset[str]:
    names = f"{element.get('class') or ''} {element.get('id') or ''} {element.get('role') or ''}"
    return _words_of(names) if names != "  " else frozenset()


def _address_words(members: Sequence[Member], slugs: Sequence[str]) -> list[float]:
    """Return precision, recall and F1 of the words in texts against those in the last parts of their URLs."""
    hits = texts = addresses = 0
    for member, slug in zip(members, slugs, strict=True):
        ours, theirs = set(_WORD.findall(member.text.casefold())), set(_SLUG_WORD.findall(slug.casefold()))
        hits, texts, addresses = hits + len(ours & theirs), texts + len(ours), addresses + len(theirs)
    return [hits / max(texts, 1), hits / max(addresses, 1), 2 * hits / max(texts + addresses, 1)]


def _mean(values: Iterable[bool]) -> float:
    listed = [*values]
    return sum(listed) / len(listed) if listed else 0.0


#: The names of the features of a column compared with the others of its list, in order.
TITLE_FEATURES = (
    *FEATURES,
    *"words_of_most address_f1_below heading_below longer shorter columns distinct_below count_below".split(),
    *"within holds".split(),
)
#: The names of the features of a list, in order: those of its title column, and the number of its columns.
LIST_FEATURES = (*FEATURES, "columns")

# Two columns belong to the same list if they share at least this part of the URLs of the larger one.
_SHARED = 0.7
_LISTS_OF_ADDRESS = 50  # the maximum number of lists that are compared by one URL, to keep time linear
_HEADING_LINKS = 6  # the number of links of a record that are read to find the URL of its heading
_SAMPLE = 8
_WORDS, _HEADING, _F1 = (FEATURES.index(name) for name in ("words", "heading", "address_f1"))
_DISTINCT, _COUNT = (FEATURES.index(name) for name in ("distinct_texts", "log_count"))


@dataclass(slots=True, eq=False)
class PageLists:
    """The columns of a page, their features (columns, FEATURES), and its lists, as indices of columns."""

    columns: list[Column]
    features: Singles
    lists: list[list[int]]

    @classmethod
    def of(cls, page: ParsedPage) -> PageLists:
        """Find the lists of a page, in linear time."""
        addresses = Addresses(base_url(page.root, page.url) or "")
        columns = columns_of(page.root, addresses)
        extents = [Extents([member.element for member in column.members]) for column in columns]
        for column, extent in zip(columns, extents, strict=True):
            _add_addresses(column, extent.elements, addresses)
        features = column_features(columns, extents, _context(page, columns))
        return cls(columns, features, _lists(columns))

    def title_features(self, number: int) -> Singles:
        """Return the features that show which column of a list has the titles, (columns of it, TITLE_FEATURES)."""
        chosen = self.lists[number]
        own = self.features[chosen]
        words, most = own[:, _WORDS], own.max(axis=0)
        texts = [[member.text for member in self.columns[column].members[:_SAMPLE]] for column in chosen]
        relative = [
            words / max(float(most[_WORDS]), 0.1),
            most[_F1] - own[:, _F1],
            most[_HEADING] - own[:, _HEADING],
            (words[:, None] < words).sum(axis=1),
            (words[:, None] > words).sum(axis=1),
            np.full(len(chosen), len(chosen)),
            most[_DISTINCT] - own[:, _DISTINCT],
            most[_COUNT] - own[:, _COUNT],
            [max((_share_within(text, other) for other in texts if other is not text), default=0.0) for text in texts],
            [max((_share_within(other, text) for other in texts if other is not text), default=0.0) for text in texts],
        ]
        return np.column_stack([own, *relative]).astype(np.float32)

    def list_features(self, titles: Sequence[int]) -> Singles:
        """Return the features of the lists, given the title column of each, (lists, LIST_FEATURES)."""
        return np.column_stack([self.features[list(titles)], [*map(len, self.lists)]]).astype(np.float32)


def _context(page: ParsedPage, columns: Sequence[Column]) -> PageContext:
    members = [member for column in columns for member in column.members]
    return PageContext(
        page.url or "",
        max((member.order for member in members), default=0) + 1,
        sum(len(block.text) for block in page.raw_blocks),
        next((member.order for member in members if member.element.tag == "h1"), None),
    )


def _add_addresses(column: Column, records: Sequence[Any], addresses: Addresses) -> None:
    """Set the URL of headings outside links to that of a link in their record, preferably one of no other record."""
    if column.members[0].url is not None:
        return
    links = [islice(record.iter("a"), _HEADING_LINKS) for record in records]
    found = [[url for link in each if (url := addresses(link.get("href")))] for each in links]
    times = Counter(url for urls in found for url in set(urls))
    for member, urls in zip(column.members, found, strict=True):
        member.url = next((url for url in urls if times[url] == 1), urls[0] if urls else None)


def _lists(columns: Sequence[Column]) -> list[list[int]]:
    """Group columns by their URLs. Larger columns come first; each joins the first list that it is similar to."""
    urls = [{member.url for member in column.members} - {None} for column in columns]
    lists: list[list[int]] = []
    with_url: defaultdict[str | None, list[int]] = defaultdict(list)  # the lists whose first column has a URL
    for number in sorted(range(len(columns)), key=lambda number: -len(columns[number].members)):
        own = urls[number]
        if not own:
            continue
        shared = Counter(chain.from_iterable(with_url[url] for url in own))
        like = (
            place for place, count in shared.items() if count >= _SHARED * max(len(own), len(urls[lists[place][0]]))
        )
        if (place := min(like, default=None)) is not None:
            lists[place].append(number)
            continue
        for url in own:
            if len(with_url[url]) < _LISTS_OF_ADDRESS:
                with_url[url].append(len(lists))
        lists.append([number])
    return lists


def _share_within(texts: Sequence[str], others: Sequence[str]) -> float:
    """Return the share of texts that are a part of the text at the same position of another column."""
    pairs = [*zip(texts, others, strict=False)]
    return sum(text != other and text in other for text, other in pairs) / max(len(pairs), 1)
