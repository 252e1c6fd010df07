"""A page's metadata: author, date of publication, language, site, description; each with its source.

schema.org items in JSON-LD (and microdata) come first, then <meta> elements, then the visible text: a byline, a date
near the title. The language of the text is detected by py3langid, which is installed with the extra
scrapy-semtext[metadata] and loaded on first use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.details import Person
from scrapy_semtext.dom import tree
from scrapy_semtext.dom.element_text import text_line, text_of
from scrapy_semtext.output.items import articles_in, items_by_id, listed, plain, types_of, walk
from scrapy_semtext.output.page_dates import (
    NO_DATE,
    OF_OCCASION,
    PageLines,
    StatedDate,
    iso_of,
    shown_dates,
    stated_date,
)
from scrapy_semtext.output.schema import jsonld_items, microdata_items
from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.bylines import name_in
from scrapy_semtext.text.days import day_of_address, days_in
from scrapy_semtext.text.folding import one_line, without_entities
from scrapy_semtext.text.languages import identifier, language_of_text, primary_language
from scrapy_semtext.text.word_tables import LABELS, WORDS, alternatives, labels
from scrapy_semtext.utils.address import address_of
from scrapy_semtext.utils.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from lxml import etree

    from scrapy_semtext.output.items import Item

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
_LONGEST_NAME, _LONGEST_LINE, _LONGEST_OTHER = 80, 160, 20
_OTHER = "\u2e80"  # from here on, names consist of few characters without a space
_LONGEST = 2000
# The maximum and minimum number of characters of the main text for language detection.
_ENOUGH, _LEAST = 2000, 60


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
    """Raise MissingExtraError unless the library is installed."""
    load_extra("py3langid", "metadata")
    identifier()


def metadata_of(
    root: etree._Element,
    main_text: str = "",
    url: str | None = None,
    *,
    stated: Iterable[tuple[str, list[Item]]] | None = None,
    title: str | None = None,
) -> Metadata:
    """Return a page's metadata; its language is detected from ``main_text``.

    ``stated`` is the result of `markup_of` for the page, ``title`` is its title, if already known. Raises
    MissingExtraError without py3langid.
    """
    found, title = Metadata(), title or title_of(root)
    syntaxes = list(markup_of(root) if stated is None else stated)
    for source, items in syntaxes:
        _add_items(found, items, source, title)
    others = {day for _, items in syntaxes for day in _days_of_occasions(items)}
    others.update(_days_of_elements(root))
    _add_meta(found, metas_of(root), url, others)
    for source, items in syntaxes:
        for item in articles_in(items, title):
            names = (plain(each.get("name")) for each in listed(item.get("publisher")) if isinstance(each, dict))
            found.add("site_name", _short(next(names, None)), source)
    found.add("author", _byline(root), "byline")
    _add_language(found, root, main_text)
    if found.author is None or found.published is None:
        page = PageLines(root, title, main_text)
        published, changed = shown_dates(root, page, found.language, (found.modified_at.iso or "")[:10], others)
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
    known = list(walk(items))
    by_id = items_by_id(known)
    for item in articles_in(items, title):
        found.add_people(_people(item.get("author"), by_id) or _people(item.get("creator"), by_id), source)
        found.add_date(_iso_date(item.get("datePublished") or item.get("dateCreated")), source)
        found.add_change(_iso_date(item.get("dateModified")))
        found.add("description", _short(plain(item.get("description"))), source)
    for item in known:
        found.add_date(_iso_date(item.get("datePosted")), source)  # of a job, or an offer of a house
        if "WebSite" in types_of(item):
            found.add("site_name", _short(plain(item.get("name"))), source)


def _days_of_occasions(items: list[Item]) -> Iterator[str]:
    """Yield the days of something that the page is about: an event, a deadline, a birth."""
    for item in walk(items):
        for value in (each for name in _OCCASIONS for each in listed(item.get(name))):
            if day := _iso_date(value).iso:
                yield day[:10]


def _days_of_elements(root: etree._Element) -> Iterator[str]:
    """Yield the same days in RDFa."""
    for element in root.iterfind(".//*[@property]"):
        if OF_OCCASION.search(element.get("property") or ""):
            value = element.get("content") or element.get("datetime") or text_line(element)
            if day := stated_date(value).iso:
                yield day[:10]


def _iso_date(value: Any) -> StatedDate:
    """Parse a date in markup; one that is not in ISO 8601 form was written by hand, or is not a date."""
    text = plain(value)
    return StatedDate(iso, text) if (iso := iso_of(text)) else NO_DATE


def _people(value: Any, by_id: dict[str, Item]) -> list[Person]:
    """Return one or more people, each name once."""
    people: dict[str, Person] = {}
    for person in listed(value):
        known = person
        if isinstance(person, dict) and "name" not in person:
            known = by_id.get(str(person.get("@id")), person)
        is_item = isinstance(known, dict) and "@value" not in known
        lines = (_name_of(known) if is_item else plain(known) or "").split("\n")
        url, email = (known.get(key) if is_item and len(lines) == 1 else None for key in ("url", "email"))
        for line in lines:
            if name := _name(line):
                beside = _EMAIL.search(line)
                address = plain(email) or (beside and beside[1])
                people.setdefault(
                    name,
                    Person(
                        name,
                        line.strip(),
                        url if isinstance(url, str) else None,  # the text of an element is not a URL
                        address and address.removeprefix("mailto:"),
                    ),
                )
    return list(people.values())


def _name_of(item: Item) -> str:
    parts = filter(None, (plain(item.get(part)) for part in ("givenName", "additionalName", "familyName")))
    return plain(item.get("name")) or plain(item.get("text")) or " ".join(parts)


def metas_of(root: etree._Element) -> dict[str, str]:
    """Return the content of <meta> elements by name in lower case; the first of each name wins."""
    found: dict[str, str] = {}
    for meta in root.iter("meta"):
        value = one_line(without_entities(meta.get("content") or ""))
        for key in (meta.get("property"), meta.get("name"), meta.get("itemprop")):
            if key and value:
                found.setdefault(key.strip().lower(), value)
    return found


def _add_meta(found: Metadata, metas: dict[str, str], url: str | None, others: Collection[str]) -> None:
    """Add what <meta> elements and the URL state; ``others`` are days that the page is not of."""
    for key in _META["published"]:
        found.add_date(stated_date(metas.get(key)), _meta_source(key))
    if (day := day_of_address(address_of(url).path)) and day not in others:
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
                found.add(part, (_name if part == "author" else _short)(value), _meta_source(key))


def _meta_source(key: str) -> str:
    return "opengraph" if key.startswith(("og:", "article:")) else "meta"


def _byline(root: etree._Element) -> str | None:
    """Return the name in the first element marked as an author's by its ``rel``, ``itemprop``, or class."""
    for element in root.iter("a", "span", "p", "div", "address", "li", "em", "strong", "small", "cite", "h3", "h4"):
        stated = element.get("itemprop") or (element.get("property") or "").rpartition(":")[2]
        marked = "author" in (element.get("rel") or "").lower().split() or stated == "author"
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if not marked and (not _BYLINE.search(names) or _NOT_BYLINE.search(names)):
            continue
        if name := _name(text_of(element)):
            return name
    return None


