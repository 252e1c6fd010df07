"""Lists of records: columns of similar elements, the lists that they form, and the URL of the next page.

A column is a group of elements in similar positions that may be the titles of records. Its members are links, the
elements in them that contain text, and headings outside links, with the same path. Paths consist of tags, of tags and
the closest class names, or of tags and all class names: tags group records whose class names differ, class names
separate lists with the same tags. Columns that share most of their URLs form a list; one column of each has the titles.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.read.dates import is_dated
from scrapy_semtext.read.thread_pages import current_page, is_page_of
from scrapy_semtext.tree.elements import is_read, rough_text, shown_text
from scrapy_semtext.tree.parsing import base_url, from_outside_in
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of, host_of, parsed, resolved
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.characters import one_line
from scrapy_semtext.words.cues import has_date
from scrapy_semtext.words.word_tables import WORDS, alternatives
from scrapy_semtext.words.words import attribute_words

if TYPE_CHECKING:
    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.utils.arrays import Singles


_SHARED_OWNER = -1
#: The maximum number of elements between two records that can belong to them.
_MAX_SIBLINGS = 6
#: The share of records that counts as most of them.
_MAJORITY = 0.6
#: The number of pieces of text that are read for a date beside a title, and its maximum length in characters.
_MAX_TEXTS, _MAX_DATE_CHARS = 12, 60
#: The minimum number of members of a column, and of distinct URLs in it.
MIN_MEMBERS = 3
#: The minimum share of distinct texts in a column.
_MIN_DISTINCT = 0.3
#: Two columns alternate if the number of changes between them is more than this share of the shorter column.
_MIN_CHANGES = 0.8
#: The maximum length of a title, in characters.
MAX_TITLE_CHARS = 300
# The maximum depth at which text is read inside a link.
_MAX_PATH_DEPTH = 10
# Elements that contain no titles of records.
_UNREAD_TAGS = ("nav", "footer")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_DIGITS = re.compile(r"\d+")
# Class names that differ between the records of one list.
_MODIFIER = re.compile(r"(?:^|[-_])(?:odd|even|first|last|active|selected|current|sponsored|promoted|featured|alt)$")
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
_MAX_RECORD_CHARS = 500
#: The number of ancestors of a column that are read for its features.
_MAX_DEPTH = 30
_WORD = re.compile(r"\w+")
_SLUG_WORD = re.compile(r"[^\W_]+")
_PRICE = re.compile(r"[$€£¥₹₽]\s?\d|\d\s?(?:[$€£¥₹₽]|(?:usd|eur|gbp|kr|zł|руб)\b)", re.IGNORECASE)
_OUTER_TAGS = {"nav": 0, "header": 1, "footer": 2, "aside": 3}
# Words in the names of elements that contain menus, teasers of other pages, and facts about a record.
_MENU, _RELATED, _FACTS = (frozenset(WORDS[name]) for name in ("menu", "related", "facts"))
#: The names of the features of a column compared with the others of its list, in order.
TITLE_FEATURES = (
    *FEATURES,
    *"words_of_most address_f1_below heading_below longer shorter columns distinct_below count_below".split(),
    *"within holds".split(),
)
#: The names of the features of a list, in order: those of its title column, and the number of its columns.
LIST_FEATURES = (*FEATURES, "columns")
# Two columns belong to the same list if they share at least this part of the URLs of the larger one.
_MIN_SHARED_URLS = 0.7
_MAX_LISTS_OF_URL = 50  # the maximum number of lists that are compared by one URL, to keep time linear
_MAX_HEADING_LINKS = 6  # the number of links of a record that are read to find the URL of its heading
_SAMPLED_TEXTS = 8
_WORDS, _HEADING, _F1 = (FEATURES.index(name) for name in ("words", "heading", "address_f1"))
_DISTINCT, _COUNT = (FEATURES.index(name) for name in ("distinct_texts", "log_count"))
# The whole text of a link to the next page: a word, a sign, or both.
_IS_NEXT = re.compile(rf"\W*(?:{alternatives('next')})\W*|[»›>→❯⟩]{{1,2}}|&gt;", re.IGNORECASE)
# A name or label of a link to the next page that shows an icon.
_NAMED_NEXT = re.compile(r"(?:^|[\s_-])(?:next|nextpage|pagination-next|pager-next|older)(?:$|[\s_-])", re.IGNORECASE)
# Names of elements around page numbers.
_NAMED_PAGER = re.compile(
    r"pagin|pager|page-?num|page-?nav|page-?links?|(?:^|\s)pages(?:\s|$)|wp-pagenavi|seiten|nav-?links", re.IGNORECASE
)
_MAX_NEXT_CHARS = 30  # the maximum length of the text of a link to the next page, in characters
_MAX_PAGER_LEVELS = 2  # the number of ancestors of a link that are searched for page numbers
_MAX_NAME_LEVELS = 4  # the number of elements, the link and its ancestors, that may have the name of a pager
_NUMBER = re.compile(r"(?:\w+ )?(\d{1,4})")
_IN_ADDRESS = re.compile(r"(?:[?&](?:page|paged|pg|pagina|seite|pn)=|/page[/-]?|/p)(\d{1,4})(?=$|[/?&#.])")


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
        features = self.features[chosen]
        words, maximum = features[:, _WORDS], features.max(axis=0)
        texts = [[member.text for member in self.columns[column].members[:_SAMPLED_TEXTS]] for column in chosen]
        relative = [
            words / max(float(maximum[_WORDS]), 0.1),
            maximum[_F1] - features[:, _F1],
            maximum[_HEADING] - features[:, _HEADING],
            (words[:, None] < words).sum(axis=1),
            (words[:, None] > words).sum(axis=1),
            np.full(len(chosen), len(chosen)),
            maximum[_DISTINCT] - features[:, _DISTINCT],
            maximum[_COUNT] - features[:, _COUNT],
            [max((_share_within(own, other) for other in texts if other is not own), default=0.0) for own in texts],
            [max((_share_within(other, own) for other in texts if other is not own), default=0.0) for own in texts],
        ]
        return np.column_stack([features, *relative]).astype(np.float32)

    def list_features(self, titles: Sequence[int]) -> Singles:
        """Return the features of the lists, given the title column of each, (lists, LIST_FEATURES)."""
        return np.column_stack([self.features[list(titles)], [*map(len, self.lists)]]).astype(np.float32)


def _context(page: ParsedPage, columns: Sequence[Column]) -> PageContext:
    """Return what the features of the columns of a page are relative to."""
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
    links = [islice(record.iter("a"), _MAX_HEADING_LINKS) for record in records]
    found = [[url for link in each if (url := addresses(link.get("href")))] for each in links]
    times = Counter(url for urls in found for url in set(urls))
    for member, urls in zip(column.members, found, strict=True):
        member.url = next((url for url in urls if times[url] == 1), urls[0] if urls else None)


def _lists(columns: Sequence[Column]) -> list[list[int]]:
    """Group columns by their URLs. Larger columns come first; each joins the first list that it is similar to."""
    urls = [column.urls for column in columns]
    lists: list[list[int]] = []
    lists_of_url: defaultdict[str | None, list[int]] = defaultdict(list)  # the lists whose first column has a URL
    for number in sorted(range(len(columns)), key=lambda number: -len(columns[number].members)):
        own_urls = urls[number]
        if not own_urls:
            continue
        shared = Counter(chain.from_iterable(lists_of_url[url] for url in own_urls))
        similar = (
            index
            for index, count in shared.items()
            if count >= _MIN_SHARED_URLS * max(len(own_urls), len(urls[lists[index][0]]))
        )
        if (index := min(similar, default=None)) is not None:
            lists[index].append(number)
            continue
        for url in own_urls:
            if len(lists_of_url[url]) < _MAX_LISTS_OF_URL:
                lists_of_url[url].append(len(lists))
        lists.append([number])
    return lists


def _share_within(texts: Sequence[str], others: Sequence[str]) -> float:
    """Return the share of texts that are a part of the text at the same position of another column."""
    pairs = [*zip(texts, others, strict=False)]
    return sum(text != other and text in other for text, other in pairs) / max(len(pairs), 1)


@dataclass(slots=True, eq=False)
class Member:
    """A candidate for a title. ``url`` is None for a heading outside links until the URL of its record is found.

    ``order`` is the position among the candidates of the page.
    """

    element: Any
    text: str
    url: str | None
    order: int


@dataclass(slots=True, eq=False)
class Column:
    """Candidates with the same path: of tags (``level`` 0), also of the closest class names (1), or of all (2)."""

    members: list[Member]
    level: int
    tag_count: int  # the number of candidates with the same tags

    @property
    def orders(self) -> list[int]:
        """The orders of the members."""
        return [member.order for member in self.members]

    @property
    def urls(self) -> set[str | None]:
        """The distinct URLs of the members."""
        return {member.url for member in self.members} - {None}


@dataclass(slots=True)
class _Paths:
    """Numbers the paths of elements: by tags, by tags and the closest class names, by tags and all class names."""

    known: dict[Any, tuple[int, int]] = field(default_factory=dict)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def of(self, element: Any) -> tuple[int, int, int]:
        """Return the numbers of the three paths of an element."""
        tags, names = from_outside_in(element, self.known, methodcaller("getparent"), self._within) or (-1, -1)
        outer = element.getparent()
        outer_names = "" if outer is None else outer.get("class", "")
        closest = tags, steady_names(element.get("class", "")), steady_names(outer_names)
        return tags, self._number(("closest", *closest)), names

    def _within(self, element: Any, outer: tuple[int, int] | None) -> tuple[int, int]:
        """Return the numbers of the paths by tags and by tags and all names, given those of the parent."""
        tags, names = outer or (-1, -1)
        return (
            self._number((tags, element.tag)),
            self._number((names, element.tag, steady_names(element.get("class", "")))),
        )

    def _number(self, key: tuple[Any, ...]) -> int:
        """Return the number of a path, a new one for a new path."""
        return self.numbers.setdefault(key, len(self.numbers))


def columns_of(root: Any, addresses: Addresses) -> list[Column]:
    """Return the columns of a page, in linear time."""
    paths = _Paths()
    groups: tuple[dict[int, list[Member]], ...] = (defaultdict(list), defaultdict(list), defaultdict(list))
    keys: list[tuple[int, int, int]] = []  # by order
    for order, (element, text, url) in enumerate(_candidates(root, addresses)):
        member, found = Member(element, text, url, order), paths.of(element)
        keys.append(found)
        for group, key in zip(groups, found, strict=True):
            group[key].append(member)
    columns = []
    for level, group in enumerate(groups):
        for members in group.values():
            if len(members) < MIN_MEMBERS:
                continue
            of_first = zip(groups[:level], keys[members[0].order], strict=False)
            wider = [len(others[key]) for others, key in of_first]
            if len(members) not in wider and _is_column(members):
                columns.append(Column(members, level, wider[0] if wider else len(members)))
    return sorted(columns, key=lambda column: (column.members[0].order, column.level))


class Addresses:
    """The absolute URLs of the links of a page, without fragments. Each is computed once."""

    def __init__(self, base: str) -> None:
        """Resolve links relative to the URL ``base``."""
        self.base = base
        host = address_of(base).netloc
        self._origin = f"{base.partition(':')[0]}://{host}" if host and "://" in base else ""
        self._known: dict[str | None, str | None] = {}

    def __call__(self, href: str | None) -> str | None:
        """Return the URL that a link leads to, or None if it does not lead to another page."""
        if href not in self._known:
            self._known[href] = self._absolute(href)
        return self._known[href]

    def _absolute(self, href: str | None) -> str | None:
        """Compute `__call__`; the fast cases come before urljoin."""
        href = (href or "").strip().partition("#")[0]
        if not href or ((not href.isascii() or "[" in href or "]" in href) and parsed(href) is None):
            return None
        if href.startswith(("http://", "https://")):
            return href
        if self._origin and href[0] == "/" and not href.startswith(("//", "/.")):
            return self._origin + href  # ten times as fast as urljoin
        if (scheme := _SCHEME.match(href)) and scheme[1].lower() not in ("http", "https"):
            return None
        return resolved(href, self.base)


def do_alternate(orders: Sequence[int], other_orders: Sequence[int]) -> bool:
    """Return whether the members of two columns, given their orders, alternate: they belong to the same records."""
    merged = sorted([(order, 0) for order in orders] + [(order, 1) for order in other_orders])
    changes = sum(first != second for (_, first), (_, second) in pairwise(merged))
    return changes > _MIN_CHANGES * min(len(orders), len(other_orders))


def _candidates(root: Any, addresses: Addresses) -> Iterator[tuple[Any, str, str | None]]:
    """Yield the element, text and URL of each candidate, in page order."""
    link, url = None, None
    tags = ("a", *HEADING_LEVELS)
    skipped = {element for outer in root.iter(*_UNREAD_TAGS) for element in outer.iter(*tags)}
    for element in root.iter(*tags):
        if element in skipped:
            continue
        if element.tag == "a":
            link, url = element, addresses(element.get("href"))
            if url is not None:
                yield from ((inner, text, url) for inner, text in _texts_in(element))
        elif (link is None or link not in element.iterancestors()) and next(element.iter("a"), None) is None:
            text = shown_text(element)
            if 0 < len(text) <= MAX_TITLE_CHARS:
                yield element, text, None


def _texts_in(link: Any) -> Iterator[tuple[Any, str]]:
    """Yield a link and the elements in it that contain a part of its text, with their texts. Headings are not split."""
    full_text = shown_text(link) or _label(link)
    if not full_text:
        return
    if len(full_text) <= MAX_TITLE_CHARS:
        yield link, full_text
    if not len(link):
        return
    stack = [(link, full_text, 0)]
    while stack:
        outer, text_around, depth = stack.pop()
        inner = [(child, shown_text(child)) for child in outer if is_read(child) and child.tag != "a"]
        for child, text in inner:
            if text and text != text_around and len(text) <= MAX_TITLE_CHARS:
                yield child, text
        if depth < _MAX_PATH_DEPTH:
            stack += [
                (child, text, depth + 1)
                for child, text in reversed(inner)
                if len(child) and text and child.tag not in HEADING_LEVELS
            ]


def _label(link: Any) -> str:
    """Return the label of an empty link that covers a record, if the record shows it as a text of its own."""
    label = "" if len(link) else one_line(link.get("aria-label") or link.get("title"))
    outer = link.getparent()
    is_shown = label and outer is not None and label in map(one_line, islice(outer.itertext(), _MAX_TEXTS))
    return label if is_shown else ""


def _is_column(members: list[Member]) -> bool:
    """Return whether the members have several URLs, or are headings outside links, and have enough distinct texts."""
    urls = {member.url for member in members}
    texts = {member.text for member in members}
    return (len(urls) >= MIN_MEMBERS or None in urls) and len(texts) >= _MIN_DISTINCT * len(members)


@remembered(1 << 13)
def steady_names(names: str) -> str:
    """Return the class names of an element, sorted, without digits and modifiers."""
    if not names:
        return ""
    names = _DIGITS.sub("", names.lower())
    return " ".join(sorted({name for name in names.split() if not _MODIFIER.search(name)}))


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
        [
            *_text_features(column),
            *_kind_features(column),
            *_url_features(column, host),
            *_ancestor_features(column),
            *_position_features(column, page),
        ]
        for column in columns
    ]
    chars = [sum(len(member.text) for member in column.members) for column in columns]
    most_chars, most_members = max(chars, default=1), max((len(column.members) for column in columns), default=1)
    record_of: dict[Any, _Record] = {}  # parallel columns have the same records
    sizes = [
        [own_chars / max(page.chars, 1.0), own_chars / most_chars, len(column.members) / most_members]
        for column, own_chars in zip(columns, chars, strict=True)
    ]
    records = [_record_features(column, extent, record_of) for column, extent in zip(columns, extents, strict=True)]
    joined = [[*row, *size, *record] for row, size, record in zip(rows, sizes, records, strict=True)]
    return np.array(joined, dtype=np.float32).reshape(len(columns), len(FEATURES))


def _text_features(column: Column) -> list[float]:
    """Describe how many members there are, and their texts."""
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


def _kind_features(column: Column) -> list[float]:
    """Describe what kind of elements the members are: headings or links, and how their texts begin and end."""
    members, first = column.members, column.members[0]
    elements = (first.element, *islice(first.element.iterancestors(), 3), *first.element.iter(*HEADING_LEVELS))
    level = next(filter(None, (HEADING_LEVELS.get(element.tag) for element in elements)), 0)
    is_link = first.element.tag == "a"
    return [
        level > 0,
        level,
        is_link,
        not is_link and first.url is not None,
        column.level,
        len(members) / column.tag_count,
        _mean(member.text[:1].islower() for member in members),
        _mean(member.text[-1:] in ".!…»>:" for member in members),
    ]


def _url_features(column: Column, host: str) -> list[float]:
    """Describe the URLs of the first members, -1 for each feature if they have none."""
    members = [member for member in column.members[: 5 * _SAMPLED_MEMBERS] if member.url]
    if not members:
        return [-1.0] * 8
    parts = [address_of(member.url) for member in members]
    paths = [part.path.strip("/").split("/") for part in parts]
    indexes = Counter((part.netloc, path[0]) for part, path in zip(parts, paths, strict=True))
    depths = Counter(map(len, paths))
    return [
        _mean(part.host == host for part in parts),
        indexes.most_common(1)[0][1] / len(parts),
        depths.most_common(1)[0][1] / len(parts),
        _mean(path[-1].count("-") + path[-1].count("_") > 2 for path in paths),
        *_address_words(members, [path[-1] or path[0] for path in paths]),
        _mean(bool(part.query) for part in parts),
    ]


def _ancestor_features(column: Column) -> list[float]:
    """Return how close the ancestors with certain tags or names are: 1 for a parent, less above it, 0 for none."""
    closeness = [0.0] * 7
    for distance, element in enumerate(islice(column.members[0].element.iterancestors(), _MAX_DEPTH)):
        if element.tag == "body":
            break
        closeness_here = 1 / (1 + distance)
        index = _OUTER_TAGS.get(element.tag)
        if index is not None and not closeness[index]:
            closeness[index] = closeness_here
        names = _distinct_words(" ".join(element.get(name, "") for name in ("class", "id", "role")))
        for number, words in ((4, _MENU), (5, _RELATED), (6, _FACTS)):
            if not closeness[number] and not words.isdisjoint(names):
                closeness[number] = closeness_here
    return closeness


def _position_features(column: Column, page: PageContext) -> list[float]:
    """Return the positions of the first and the last member, and how many are before the first h1, as shares."""
    orders = column.orders
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
        """Read the content of an element."""
        links = [*element.iter("a")]
        text = rough_text(element)
        return cls(
            text,
            next(element.iter("img", "picture"), None) is not None,
            _PRICE.search(text[:_MAX_RECORD_CHARS]) is not None,
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
            has_date(self.text[:_MAX_RECORD_CHARS].replace(title, " ")),
            self.has_price,
            self.links,
            self.addresses,
            len(title) / length,
            max(self.text.find(title), 0) / length,
            len(title) >= self.longest_link,
            self.headings - is_heading,
        ]


def _record_features(column: Column, extents: Extents, record_of: dict[Any, _Record]) -> list[float]:
    """Return the mean features of a sample of records, and those of their extents."""
    count, rows = len(column.members), []
    for index in range(0, count, max(1, count // _SAMPLED_MEMBERS))[:_SAMPLED_MEMBERS]:
        member, element = column.members[index], extents.elements[index]
        if (record := record_of.get(element)) is None:
            record = record_of[element] = _Record.of(element)
        rows.append(record.features(member.text, member.element.tag in HEADING_LEVELS))
    return [*np.mean(np.array(rows, dtype=np.float64), axis=0).tolist(), extents.height, extents.alike]


@remembered(1 << 12)
def _distinct_words(names: str) -> frozenset[str]:
    """Return the distinct words of class names, ids and roles."""
    return frozenset(attribute_words(names).every)


def _address_words(members: Sequence[Member], slugs: Sequence[str]) -> list[float]:
    """Return precision, recall and F1 of the words in texts against those in the last parts of their URLs."""
    hits = texts = addresses = 0
    for member, slug in zip(members, slugs, strict=True):
        ours, theirs = set(_WORD.findall(member.text.casefold())), set(_SLUG_WORD.findall(slug.casefold()))
        hits, texts, addresses = hits + len(ours & theirs), texts + len(ours), addresses + len(theirs)
    return [hits / max(texts, 1), hits / max(addresses, 1), 2 * hits / max(texts + addresses, 1)]


def _mean(values: Iterable[bool]) -> float:
    """Return the share of true values, 0.0 if there are none."""
    listed = [*values]
    return sum(listed) / len(listed) if listed else 0.0


class Extents:
    """The elements of the records with the given titles (elements in page order). Takes linear time.

    ``elements``: the element of each record; ``height``: the most common number of levels from a title up to its
    record, and the most that are used; ``alike``: the share of records that reach it.
    """

    def __init__(self, titles: Sequence[Any]) -> None:
        chains = _chains(titles)
        self.height = _usual_height(chains)
        self.alike = sum(len(chain) > self.height for chain in chains) / len(titles)
        self.elements = [chain[min(len(chain) - 1, self.height)] for chain in chains]


def elements_of_records(titles: Sequence[Any], columns: Sequence[int]) -> list[list[Any]]:
    """Return the elements of the record of each title. Titles are in page order; ``columns`` numbers their columns.

    A record is one element and those beside it, if most records of its column have as many elements between them.
    """
    chains = _chains(titles)
    records: list[list[Any]] = [[] for _ in titles]
    for column in sorted(set(columns)):
        indexes = [index for index, number in enumerate(columns) if number == column]
        height = _usual_height([chains[index] for index in indexes])
        elements = [chains[index][min(len(chains[index]) - 1, height)] for index in indexes]
        for index, record in zip(indexes, _with_neighbors(elements), strict=True):
            records[index] = record
    return records


def _usual_height(chains: Sequence[Sequence[Any]]) -> int:
    """Return the most common number of levels from a title up to its record, the greatest if several are."""
    heights = Counter(map(len, chains))
    return max(heights, key=lambda height: (heights[height], height)) - 1


def _with_neighbors(elements: Sequence[Any]) -> list[list[Any]]:
    """Return each record's element and those beside it, if as many are between most records.

    The edges of a list show which are before a title and which behind it: only those of the first record precede the
    list, and only those of the last one follow it.
    """
    gaps = [_between(*neighbors) for neighbors in pairwise(elements)]
    usual = _usual_kinds(gaps)
    if not usual:
        return [[element] for element in elements]
    common, split = len(usual), _behind_title(elements, gaps, usual)
    records: list[list[Any]] = []
    for element, gap in zip(elements, [None, *gaps], strict=True):
        nearest = _siblings(element, common, preceding=True) if gap is None else gap[::-1]
        before = [each for each, kind in zip(nearest, usual[split:][::-1], strict=False) if _element_kind(each) == kind]
        if records:
            last = records[-1]
            last += _siblings(last[-1], split) if gap is None else gap[: min(split, len(gap) - len(before))]
        records.append([*before[::-1], element])
    return [*records[:-1], [*records[-1], *_siblings(elements[-1], split)]]


def _usual_kinds(gaps: Sequence[list[Any] | None]) -> list[Any]:
    """Return the usual kinds of the elements between two records, in order; none unless most gaps have equally many."""
    counted = Counter(len(gap) for gap in gaps if gap is not None)
    common, times = counted.most_common(1)[0] if counted else (0, 0)
    if not common or times < _MAJORITY * len(gaps):
        return []
    kinds = [[*map(_element_kind, gap)] for gap in gaps if gap is not None and len(gap) == common]
    return [Counter(column).most_common(1)[0][0] for column in zip(*kinds, strict=True)]


def _behind_title(elements: Sequence[Any], gaps: Sequence[list[Any] | None], usual: Sequence[Any]) -> int:
    """Return how many of the elements between two records belong to the first; as many as possible."""
    common = len(usual)
    edges = [index for index, gap in enumerate([None, *gaps, None]) if gap is None]
    firsts = [[*map(_element_kind, _siblings(elements[edge], common, preceding=True))] for edge in edges[:-1]]
    lasts = [[*map(_element_kind, _siblings(elements[edge - 1], common))] for edge in edges[1:]]
    return max(
        range(common, -1, -1), key=lambda split: _matches(lasts, usual[:split]) + _matches(firsts, usual[split:][::-1])
    )


def _element_kind(element: Any) -> tuple[str, str, bool]:
    """Return what the same parts of different records have in common: tag, class names, whether it is a date."""
    text = one_line(" ".join(islice(element.itertext(), _MAX_TEXTS)))
    return element.tag, steady_names(element.get("class", "")), len(text) <= _MAX_DATE_CHARS and is_dated(text)


def _matches(edges: Iterable[Sequence[Any]], kinds: Sequence[Any]) -> int:
    """Count the elements at edges of the list that are of the expected kinds."""
    return sum(kind == usual_kind for edge in edges for kind, usual_kind in zip(edge, kinds, strict=False))


def _siblings(element: Any, count: int, *, preceding: bool = False) -> list[Any]:
    """Return the elements behind an element, or before it, nearest first."""
    return [*islice(element.itersiblings("*", preceding=preceding), count)]


def _chains(titles: Sequence[Any]) -> list[list[Any]]:
    """Return, for each title, the title and its ancestors that contain no other title, innermost first."""
    owners: dict[Any, int] = {}
    chains: list[list[Any]] = [[] for _ in titles]
    for number, title in enumerate(titles):
        element = title
        while element is not None:
            owner = owners.get(element)
            if owner is None:
                owners[element] = number
                chains[number].append(element)
            elif owner == _SHARED_OWNER:
                break
            else:
                owners[element] = _SHARED_OWNER
            element = element.getparent()
    for number, path in enumerate(chains):
        while path and owners[path[-1]] != number:
            path.pop()
        if not path:  # a title that contains another, such as a heading with links
            path.append(titles[number])
    return chains


def _between(element: Any, following: Any) -> list[Any] | None:
    """Return the elements between two siblings, or None if they are not siblings or are too far apart."""
    behind = [*islice(element.itersiblings("*"), _MAX_SIBLINGS + 1)]
    return behind[: behind.index(following)] if following in behind else None


def next_page_of(root: Any, url: str | None, base: str, *, of_thread: bool = False) -> str | None:
    """Return the URL of the next page, the first of `next_pages_of`, or None if there is no link to it."""
    return next(iter(next_pages_of(root, url, base, of_thread=of_thread)), None)


def next_pages_of(root: Any, url: str | None, base: str, *, of_thread: bool = False) -> list[str]:
    """Return the URLs of links to the next page, the most likely one first. They have the same host as ``url``.

    URLs that are that of the page but for its number come first: others may belong to the pager of a board that the
    thread is in. Links with ``rel="next"`` come before links whose text or label means "next", and these before the
    page number after the current one. In a thread (``of_thread``), page numbers come before texts if the page marks the
    current number, and links outside a pager that may lead to another thread are skipped. Takes linear time.
    """
    addresses = Addresses(base)
    own_url = addresses(url) or ""
    host, own_bare = host_of(url or base), _bare(own_url)
    hrefs = dict.fromkeys(_next_candidates(root, url or "", of_thread=of_thread))
    found = [address for href in hrefs if (address := addresses(href))]
    other_pages = [address for address in found if _bare(address) != own_bare and host_of(address) == host]
    return sorted(other_pages, key=lambda address: not is_page_of(own_url, address))


def _bare(url: str) -> str:
    """Remove what does not make another page: the scheme of a URL and its trailing slash."""
    return url.partition("://")[2].rstrip("/")


def _next_candidates(root: Any, url: str, *, of_thread: bool) -> Iterator[str | None]:
    """Yield the ``href`` of links that may lead to the next page, see `next_pages_of`; some occur twice."""
    links = [link for link in root.iter("a", "link") if link.get("href")]
    yield from (link.get("href") for link in links if "next" in link.get("rel", "").lower().split())
    pager = _Pager([link for link in links if link.tag == "a"], url)
    current, named_next = pager.current_page(), pager.pagers_first(_is_named_next)
    following = pager.numbered(1 + (current or int((_IN_ADDRESS.search(url) or ("", 1))[1])))
    if of_thread:  # outside a pager, "next" may lead to the next thread, and an arrow to the last page
        in_pager = {*pager.pagers_first(lambda link, _text, pager: pager.holds(link))}
        named_next = [href for href in named_next if href in in_pager or pager.leads_on(href)]
    yield from (*following, *named_next) if of_thread and current else (*named_next, *following)


class _Pager:
    """The links of a page. Those in an element with the name of a pager or beside a page number are in a pager."""

    def __init__(self, links: Sequence[Any], url: str) -> None:
        self._url = url
        self.links = [(link, rough_text(link)) for link in links]
        self._numbers = Counter(
            outer
            for link, text in self.links
            if text.isdecimal()
            for outer in islice(link.iterancestors(), _MAX_PAGER_LEVELS)
        )

    def current_page(self) -> int | None:
        """Return the number of this page, if the pager shows it."""
        return current_page(link for link, _ in self.links)

    def numbered(self, number: int) -> list[str]:
        """Return the ``href`` of the links in the pager to the page with this number."""
        return self.pagers_first(lambda link, text, pager: _is_number(number, text) and pager.holds_number(link))

    def pagers_first(self, chosen: Callable[[Any, str, _Pager], bool]) -> list[str]:
        """Return the ``href`` of the chosen links, those in elements with the name of a pager first."""
        found = [link for link, text in self.links if chosen(link, text, self)]
        return [link.get("href") for link in sorted(found, key=lambda link: not _is_named(link))]

    def leads_on(self, href: str) -> bool:
        """Return whether a URL is that of another page of the same list or thread."""
        return is_page_of(self._url, resolved(href, self._url) or "")

    def holds_number(self, link: Any) -> bool:
        """Return whether a link with a number is in a pager or leads to a page that its URL shows to be another one."""
        return self.holds(link) or self.leads_on(link.get("href"))

    def holds(self, link: Any) -> bool:
        """Return whether a link is in a pager or in a menu. In a menu, a sign may be an arrow to the next page."""
        is_number = rough_text(link).isdecimal()
        has_number = any(self._numbers[outer] > is_number for outer in islice(link.iterancestors(), _MAX_PAGER_LEVELS))
        return (
            has_number
            or _is_named(link)
            or any(outer.tag == "nav" or outer.get("role") == "navigation" for outer in _levels_around(link))
        )


def _levels_around(link: Any) -> Iterator[Any]:
    """Yield a link and its closest ancestors, which may have the name of a pager."""
    return islice(chain((link,), link.iterancestors()), _MAX_NAME_LEVELS)


def _is_named(link: Any) -> bool:
    """Return whether a link or one of its closest ancestors has the name of a pager."""
    return any(
        _NAMED_PAGER.search(f"{each.get('class') or ''} {each.get('id') or ''} {each.get('aria-label') or ''}")
        for each in _levels_around(link)
    )


def _is_named_next(link: Any, text: str, pager: _Pager) -> bool:
    """Return whether the text of a link, or the label of a link without text, means "next"."""
    if len(text) > _MAX_NEXT_CHARS:
        return False
    if text:
        is_sign = not any(map(str.isalnum, text))
        return _IS_NEXT.fullmatch(text) is not None and (not is_sign or pager.holds(link))
    label = link.get("aria-label") or link.get("title", "")
    return _IS_NEXT.fullmatch(label) is not None or bool(
        _NAMED_NEXT.search(link.get("class", "")) and pager.holds(link)
    )


def _is_number(number: int, text: str) -> bool:
    """Return whether a text is a number, alone or after a word ("page 2")."""
    return (match := _NUMBER.fullmatch(text)) is not None and int(match[1]) == number
