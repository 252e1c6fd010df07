"""The metadata of a page with their sources: author, dates, language, site, description, license and details.

schema.org items in JSON-LD (and microdata) come first, then <meta> elements, then the visible text: a byline, a date
near the title. The breadcrumb trail comes from the markup or else from visible elements, a product only from the
markup. The license is that of the page, as opposed to that of a photo, a song or another work that its text shows or
names. The language of the text is detected by py3langid, which is installed with the extra scrapy-semtext[metadata] and
loaded on first use.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.details import Crumb, Details, Person, Product
from scrapy_semtext.read.dates import date_in, name_in
from scrapy_semtext.read.images import absolute, image_addresses, stated_address
from scrapy_semtext.read.kinds import KINDS, kinds_of
from scrapy_semtext.read.schema import (
    ORDER,
    Item,
    articles_in,
    as_list,
    items_by_id,
    jsonld_items,
    microdata_items,
    plain_text,
    types_of,
    walk,
)
from scrapy_semtext.read.title import same_title, title_of
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import shown_lines, text_line, text_of, text_of_html
from scrapy_semtext.tree.parsing import base_url
from scrapy_semtext.tree.tags import GROUPS, Group
from scrapy_semtext.utils.address import address_of
from scrapy_semtext.utils.extras import load_extra
from scrapy_semtext.words.characters import letters_of, one_line, without_entities
from scrapy_semtext.words.cues import Day, day_of_address, days_in, is_day, months_go_first, readings_of
from scrapy_semtext.words.word_tables import LABELS, WORDS, alternatives, labels
from scrapy_semtext.words.words import identifier, language_of_text, primary_language

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from lxml import etree


_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ]\s*((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
#: Names of elements, properties and <meta> for dates of something that a page is about, not of the page.
OF_OCCASION = re.compile(alternatives("occasion"), re.IGNORECASE)
_CHANGED, _PUBLISHED, _UNRELATED = map(labels, ("changed", "published", "unrelated"))
_NAMED_CHANGED = re.compile(r"updated|modif", re.IGNORECASE)
_NAMED_PUBLISHED = re.compile(r"publi|pubdate|posted|entry-(?:date|time)", re.IGNORECASE)
# The maximum length of a line with a date, of its label, and of other text in its line, in characters.
_MAX_DATE_CHARS, _MAX_LABEL_CHARS, _MAX_BESIDE_CHARS = 120, 40, 30
# How many lines above and below the title the page's date or author may be, and the maximum number of days elsewhere.
_MAX_LINES_ABOVE, _MAX_LINES_BELOW, _MAX_DAYS = 4, 12, 3

_RIGHTS_META = WORDS["rights"]
_FREE_LICENSE = re.compile(r"//(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/", re.IGNORECASE)
_FREE_LICENSE_NAME = re.compile(r"\s*CC(?:0|[ -]BY(?:-(?:SA|NC|ND))*)(?: \d\.\d)?\s*", re.IGNORECASE)
_OTHER_WORK, _OWN_TEXT = (
    re.compile(rf"(?<![^\W\u2e80-\U0003ffff])(?:{alternatives(name)})(?![^\W\u2e80-\U0003ffff])", re.IGNORECASE)
    for name in ("other work", "own text")
)
_HOLDS_OTHER = re.compile(rf"(?:^|[\s/_-])(?:{alternatives('holds other work')})(?:$|[\s_-])", re.IGNORECASE)
_HOLDS_LICENSE = re.compile(alternatives("holds license"), re.IGNORECASE)
_FIGURES = frozenset(("figure", "figcaption", "caption"))
# The maximum number of links that are examined, and of elements around one whose names are.
_MAX_LINKS, _MAX_NAME_LEVELS = 20, 3

_IMAGE_META = WORDS["image"]
_BREADCRUMB_NAMES = re.compile(r"bread-?_?crumb", re.IGNORECASE)
_SEPARATORS = " \t\n\r\f\xa0/\\|»›>→·•:-–—"
# The maximum number of entries, characters of an entry, and trails examined.
_MAX_CRUMBS, _MAX_ENTRY_CHARS, _MAX_TRAILS = 20, 200, 10

_TYPES = frozenset(("Product", "IndividualProduct", "ProductModel", "ProductGroup"))
_GTINS = ("gtin", "gtin8", "gtin12", "gtin13", "gtin14")
_AVAILABLE = frozenset("InStock LimitedAvailability OnlineOnly InStoreOnly".split())
_UNAVAILABLE = frozenset("OutOfStock SoldOut Discontinued".split())
_AMOUNT = re.compile(r"(\d+)(?:\.(\d+))?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CURRENCY = re.compile(r"[A-Z]{3}")

#: The parts of a page's metadata, by their names in items.
PARTS = ("author", "published", "language", "site_name", "description")

_META = {part: WORDS[part] for part in ("author", "site_name", "description", "published")}
_OF_DATE, _OF_CHANGE = re.compile(r"date|publi|issued|creat|time$|stamp|modif"), re.compile(r"modif|updat|revis")
_OCCASIONS = WORDS["occasions"]
_BYLINE = re.compile(rf"(?:^|[\s_-])(?:{alternatives('byline')})(?:$|[\s_-])", re.IGNORECASE)
_NOT_BYLINE = re.compile(alternatives("no byline"), re.IGNORECASE)
_ADDRESS = re.compile(r"https?:|www\.|@|\.(?:com|org|net)\b", re.IGNORECASE)
_EMAIL = re.compile(
    r"[(<\[]?\s?(?:mailto:)?\b([\w.+-]{1,64}(?:@|\s?[(\[]at[)\]]\s?)[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})\s?[)>\]]?",
    re.IGNORECASE,
)
_BY = labels("by", r"{}(?P<end>\s*[:：/]\s*|\s+|$)")
_AND = labels("and", r"(?<!\s)\s*[,;、，；]\s*(?:{}\s)?|(?<!\s)\s+{}\s+|(?<=[⺀-\U0003ffff])[和与及、]")
# What may follow a name on its line.
_BEHIND_NAME = re.compile(  # for text with collapsed white space
    r" ?(?:[|•·»]| [-–—] |(?:, ?| )(?:on|updated|published|posted|last)\b|,? \S{1,12}[:：]"
    r"|, (?:\w+ )*(?:writer|reporter|correspondent|editor|staff)\b"
    r"|(?:, ?| )(?:(?:am|le|el|il|em|den|på|op|dne|dnia|в|à) )?\d).*$",
    re.IGNORECASE | re.DOTALL,
)
_NO_NAME = labels("published", r"\d+ ?min|{}")
_PARTICLES = frozenset(WORDS["particles"])
_MAX_NAME_CHARS, _MAX_LINE_CHARS, _MAX_OTHER_NAME_CHARS = 80, 160, 20
_OTHER_SCRIPTS = "\u2e80"  # from here on, names consist of few characters without a space
_MAX_VALUE_CHARS = 2000
# The maximum and minimum number of characters of the main text for language detection.
_MAX_LANGUAGE_CHARS, _MIN_LANGUAGE_CHARS = 2000, 60


class StatedDate(NamedTuple):
    """A date and time in ISO 8601, and the text that it was read from; None if unknown."""

    iso: str | None = None
    raw: str | None = None


NO_DATE = StatedDate()


@dataclass(slots=True)
class Metadata:
    """A page's metadata; None for parts that it does not state.

    ``published`` is a date as YYYY-MM-DD, ``language`` a language tag such as "en" or "pt-BR". ``sources`` gives the
    source of each part that is not None: "json-ld", "microdata", "opengraph", "meta", "html lang", "byline", "address"
    (a date in the page's URL), "page" (a date that the page displays), "text" (detected from the main text). ``people``
    are the individual authors, if the page states them separately. ``published_at`` and ``modified_at`` are the dates
    with their times; ``published`` is the day of the latter if only that is known.
    """

    author: str | None = None
    published: str | None = None
    language: str | None = None
    site_name: str | None = None
    description: str | None = None
    sources: dict[str, str] = field(default_factory=dict)
    people: list[Person] = field(default_factory=list)
    published_at: StatedDate = NO_DATE
    modified_at: StatedDate = NO_DATE

    def add(self, part: str, value: str | None, source: str) -> bool:
        """Set a part that has no value yet, and return whether it was set."""
        if not value or getattr(self, part) is not None:
            return False
        setattr(self, part, value)
        self.sources[part] = source
        return True

    def add_people(self, people: list[Person], source: str) -> None:
        """Set the authors, unless they are already set."""
        if self.add("author", ", ".join(person.name for person in people), source):
            self.people = people

    def add_date(self, date: StatedDate, source: str) -> None:
        """Set the date of publication, unless it is already set."""
        if date.iso and self.add("published", date.iso[:10], source):
            self.published_at = date

    def add_change(self, date: StatedDate) -> None:
        """Set the date of the last change, unless it is already set."""
        if date.iso and not self.modified_at.iso:
            self.modified_at = date


def require_metadata() -> None:
    """Load py3langid; raise MissingExtraError if it is not installed."""
    load_extra("py3langid", "metadata")
    identifier()


def metadata_of(
    root: etree._Element,
    main_text: str = "",
    url: str | None = None,
    *,
    stated: Iterable[tuple[str, list[Item]]] | None = None,
    title: str | None = None,
    found: Metadata | None = None,
) -> Metadata:
    """Return a page's metadata; its language is detected from ``main_text``.

    ``stated`` is the result of `markup_of` for the page, ``title`` is its title and ``found`` what is known of it, if
    already known. Raises MissingExtraError without py3langid.
    """
    found, title = found or Metadata(), title or title_of(root)
    syntaxes = list(markup_of(root) if stated is None else stated)
    for source, items in syntaxes:
        _add_items(found, items, source, title)
    occasion_days = {day for _, items in syntaxes for day in _days_of_occasions(items)}
    occasion_days.update(_days_of_elements(root))
    _add_meta(found, metas_of(root), url, occasion_days)
    for source, items in syntaxes:
        for item in articles_in(items, title):
            names = (plain_text(publisher.get("name")) for publisher in _items(item.get("publisher")))
            found.add("site_name", _short(next(names, None)), source)
    found.add("author", _byline(root), "byline")
    _add_language(found, root, main_text)
    if found.author is None or found.published is None:
        page = PageLines(root, title, main_text)
        published, changed = shown_dates(root, page, found.language, (found.modified_at.iso or "")[:10], occasion_days)
        found.add_date(published, "page")
        found.add_change(changed)
        found.add("author", _written_by(page), "byline")
    found.add("published", (found.modified_at.iso or "")[:10], "page")
    return found


def markup_of(root: etree._Element) -> Iterator[tuple[str, list[Item]]]:
    """Yield the schema.org items of the page by syntax: "json-ld", "microdata"."""
    yield "json-ld", jsonld_items(root)
    if next(root.iterfind(".//*[@itemscope]"), None) is not None:
        yield "microdata", microdata_items(root)


def _add_items(found: Metadata, items: list[Item], source: str, title: str | None) -> None:
    """Add what the items of a page of one syntax (``source``) state."""
    all_items = list(walk(items))
    by_id = items_by_id(all_items)
    for item in articles_in(items, title):
        found.add_people(_people(item.get("author"), by_id) or _people(item.get("creator"), by_id), source)
        found.add_date(_iso_date(item.get("datePublished") or item.get("dateCreated")), source)
        found.add_change(_iso_date(item.get("dateModified")))
        found.add("description", _short(plain_text(item.get("description"))), source)
    for item in all_items:
        found.add_date(_iso_date(item.get("datePosted")), source)  # of a job, or an offer of a house
        if "WebSite" in types_of(item):
            found.add("site_name", _short(plain_text(item.get("name"))), source)


def _days_of_occasions(items: list[Item]) -> Iterator[str]:
    """Yield the days of something that the page is about: an event, a deadline, a birth."""
    for item in walk(items):
        for value in (each for name in _OCCASIONS for each in as_list(item.get(name))):
            if day := _iso_date(value).iso:
                yield day[:10]


def _days_of_elements(root: etree._Element) -> Iterator[str]:
    """Yield the same days in RDFa."""
    for element in root.iterfind(".//*[@property]"):
        if OF_OCCASION.search(element.get("property", "")):
            value = element.get("content") or element.get("datetime") or text_line(element)
            if day := stated_date(value).iso:
                yield day[:10]


def _iso_date(value: Any) -> StatedDate:
    """Parse a date in markup; one that is not in ISO 8601 form was written by hand, or is not a date."""
    text = plain_text(value)
    return StatedDate(iso, text) if (iso := iso_of(text)) else NO_DATE


def _people(value: Any, by_id: dict[str, Item]) -> list[Person]:
    """Return the people in the value of a property, each name once; ``by_id``: items that it may refer to."""
    people: dict[str, Person] = {}
    for person in as_list(value):
        item = person
        if isinstance(person, dict) and "name" not in person:
            item = by_id.get(str(person.get("@id")), person)
        is_item = isinstance(item, dict) and "@value" not in item
        lines = (_name_of(item) if is_item else plain_text(item) or "").split("\n")
        url, email = (item.get(key) if is_item and len(lines) == 1 else None for key in ("url", "email"))
        for line in lines:
            if name := person_name(line):
                people.setdefault(name, _person(name, line, url, email))
    return list(people.values())


def _person(name: str, line: str, url: Any, email: Any) -> Person:
    """Return a person from their name, the line with it, and the values of properties."""
    in_line = _EMAIL.search(line)
    address = plain_text(email) or (in_line and in_line[1])
    url = url if isinstance(url, str) else None  # the text of an element is not a URL
    return Person(name, line.strip(), url, address and address.removeprefix("mailto:"))


def _name_of(item: Item) -> str:
    """Return the name of a person, put together from its parts if necessary."""
    parts = filter(None, (plain_text(item.get(part)) for part in ("givenName", "additionalName", "familyName")))
    return plain_text(item.get("name")) or plain_text(item.get("text")) or " ".join(parts)


def metas_of(root: etree._Element) -> dict[str, str]:
    """Return the content of <meta> elements by name in lower case; the first of each name wins."""
    found: dict[str, str] = {}
    for meta in root.iter("meta"):
        value = one_line(without_entities(meta.get("content", "")))
        for key in (meta.get("property"), meta.get("name"), meta.get("itemprop")):
            if key and value:
                found.setdefault(key.strip().lower(), value)
    return found


def _add_meta(found: Metadata, metas: dict[str, str], url: str | None, occasion_days: Collection[str]) -> None:
    """Add what <meta> elements and the URL state; ``occasion_days`` are days that the page is not of."""
    for key in _META["published"]:
        found.add_date(stated_date(metas.get(key)), _meta_source(key))
    if (day := day_of_address(address_of(url).path)) and day not in occasion_days:
        found.add_date(StatedDate(f"{day}T00:00:00"), "address")
    for key in filter(_OF_DATE.search, metas):
        if OF_OCCASION.search(key):
            continue
        if _OF_CHANGE.search(key):
            found.add_change(stated_date(metas[key]))
        else:
            found.add_date(stated_date(metas[key]), _meta_source(key))
    for part in ("author", "site_name", "description"):
        for key in _META[part]:
            if key == "twitter:data1" and not _BY.match(metas.get("twitter:label1", "")):
                continue
            if value := metas.get(key):
                found.add(part, (person_name if part == "author" else _short)(value), _meta_source(key))


def _meta_source(key: str) -> str:
    """Return the source of a <meta> with this name, see `Metadata`."""
    return "opengraph" if key.startswith(("og:", "article:")) else "meta"


def _byline(root: etree._Element) -> str | None:
    """Return the name in the first element marked as an author's by its ``rel``, ``itemprop``, or class."""
    for element in root.iter("a", "span", "p", "div", "address", "li", "em", "strong", "small", "cite", "h3", "h4"):
        property_name = element.get("itemprop") or element.get("property", "").rpartition(":")[2]
        is_marked = "author" in element.get("rel", "").lower().split() or property_name == "author"
        names = " ".join(filter(None, map(element.get, ("class", "id"))))
        if not is_marked and (not _BYLINE.search(names) or _NOT_BYLINE.search(names)):
            continue
        if name := person_name(text_of(element)):
            return name
    return None


def _written_by(page: PageLines) -> str | None:
    """Return the names near the title after a "By" that begins a line or follows a date, on that line or the next."""
    for index, line in enumerate(page.lines):
        if not page.is_near(index) or len(line) > _MAX_LINE_CHARS:
            continue
        days = days_in(line)
        begin = days[-1].start + len(days[-1].raw) if days else 0
        label = _BY.match(line) or (_BY.search(line, begin) if begin else None)
        if label is None:
            continue
        text = line[label.end() :] or "".join(page.lines[index + 1 : index + 2])
        name = person_name(text)
        if name and all(_is_name(part, one_word=":" in label["end"]) for part in names_in(name)):
            return name
    return None


def _is_name(text: str, *, one_word: bool) -> bool:
    """Return whether a text can only be a name: capitals, two without ``one_word``, or some other script."""
    words = text.split()
    if not text[0].islower() and not text[0].isupper():
        return len(words) <= 4 and len(text) <= _MAX_OTHER_NAME_CHARS and text[0].isalpha()
    capitals = [word[0].isupper() or word.lower() in _PARTICLES for word in words]
    return all(capitals) and words[-1][0].isupper() and (one_word or len(words) > 1) and not any(map(str.isdigit, text))


def names_in(author: str) -> list[str]:
    """Return the individual names in a text; the whole text if its parts may be last name and first name."""
    names = [name for name in _AND.split(author) if name]
    return (
        names if all(" " in name or (not name.isascii() and name[0] >= _OTHER_SCRIPTS) for name in names) else [author]
    )


def person_name(text: str) -> str | None:
    """Extract a name from a text that should contain one: "By Ann Lee | 3 May" gives "Ann Lee"."""
    text = one_line(_EMAIL.sub(" ", text[: 4 * _MAX_VALUE_CHARS]))[:_MAX_VALUE_CHARS]
    label = _BY.match(text)
    text = text[label.end() :] if label else text
    for day in days_in(text)[:1]:
        text = f"{text[: day.start]}1"
    text = _BEHIND_NAME.sub("", text).strip(" ,.;:|·-–—")
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text  # "ann@example.com (Ann Lee)"
    is_name = text and len(text) <= _MAX_NAME_CHARS and not _ADDRESS.search(text) and not _NO_NAME.match(text)
    if not is_name or text.lower() in LABELS["nobody"]:
        return None
    name = name_in(text) if len(text.split()) <= 6 else text if _AND.search(text) else None
    return name and ", ".join(names_in(name))


def _add_language(found: Metadata, root: etree._Element, main_text: str) -> None:
    """Add the page's stated language, unless its text is clearly in another: templates state that of their author."""
    stated = parsing.language(root)
    detected = language_of_text(main_text[:_MAX_LANGUAGE_CHARS]) if len(main_text) >= _MIN_LANGUAGE_CHARS else None
    if stated and (detected is None or primary_language(stated) == detected):
        found.add("language", stated, "html lang")
    found.add("language", detected, "text")


def _short(text: str | None) -> str | None:
    """Return a text on one line, cut to a maximum length; None if it is empty."""
    return one_line(text)[:_MAX_VALUE_CHARS] or None


class PageLines:
    """The lines of text of a page's body; ``begins`` are the lines where its title or main text begins."""

    def __init__(self, root: Any, title: str | None, main_text: str) -> None:
        body = root.find("body")
        self.lines = shown_lines(root if body is None else body)
        letters = [letters_of(line) if len(line) <= 2 * _MAX_DATE_CHARS else line for line in self.lines]
        title, first = letters_of(title or ""), letters_of(main_text.partition("\n")[0])
        equal = ([index for index, line in enumerate(letters) if line == begin != ""] for begin in (title, first))
        longer = [index for index, line in enumerate(letters) if title and line.startswith(title)]  # with subtitle
        self.begins: list[int] = next(filter(None, (*equal, longer)), [])

    def is_near(self, index: int) -> bool:
        """Return whether a line is near the beginning of the page's content."""
        return index >= 0 and any(-_MAX_LINES_ABOVE <= index - begin <= _MAX_LINES_BELOW for begin in self.begins)

    def near(self, days: Sequence[_ShownDay]) -> list[_ShownDay]:
        """Return the days on lines near the beginning of the page's content."""
        return [day for day in days if self.is_near(day.line)]

    def label_of(self, index: int, start: int, begin: int = 0) -> str:
        """Return the label of a text in a line: what precedes it or, if nothing does, a short line above."""
        if label := self.lines[index][begin:start].strip(" ([|·•-–—"):
            return label
        above = self.lines[index - 1] if index > 0 and index - 1 not in self.begins else ""
        return above if len(above) <= _MAX_LABEL_CHARS else ""


class _ShownDay(NamedTuple):
    """A day displayed on a page: its line, the text before it, names of its element, characters next to it."""

    line: int
    start: int
    date: StatedDate
    label: str
    names: str | None
    other_chars: int

    @property
    def iso(self) -> str:
        """The day as YYYY-MM-DD."""
        return (self.date.iso or "")[:10]

    @property
    def is_labeled(self) -> bool:
        """Whether its label or element says that it is the day of publication."""
        return (_PUBLISHED.search(self.label) or _NAMED_PUBLISHED.search(self.names or "")) is not None

    @property
    def is_change(self) -> bool:
        """Whether its label or element says that it is the day of a change, and nothing that it is of publication."""
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
    if iso is None and text and len(text) <= _MAX_DATE_CHARS:
        days = days_in(text)
        iso = f"{days[0].iso}T00:00:00" if days and days == days_in(text, month_first=True) else None
    return StatedDate(iso, text) if iso else NO_DATE


def shown_dates(
    root: Any, page: PageLines, language: str | None, known: str | None, unrelated: Collection[str] = ()
) -> tuple[StatedDate, StatedDate]:
    """Return when a page was published and changed, according to its text and its <time> elements.

    Days near the title take precedence, especially one labeled as the date of publication; elsewhere a day counts only
    if there are not many of its kind. Copyright lines and ages ("3 days ago") have no day. ``known`` is a day that the
    page states elsewhere, which decides how to read 05/12/2023; ``unrelated`` are days of what the page is about.
    """
    shown = [day for day in _shown_days(root, page, language, known) if day.is_labeled or day.iso not in unrelated]
    changes, days = ([day for day in shown if day.is_change is is_change] for is_change in (True, False))
    near_changes, near_days = page.near(changes), page.near(days)
    published = [day for day in near_days if day.is_labeled] or near_days
    if not published and not near_changes:
        published = _few_of_a_kind(days)
    return _first_date(published), _first_date(near_changes or changes)


def _shown_days(root: Any, page: PageLines, language: str | None, known: str | None) -> list[_ShownDay]:
    """Return the days of a page in page order; for the arguments see `shown_dates`."""
    short = [(index, line) for index, line in enumerate(page.lines) if len(line) <= _MAX_DATE_CHARS]
    read = {index: readings for index, line in short if any(readings := readings_of(line))}
    texts = ((page.lines[index], readings) for index, readings in read.items())
    month_first = months_go_first(texts, language, known) is True
    written = _days_in_text(page, [(index, readings[month_first]) for index, readings in read.items()])
    return sorted([*_days_of_times(root, page), *written], key=lambda day: (day.line, day.start))


def _few_of_a_kind(days: Sequence[_ShownDay]) -> list[_ShownDay]:
    """Return the labeled days, those of <time> elements, or those alone on their lines: the first that are few."""
    kinds = (
        [day for day in days if day.is_labeled],
        [day for day in days if day.names is not None],
        [day for day in days if day.other_chars <= _MAX_BESIDE_CHARS],
    )
    return next((kind for kind in kinds if 0 < len({day.iso for day in kind}) <= _MAX_DAYS), [])


def _first_date(days: Sequence[_ShownDay]) -> StatedDate:
    """Return the date of the first of these days, NO_DATE without any."""
    return days[0].date if days else NO_DATE


def _days_of_times(root: Any, page: PageLines) -> Iterator[_ShownDay]:
    """Yield the days of <time> elements, which are located in the lines in page order."""
    page_text = "\n".join(page.lines)
    begins = [0, *accumulate(len(line) + 1 for line in page.lines)]
    position = 0
    for element in root.iter("time"):
        value = element.get("datetime", "").strip()
        if (iso := stated_date(value).iso) is None:
            continue
        text_shown, outer = text_line(element), element.getparent()
        own_names = " ".join(element.get(name, "") for name in ("class", "itemprop", "property", "pubdate"))
        if OF_OCCASION.search(own_names):
            continue
        names = [own_names]
        line, start, label, other_chars = -1, 0, "", 0
        if outer is not None:
            names.append(outer.get("class"))
            label = (outer.text or "")[-_MAX_LABEL_CHARS:]
        if text_shown and (begin := page_text.find(text_shown, position)) >= 0:
            position = begin + len(text_shown)
            line = bisect_right(begins, begin) - 1
            start, other_chars = begin - begins[line], len(page.lines[line]) - len(text_shown)
            label = page.label_of(line, start)
        if _UNRELATED.search(label):
            continue
        date = StatedDate(iso, text_shown or value)
        yield _ShownDay(line, start, date, label, " ".join(filter(None, names)), other_chars)


def _days_in_text(page: PageLines, days_of_lines: list[tuple[int, tuple[Day, ...]]]) -> Iterator[_ShownDay]:
    """Yield the days of short lines, except copyright and membership lines."""
    for index, days in days_of_lines:
        line, end = page.lines[index], 0
        for day in days:
            label, end = page.label_of(index, day.start, end), day.start + len(day.raw)
            if not _UNRELATED.search(label):
                longer = date_in(line[day.start :]) or ""
                date = StatedDate(f"{day.iso}T00:00:00", longer if longer.startswith(day.raw) else day.raw)
                if day is days[-1] and _CHANGED.search(line, end) and not _PUBLISHED.search(line, end):
                    label = line[end:]
                yield _ShownDay(index, day.start, date, label, None, len(line) - len(date.raw or ""))


def license_of(root: Any, articles: Iterable[Item], metas: dict[str, str], base: str | None) -> str | None:
    """Return the URL or text of a page's license: of its markup, a link marked as license, one to Creative Commons.

    ``articles`` are the schema.org items of the page itself, ``metas`` its <meta> elements, ``base`` resolves URLs.
    """
    for item in articles:
        if stated := stated_address(item.get("license"), base) or plain_text(item.get("license")):
            return stated
    links = [link for link in root.iter("a", "link") if link.get("href")]
    marked, free, named = (
        [link for link in islice(filter(is_of_kind, links), _MAX_LINKS) if not _is_of_other(link)]
        for is_of_kind in (_has_license_rel, _leads_to_license, _is_named_license)
    )
    addresses = (absolute(link.get("href"), base) for link in (*marked, *filter(_is_of_page, free)))
    names = map(text_line, filter(_is_of_page, named))  # on Stack Exchange, the address is that of a help page
    return next(filter(None, (*addresses, *names, *map(metas.get, _RIGHTS_META))), None)


def _has_license_rel(link: Any) -> bool:
    """Return whether a link is marked as leading to a license."""
    return "license" in link.get("rel", "").lower().split()


def _leads_to_license(link: Any) -> bool:
    """Return whether a link leads to a license of Creative Commons."""
    return _FREE_LICENSE.search(link.get("href")) is not None


def _is_named_license(link: Any) -> bool:
    """Return whether a link is named as such a license, but leads elsewhere."""
    return _FREE_LICENSE_NAME.fullmatch(link.text or "") is not None and not _leads_to_license(link)


def _is_of_other(link: Any) -> bool:
    """Return whether a license is that of another work, because of its element or the words before it."""
    if any(outer.tag in _FIGURES for outer in link.iterancestors()):
        return True
    names = [*map(_names, islice(link.iterancestors(), _MAX_NAME_LEVELS))]
    if any(map(_HOLDS_OTHER.search, names)) and not any(map(_HOLDS_LICENSE.search, names)):
        return True
    link_text = text_line(link)
    text_before = text_line(_block(link)).partition(link_text)[0] if link_text else ""
    other_work, own_text = _OTHER_WORK.search(text_before), _OWN_TEXT.search(text_before)
    return other_work is not None and (own_text is None or other_work.start() < own_text.start())


def _is_of_page(link: Any) -> bool:
    """Return whether a license is the page's, because of its element, the words around it, or as it stands alone."""
    text = text_line(_block(link))
    is_in_license_element = any(_HOLDS_LICENSE.search(_names(outer)) for outer in link.iterancestors())
    return is_in_license_element or text == text_line(link) or _OWN_TEXT.search(text) is not None


def _block(link: Any) -> Any:
    """Return the innermost element around a link that bounds a text block."""
    return next((outer for outer in link.iterancestors() if GROUPS[outer.tag] not in (Group.INLINE, Group.LINK)), link)


def _names(element: Any) -> str:
    """Return the tag, classes, id and item type of an element in one string."""
    return " ".join((element.tag, *(element.get(name, "") for name in ("class", "id", "itemtype"))))


def details_of(
    root: Any,
    metadata: Metadata,
    stated: Sequence[tuple[str, list[Item]]],
    title: str | None,
    base: str | None,
) -> Details:
    """Return the details of a page, except its images and kinds.

    ``metadata`` is its metadata, ``stated`` are its schema.org items by syntax, ``base`` resolves its URLs.
    """
    items = [item for _, found in stated for item in walk(found)]
    by_id = items_by_id(items)
    articles = [item for _, found in stated for item in articles_in(found, title)]
    metas = metas_of(root)
    published, modified = metadata.published_at, metadata.modified_at
    return Details(
        canonical_url=_canonical(root, metas, base),
        document_title=one_line(root.findtext("head/title")) or None,
        authors=_authors(root, metadata, base),
        published=published.iso,
        published_raw=published.raw,
        modified=modified.iso,
        modified_raw=modified.raw,
        main_image=_main_image(articles, by_id, metas, base),
        breadcrumbs=breadcrumbs_of(root, items, base),
        product=product_of(items, by_id, title, base),
        license=license_of(root, articles, metas, base),
        tags=_subjects(root, articles, "keywords", ("article:tag", "keywords"), "tag"),
        categories=_subjects(root, articles, "articleSection", ("article:section",), "category"),
    )


def _canonical(root: Any, metas: dict[str, str], base: str | None) -> str | None:
    """Return the canonical URL that a page states."""
    for link in root.iter("link"):
        if "canonical" in link.get("rel", "").lower().split() and (address := absolute(link.get("href"), base)):
            return address
    return absolute(metas.get("og:url"), base)


def _authors(root: Any, metadata: Metadata, base: str | None) -> list[Person]:
    """Return the individual authors, with the URLs stated in the markup or linked from their names."""
    people = metadata.people
    if not people and metadata.author:
        people = [Person(name, metadata.author) for name in names_in(metadata.author)]
    links: dict[str, str | None] = {}
    if people:
        for link in root.iter("a"):
            if "author" in link.get("rel", "").lower().split() or link.get("itemprop") in ("author", "url"):
                links.setdefault(text_line(link), link.get("href"))
    return [
        replace(person, url=absolute(person.url, base) or absolute(links.get(person.name), base)) for person in people
    ]


def _subjects(root: Any, articles: Iterable[Item], key: str, names: tuple[str, ...], rel: str) -> list[str]:
    """Return the distinct subjects from the first source with any: markup, <meta>, links with a ``rel``."""
    metas = (meta for meta in root.iter("meta") if (meta.get("property") or meta.get("name")) in names)
    links = ((link, link.get("rel", "").lower().split()) for link in root.iter("a"))
    sources = (
        [plain_text(item.get(key)) for item in articles],
        [without_entities(meta.get("content", "")) for meta in metas],
        # a category may be marked as a tag, too
        [text_line(link) for link, rels in links if rel in rels and (rel == "category") == ("category" in rels)],
    )
    texts = next((source for source in sources if any(source)), [])
    parts = (part.strip() for text in filter(None, texts) for part in re.split(r"[,;\n，、；]", text))
    return list(dict.fromkeys(part for part in parts if 0 < len(part) <= _MAX_ENTRY_CHARS))


def _main_image(
    articles: Iterable[Item], by_id: Mapping[str, Item], metas: dict[str, str], base: str | None
) -> str | None:
    """Return the URL of the first image of the articles, or else of a <meta>."""
    for item in articles:
        for address in image_addresses(item.get("image"), by_id, base):
            return address
    return next(filter(None, (absolute(metas.get(name), base) for name in _IMAGE_META)), None)


def breadcrumbs_of(root: Any, items: Iterable[Item], base: str | None) -> list[Crumb]:
    """Return the entries of the breadcrumb trail, outermost first; empty if the page has no trail.

    ``items`` are the schema.org items of the page, ``base`` resolves its URLs. Microdata is read from its elements.
    """
    for item in items:
        if "BreadcrumbList" in types_of(item) and ORDER not in item and (crumbs := _stated_trail(item, base)):
            return crumbs
    return _shown_trail(root, base)


def _stated_trail(trail: Item, base: str | None) -> list[Crumb]:
    """Return the entries of a BreadcrumbList in the order of their positions."""
    crumbs = []
    for entry in sorted(_items(trail.get("itemListElement")), key=lambda entry: _number(entry.get("position")) or 0.0):
        target = entry.get("item")
        inner = target if isinstance(target, dict) else {}
        name = text_of_html(plain_text(entry.get("name")) or plain_text(inner.get("name")) or "")
        addresses = (stated_address(each, base) for each in (target, *map(inner.get, ("@id", "url")), entry.get("url")))
        if name:
            crumbs.append(Crumb(name, next(filter(None, addresses), None)))
    return crumbs


def _shown_trail(root: Any, base: str | None) -> list[Crumb]:
    """Return the entries of the first element marked as a breadcrumb trail with a link, preferably of two entries."""
    elements = root.iter("nav", "div", "ul", "ol", "p", "section", "span", "table", "td")
    single: list[Crumb] = []
    names = ("class", "id", "aria-label", "itemtype")
    named = (each for each in elements if any(_BREADCRUMB_NAMES.search(each.get(name, "")) for name in names))
    for element in islice(named, _MAX_TRAILS):
        entries = [entry for entry in element.iter("li") if next(islice(entry.iter("li"), 1, None), None) is None]
        crumbs = list(filter(None, (_entry(entry, base) for entry in entries or element.iter("a"))))
        if any(crumb.url for crumb in crumbs) and len(crumbs) <= _MAX_CRUMBS:
            if len(crumbs) > 1:
                return crumbs
            single = single or crumbs
    return single


def _entry(element: Any, base: str | None) -> Crumb | None:
    """Return an entry of a trail, None if the element has no name or a very long one."""
    link = element if element.tag == "a" else next(element.iter("a"), None)
    name = text_line(element).strip(_SEPARATORS)
    address = None if link is None else absolute(link.get("href"), base)
    return Crumb(name, address) if 0 < len(name) <= _MAX_ENTRY_CHARS else None


def product_of(items: Sequence[Item], by_id: Mapping[str, Item], title: str | None, base: str | None) -> Product | None:
    """Return the product that a page is about; None if its markup has none, or several but none with its title.

    ``items`` are all schema.org items of the page, including nested ones; ``by_id`` are those with an ``@id``.
    """
    named = [(item, name) for item in items if types_of(item) & _TYPES and (name := _text(item, "name"))]
    if len({name for _, name in named}) > 1:
        named = [(item, name) for item, name in named if title and same_title(name, title)]
    if not named:
        return None
    item = max((item for item, _ in named), key=len)  # of several with the same name, the most detailed
    offers = list(_offers(item))
    rating = next(iter(_items(item.get("aggregateRating"))), {})
    return Product(
        name=_text(item, "name"),
        description=_text(item, "description"),
        price=_common(map(_price, offers)),
        currency=_common(map(_currency, offers)),
        availability=_common(map(_availability, offers)),
        brand=_text(item, "brand") or next((_text(brand, "name") for brand in _items(item.get("brand"))), None),
        sku=_text(item, "sku"),
        mpn=_text(item, "mpn"),
        gtins=list(dict.fromkeys(filter(None, (_text(item, name) for name in _GTINS)))),
        rating=_number(rating.get("ratingValue")),
        best_rating=_number(rating.get("bestRating")),
        reviews=_count(rating.get("reviewCount") or rating.get("ratingCount")),
        images=image_addresses(item.get("image"), by_id, base),
    )


def _offers(item: Item) -> Iterable[Item]:
    """Return a product's offers; an AggregateOffer is replaced by its offers, if it states any."""
    for offer in _items(item.get("offers")):
        inner = list(_items(offer.get("offers")))
        yield from inner
        if not inner:
            yield offer


def _items(value: Any) -> Iterable[Item]:
    """Yield those values of a property that are items."""
    return (item for item in as_list(value) if isinstance(item, dict))


def _common(values: Iterable[str | None]) -> str | None:
    """Return the value that all offers share, None if they differ or one has none."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _price(offer: Item) -> str | None:
    """Return the price of an offer: stated directly, shared by its specifications, or its lowest one."""
    specified = (each.get("price") for each in _items(offer.get("priceSpecification")))
    return _amount(offer.get("price")) or _common(map(_amount, specified)) or _amount(offer.get("lowPrice"))


def _amount(value: Any) -> str | None:
    """Return an amount with a decimal point and at least two decimals; None if it is not a plain number."""
    text = (plain_text(value) or ("" if value is None or isinstance(value, (bool, dict, list)) else str(value))).strip()
    match = _AMOUNT.fullmatch(text.replace(",", "") if _GROUPED.fullmatch(text) else text)
    return f"{match[1]}.{(match[2] or '').ljust(2, '0')}" if match else None


def _currency(offer: Item) -> str | None:
    """Return the currency of an offer as a code of three letters."""
    for part in (offer, *_items(offer.get("priceSpecification"))):
        if match := _CURRENCY.fullmatch((plain_text(part.get("priceCurrency")) or "").strip().upper()):
            return match[0]
    return None


def _availability(offer: Item) -> str | None:
    """Return whether an offer is "InStock" or "OutOfStock"; None if it states neither."""
    value = offer.get("availability")
    stated = re.split(r"[/#:]", (plain_text(value) or "").strip())[-1]
    if stated in _AVAILABLE:
        return "InStock"
    return "OutOfStock" if stated in _UNAVAILABLE else None


def _text(item: Item, name: str) -> str | None:
    """Return the text of a property, which may be HTML; None if it is empty."""
    value = item.get(name)
    return text_of_html(plain_text(str(value) if isinstance(value, int) else value) or "") or None


def _number(value: Any) -> float | None:
    """Return a number that JSON can represent, None for any other value."""
    try:
        number = float(plain_text(value) or value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _count(value: Any) -> int | None:
    """Return a whole number that JSON can represent exactly, None for any other value."""
    number = _number(value)
    return int(number) if number is not None and number == number // 1 and abs(number) < 1 << 53 else None


@reader(
    (*PARTS, "metadata_sources", "metadata", "stated"),
    ("title", "main_text", "message"),
    asked=lambda options: options.reads_metadata,
)
def metadata_reader(reading: Reading, _: Models) -> tuple[Any, ...]:
    """Read author, date, language, site and description."""
    root, page = reading.parsed.root, reading.page
    stated = list(markup_of(root)) if reading.options.markup else []
    found = Metadata()
    if page.message is not None:
        found.add("author", page.message.author, "byline")
        found.add_date(StatedDate(f"{page.message.date}T00:00:00"[:19], page.message.date), "page")
    found = metadata_of(root, page.main_text, page.url, stated=stated, title=page.title, found=found)
    return *(getattr(found, part) for part in PARTS), found.sources, found, stated


@reader(
    "details",
    ("title", "main_text", "images", "metadata", "stated", "kinds", "posts"),
    asked=lambda options: options.details,
)
def details_reader(reading: Reading, _: Models) -> Details:
    """Read the details of a page, which include its metadata and kinds."""
    root, page, kinds = reading.parsed.root, reading.page, kinds_of(reading)
    details = details_of(root, reading.metadata, reading.stated, page.title, base_url(root, page.url))
    return replace(
        details,
        images=list(reading.images.values()),
        hostname=address_of(page.url).hostname or address_of(details.canonical_url).hostname or None,
        content_hash=sha256(page.main_text.encode(errors="replace")).hexdigest() if page.main_text else None,
        kinds={} if kinds is None else dict(zip(KINDS, (round(each, 4) for each in kinds.tolist()), strict=True)),
    )
