"""What a page says of itself: author, date of publication, language, site, description; each with its source.

JSON-LD (and microdata) of schema.org goes first, then what <meta> elements say, then what a reader sees: a byline.
Dates are found by htmldate, which knows the many places that pages have for them; py3langid detects the language of the
text. Both come with the extra scrapy-semtext[metadata] and are loaded when first needed.
"""

from __future__ import annotations

import logging
import re
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.details import Person
from scrapy_semtext.dom import tree
from scrapy_semtext.dom.element_text import text_of
from scrapy_semtext.qa.bylines import name_in
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.text.languages import identifier, language_of_text
from scrapy_semtext.utils.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.output.schema import Item

#: The parts of a page's metadata, as they are called in items.
PARTS = ("author", "published", "language", "site_name", "description")

# Types whose author and date are those of the page, best first.
_ARTICLES = (
    *("NewsArticle", "BlogPosting", "Article", "TechArticle", "ScholarlyArticle", "ReportageNewsArticle", "Report"),
    *("OpinionNewsArticle", "AnalysisNewsArticle", "LiveBlogPosting", "Recipe", "HowTo", "Course", "Book"),
    *("DiscussionForumPosting", "Question", "VideoObject", "WebPage", "CreativeWork"),
)
_AUTHOR_META = (
    *("author", "article:author", "dc.creator", "dcterms.creator", "dc:creator", "citation_author", "parsely-author"),
    *("sailthru.author", "byl", "og:article:author", "authors", "twitter:data1"),
)
_SITE_META = ("og:site_name", "application-name", "citation_journal_title", "dc.publisher")
_DESCRIPTION_META = ("og:description", "description", "twitter:description", "dc.description")
_DATE_META = ("article:published_time", "og:article:published_time", "datepublished", "dc.date.issued", "citation_date")
_BYLINE = re.compile(
    r"(?:^|[\s_-])(?:byline|by-?line|authors?|author[-_]?name|writer|contributor|posted-by)(?:$|[\s_-])", re.IGNORECASE
)
_NOT_BYLINE = re.compile(
    r"bio|box|avatar|image|photo|social|follow|comment|related|more|desc|about|card-list", re.IGNORECASE
)
# What htmldate may ask dateparser about, which takes it ten milliseconds: pages of more such texts (tables, lists of
# versions) are searched for dates in markup and for plain ones alone. It looks for text between comments in quadratic
# time, so that pages of very many are searched without them.
_MAY_BE_DATE = re.compile(r"(?=(?:\D*\d){4})(?=.*(?<!\d)\d{1,2}(?!\d)).{7,51}", re.DOTALL)
_MOST_DATES, _MOST_COMMENTS = 200, 10_000
_DATE = re.compile(r"((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_ADDRESS = re.compile(r"https?:|www\.|@|\.(?:com|org|net)\b", re.IGNORECASE)
_BY = re.compile(r"^\s*(?:written |posted |published |reviewed )?by[:\s]+", re.IGNORECASE)
# What follows a name in its line.
_BEHIND_NAME = re.compile(  # in a text whose white space is single spaces
    r" ?(?:[|•·]| [-–—] |(?:, ?| )(?:on|updated|published|posted|last)\b|(?:, ?| )\d).*$",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_NAME = 80
_LONGEST = 2000
# Characters of the main text that its language is detected from, at most and at least.
_ENOUGH, _LEAST = 2000, 60


@dataclass(slots=True)
class Metadata:
    """What a page says of itself; None for what it does not say.

    ``published`` is a date as YYYY-MM-DD, ``language`` a language tag such as "en" or "pt-BR". ``sources`` says where
    each part that is not None comes from: "json-ld", "microdata", "opengraph", "meta", "html lang", "byline",
    "htmldate" (what that found in the page), "text" (detected from the main text). ``people`` are the authors one by
    one, where the page states them so. ``published_raw`` is what the date was read from, None if htmldate found it.
    """

    author: str | None = None
    published: str | None = None
    language: str | None = None
    site_name: str | None = None
    description: str | None = None
    sources: dict[str, str] = field(default_factory=dict)
    people: list[Person] = field(default_factory=list)
    published_raw: str | None = None

    def add(self, part: str, value: str | None, source: str) -> bool:
        """Set a part that has no value yet, and return whether it was set."""
        if not value or getattr(self, part) is not None:
            return False
        setattr(self, part, value)
        self.sources[part] = source
        return True

    def add_people(self, people: list[Person], source: str) -> None:
        """Set the authors, unless they are known."""
        if self.add("author", ", ".join(person.name for person in people), source):
            self.people = people

    def add_date(self, stated: str | None, source: str) -> None:
        """Set the day of publication from an ISO 8601 date, unless it is known."""
        if self.add("published", _day(stated), source):
            self.published_raw = stated


def require_metadata() -> None:
    """Raise MissingExtraError unless the libraries are installed."""
    load_extra("htmldate", "metadata")
    identifier()


def metadata_of(
    root: etree._Element,
    main_text: str = "",
    url: str | None = None,
    *,
    stated: Iterable[tuple[str, list[Item]]] | None = None,
) -> Metadata:
    """Return a page's metadata; its language is detected from ``main_text``.

    ``stated`` is what `markup_of` gives for the page, if it is at hand. Raises MissingExtraError without htmldate or
    py3langid.
    """
    found = Metadata()
    for source, items in markup_of(root) if stated is None else stated:
        _add_items(found, items, source)
    _add_meta(found, metas_of(root))
    found.add("author", _byline(root), "byline")
    found.add("published", _dated(root, url), "htmldate")
    _add_language(found, root, main_text)
    return found


def markup_of(root: etree._Element) -> Iterator[tuple[str, list[Item]]]:
    """Yield the schema.org items of the page by syntax: "json-ld", "microdata"."""
    has_scripts = any("ld+json" in (script.get("type") or "").lower() for script in root.iter("script"))
    has_scopes = next(root.iterfind(".//*[@itemscope]"), None) is not None
    if not has_scripts and not has_scopes:
        return
    from scrapy_semtext.output.schema import jsonld_items, microdata_items

    if has_scripts:
        yield "json-ld", jsonld_items(root)
    if has_scopes:
        yield "microdata", microdata_items(root)


def _add_items(found: Metadata, items: list[Item], source: str) -> None:
    from scrapy_semtext.output.schema import types_of, walk

    known = list(walk(items))
    by_id = items_by_id(known)
    for item in articles_among(known):
        found.add_people(_people(item.get("author"), by_id) or _people(item.get("creator"), by_id), source)
        found.add_date(plain(item.get("datePublished") or item.get("dateCreated")), source)
        found.add("description", _short(plain(item.get("description"))), source)
    for item in known:
        if "WebSite" in types_of(item):
            found.add("site_name", _short(plain(item.get("name"))), source)


def articles_among(items: Sequence[Item]) -> list[Item]:
    """Return the items whose author and date are those of the page, best first."""
    from scrapy_semtext.output.schema import types_of

    ranked = [(min(map(_ARTICLES.index, types)), item) for item in items if (types := types_of(item) & set(_ARTICLES))]
    return [item for _, item in sorted(ranked, key=lambda pair: pair[0])]


def items_by_id(items: Iterable[Item]) -> dict[str, Item]:
    """Return the items that others may refer to, by their ``@id``; the last that says anything of several."""
    return {item["@id"]: item for item in items if isinstance(item.get("@id"), str) and len(item) > 1}


def _people(value: Any, by_id: dict[str, Item]) -> list[Person]:
    """One or more people, each name once."""
    people: dict[str, Person] = {}
    for person in value if isinstance(value, list) else [value]:
        known = person
        if isinstance(person, dict) and "name" not in person:
            known = by_id.get(str(person.get("@id")), person)
        is_item = isinstance(known, dict) and "@value" not in known
        lines = (plain(known.get("name") or known.get("text") if is_item else known) or "").split("\n")
        url, email = (known.get(key) if is_item and len(lines) == 1 else None for key in ("url", "email"))
        for line in lines:
            if name := _name(line):
                address = plain(email)
                people.setdefault(
                    name,
                    Person(
                        name,
                        line.strip(),
                        url if isinstance(url, str) else None,  # the text of an element is no address
                        address and address.removeprefix("mailto:"),
                    ),
                )
    return list(people.values())


def plain(value: Any) -> str | None:
    """Return the text of a value of schema.org markup, lines for several; None if it holds an item, or no text."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain, value))) or None
    if isinstance(value, dict):
        value = value.get("@value")
    return value if isinstance(value, str) else None


def metas_of(root: etree._Element) -> dict[str, str]:
    """Return what <meta> elements say, first come first served, by the name in lower case."""
    found: dict[str, str] = {}
    for meta in root.iter("meta"):
        value = one_line(meta.get("content"))
        for key in (meta.get("property"), meta.get("name"), meta.get("itemprop")):
            if key and value:
                found.setdefault(key.strip().lower(), value)
    return found


def _add_meta(found: Metadata, metas: dict[str, str]) -> None:
    for key in _DATE_META:
        found.add_date(metas.get(key), _meta_source(key))
    for part, keys, clean in (
        ("author", _AUTHOR_META, _name),
        ("site_name", _SITE_META, _short),
        ("description", _DESCRIPTION_META, _short),
    ):
        for key in keys:
            if key == "twitter:data1" and "by" not in metas.get("twitter:label1", "").lower():
                continue
            if value := metas.get(key):
                found.add(part, clean(value), _meta_source(key))


def _meta_source(key: str) -> str:
    return "opengraph" if key.startswith(("og:", "article:")) else "meta"


def _byline(root: etree._Element) -> str | None:
    """The name in the first element that says it holds an author, in its ``rel``, ``itemprop``, or class."""
    for element in root.iter("a", "span", "p", "div", "address", "li", "em", "strong", "small", "cite", "h3", "h4"):
        marked = "author" in (element.get("rel") or "").lower().split() or element.get("itemprop") == "author"
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if not marked and (not _BYLINE.search(names) or _NOT_BYLINE.search(names)):
            continue
        if name := _name(text_of(element)):
            return name
    return None


def _name(text: str) -> str | None:
    """A name out of a text that should hold one: "By Ann Lee | 3 May" gives "Ann Lee"."""
    text = _BEHIND_NAME.sub("", _BY.sub("", one_line(text))).strip(" ,.;:|-–—")
    if not text or len(text) > _LONGEST_NAME or _ADDRESS.search(text) or text.lower() in ("admin", "by", "author"):
        return None
    if len(text.split()) <= 6:
        return name_in(text)
    return text if "," in text or " and " in text or "&" in text else None


def _day(text: str | None) -> str | None:
    """The date at the beginning of an ISO 8601 date and time."""
    match = _DATE.match((text or "").strip())
    if not match:
        return None
    year, month, day = map(int, match.groups())
    return match[0] if year and 1 <= month <= 12 and 1 <= day <= 31 else None


def _htmldate() -> Any:
    """The library, silent about pages with control characters, which it logs as errors and reads nevertheless."""
    library = load_extra("htmldate", "metadata")
    logger = logging.getLogger("htmldate")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.CRITICAL)
    return library


def _dated(root: etree._Element, url: str | None) -> str | None:
    htmldate = _htmldate()
    dates = (text for text in {text.strip() for text in map(str, root.itertext())} if _MAY_BE_DATE.fullmatch(text))
    search = next(islice(dates, _MOST_DATES, None), None) is None
    if next(islice(root.iter(etree.Comment), _MOST_COMMENTS, None), None) is not None:
        root = deepcopy(root)
        etree.strip_elements(root, etree.Comment, with_tail=False)
    html = etree.tostring(root, encoding="unicode", method="html")  # it takes no elements but those of lxml.html
    try:
        found = htmldate.find_date(html, extensive_search=search, original_date=True, url=url)
    except (ValueError, AttributeError, RecursionError):
        return None  # a page that the library cannot read has no date that it knows of
    return found if isinstance(found, str) else None


def _add_language(found: Metadata, root: etree._Element, main_text: str) -> None:
    """The language that the page states, unless its text plainly is in another: templates state that of their maker."""
    stated = tree.language(root)
    detected = language_of_text(main_text[:_ENOUGH]) if len(main_text) >= _LEAST else None
    if stated and (detected is None or stated.partition("-")[0].lower() == detected):
        found.add("language", stated, "html lang")
    found.add("language", detected, "text")


def _short(text: str | None) -> str | None:
    return one_line(text)[:_LONGEST] or None