def _written_by(page: PageLines) -> str | None:
    """Return the names near the title after a "By" that begins a line or follows a date, on that line or the next."""
    for place, line in enumerate(page.lines):
        if not page.is_near(place) or len(line) > _LONGEST_LINE:
            continue
        days = days_in(line)
        begin = days[-1].start + len(days[-1].raw) if days else 0
        label = _BY.match(line) or (_BY.search(line, begin) if begin else None)
        if label is None:
            continue
        text = line[label.end() :] or "".join(page.lines[place + 1 : place + 2])
        name = _name(text)
        if name and all(_is_name(each, alone=":" in label["end"]) for each in names_in(name)):
            return name
    return None


def _is_name(text: str, *, alone: bool) -> bool:
    """Return whether a text can only be a name: capitalized words, or a few characters of other scripts."""
    words = text.split()
    if not text[0].islower() and not text[0].isupper():
        return len(words) <= 4 and len(text) <= _LONGEST_OTHER and text[0].isalpha()
    capitals = [word[0].isupper() or word.lower() in _PARTICLES for word in words]
    return all(capitals) and words[-1][0].isupper() and (alone or len(words) > 1) and not any(map(str.isdigit, text))


def names_in(author: str) -> list[str]:
    """Return the individual names in a text; the whole text if its parts may be last name and first name."""
    names = [name for name in _AND.split(author) if name]
    return names if all(" " in name or (not name.isascii() and name[0] >= _OTHER) for name in names) else [author]


def _name(text: str) -> str | None:
    """Extract a name from a text that should contain one: "By Ann Lee | 3 May" gives "Ann Lee"."""
    text = one_line(_EMAIL.sub(" ", text[: 4 * _LONGEST]))[:_LONGEST]
    label = _BY.match(text)
    text = text[label.end() :] if label else text
    for day in days_in(text)[:1]:
        text = f"{text[: day.start]}1"
    text = _BEHIND_NAME.sub("", text).strip(" ,.;:|·-–—")
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text  # "ann@example.com (Ann Lee)"
    is_name = text and len(text) <= _LONGEST_NAME and not _ADDRESS.search(text) and not _NO_NAME.match(text)
    if not is_name or text.lower() in LABELS["nobody"]:
        return None
    name = name_in(text) if len(text.split()) <= 6 else text if _AND.search(text) else None
    return name and ", ".join(names_in(name))


def _add_language(found: Metadata, root: etree._Element, main_text: str) -> None:
    """Add the page's stated language, unless its text is clearly in another: templates state that of their author."""
    stated = tree.language(root)
    detected = language_of_text(main_text[:_ENOUGH]) if len(main_text) >= _LEAST else None
    if stated and (detected is None or primary_language(stated) == detected):
        found.add("language", stated, "html lang")
    found.add("language", detected, "text")


def _short(text: str | None) -> str | None:
    return one_line(text)[:_LONGEST] or None
