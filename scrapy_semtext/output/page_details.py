"""The details of a page beyond its metadata, see `scrapy_semtext.details`.

The breadcrumb trail comes from the page's markup or else from its visible elements; a product only from the markup.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_semtext.details import Crumb, Details, Person, Product
from scrapy_semtext.dom.element_text import text_line, text_of_html
from scrapy_semtext.output.images import absolute, image_addresses, stated_address
from scrapy_semtext.output.items import ORDER, articles_in, items_by_id, listed, plain, types_of, walk
from scrapy_semtext.output.licenses import license_of
from scrapy_semtext.output.metadata import metas_of, names_in
from scrapy_semtext.output.title import same_title
from scrapy_semtext.text.folding import one_line, without_entities
from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_semtext.output.items import Item
    from scrapy_semtext.output.metadata import Metadata

_IMAGE_META = WORDS["image"]
_NAMED = re.compile(r"bread-?_?crumb", re.IGNORECASE)
_SEPARATORS = " \t\n\r\f\xa0/\\|»›>→·•:-–—"
_MOST, _LONGEST, _MOST_TRAILS = 20, 200, 10  # maximum number of entries, characters of an entry, and trails examined

_TYPES = frozenset(("Product", "IndividualProduct", "ProductModel", "ProductGroup"))
_GTINS = ("gtin", "gtin8", "gtin12", "gtin13", "gtin14")
_AVAILABLE = frozenset("InStock LimitedAvailability OnlineOnly InStoreOnly".split())
_UNAVAILABLE = frozenset("OutOfStock SoldOut Discontinued".split())
_AMOUNT = re.compile(r"(\d+)(?:\.(\d+))?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CURRENCY = re.compile(r"[A-Z]{3}")


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
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and (address := absolute(link.get("href"), base)):
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
            if "author" in (link.get("rel") or "").lower().split() or link.get("itemprop") in ("author", "url"):
                links.setdefault(text_line(link), link.get("href"))
    return [
        replace(person, url=absolute(person.url, base) or absolute(links.get(person.name), base)) for person in people
    ]


def _subjects(root: Any, articles: Iterable[Item], key: str, names: tuple[str, ...], rel: str) -> list[str]:
    """Return the distinct subjects from the first source with any: markup, <meta>, links with a ``rel``."""
    stated = [plain(item.get(key)) for item in articles]
    metas = [
        without_entities(meta.get("content") or "")
        for meta in root.iter("meta")
        if (meta.get("property") or meta.get("name")) in names
    ]
    links = ((link, (link.get("rel") or "").lower().split()) for link in root.iter("a"))
    linked = [text_line(link) for link, rels in links if rel in rels and (rel == "category") == ("category" in rels)]
    texts = next(([text for text in source if text] for source in (stated, metas, linked) if any(source)), [])
    parts = (part.strip() for text in texts for part in re.split(r"[,;\n，、；]", text))
    return list(dict.fromkeys(part for part in parts if 0 < len(part) <= _LONGEST))


def _main_image(
    articles: Iterable[Item], by_id: Mapping[str, Item], metas: dict[str, str], base: str | None
) -> str | None:
    for item in articles:
        for address in image_addresses(item.get("image"), by_id, base):
            return address
    return next(filter(None, (absolute(metas.get(name), base) for name in _IMAGE_META)), None)


def breadcrumbs_of(root: Any, items: Iterable[Item], base: str | None) -> list[Crumb]:
    """Return the entries of the breadcrumb trail, outermost first; empty if the page has no trail.

    ``items`` are the schema.org items of the page, ``base`` is the URL that its URLs are relative to. For microdata,
    the elements themselves are read.
    """
    for item in items:
        if "BreadcrumbList" in types_of(item) and ORDER not in item and (stated := _stated(item, base)):
            return stated
    return _shown(root, base)


def _stated(trail: Item, base: str | None) -> list[Crumb]:
    crumbs = []
    for entry in sorted(_items(trail.get("itemListElement")), key=lambda entry: _number(entry.get("position")) or 0.0):
        target = entry.get("item")
        inner = target if isinstance(target, dict) else {}
        name = text_of_html(plain(entry.get("name")) or plain(inner.get("name")) or "")
        addresses = (stated_address(each, base) for each in (target, *map(inner.get, ("@id", "url")), entry.get("url")))
        if name:
            crumbs.append(Crumb(name, next(filter(None, addresses), None)))
    return crumbs


def _shown(root: Any, base: str | None) -> list[Crumb]:
    """Return the entries of the first element marked as a breadcrumb trail with a link, preferably of two entries."""
    elements = root.iter("nav", "div", "ul", "ol", "p", "section", "span", "table", "td")
    single: list[Crumb] = []
    for element in islice(filter(_is_named, elements), _MOST_TRAILS):
        entries = [entry for entry in element.iter("li") if next(islice(entry.iter("li"), 1, None), None) is None]
        crumbs = list(filter(None, (_entry(entry, base) for entry in entries or element.iter("a"))))
        if any(crumb.url for crumb in crumbs) and len(crumbs) <= _MOST:
            if len(crumbs) > 1:
                return crumbs
            single = single or crumbs
    return single


def _is_named(element: Any) -> bool:
    return any(_NAMED.search(element.get(name) or "") for name in ("class", "id", "aria-label", "itemtype"))


def _entry(element: Any, base: str | None) -> Crumb | None:
    link = element if element.tag == "a" else next(element.iter("a"), None)
    name = text_line(element).strip(_SEPARATORS)
    address = None if link is None else absolute(link.get("href"), base)
    return Crumb(name, address) if 0 < len(name) <= _LONGEST else None


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
    """Return a product's offers; an AggregateOffer is replaced by its offers, unless it has a single price."""
    for offer in _items(item.get("offers")):
        inner = list(_items(offer.get("offers")))
        yield from inner
        if not inner:
            yield offer


def _items(value: Any) -> Iterable[Item]:
    return (each for each in listed(value) if isinstance(each, dict))


def _common(values: Iterable[str | None]) -> str | None:
    """Return the value that all offers share, None if they differ or one has none."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _price(offer: Item) -> str | None:
    low, high = offer.get("lowPrice"), offer.get("highPrice")
    if low is not None and low == high:
        return _amount(low)
    specified = (each.get("price") for each in _items(offer.get("priceSpecification")))
    return _amount(offer.get("price")) or _common(map(_amount, specified))


def _amount(value: Any) -> str | None:
    """Return an amount with a decimal point and at least two decimals; None if it is not a plain number."""
    text = (plain(value) or ("" if value is None or isinstance(value, (bool, dict, list)) else str(value))).strip()
    match = _AMOUNT.fullmatch(text.replace(",", "") if _GROUPED.fullmatch(text) else text)
    return f"{match[1]}.{(match[2] or '').ljust(2, '0')}" if match else None


def _currency(offer: Item) -> str | None:
    for item in (offer, *_items(offer.get("priceSpecification"))):
        if match := _CURRENCY.fullmatch((plain(item.get("priceCurrency")) or "").strip().upper()):
            return match[0]
    return None


def _availability(offer: Item) -> str | None:
    value = offer.get("availability")
    stated = re.split(r"[/#:]", (plain(value) or "").strip())[-1]
    if stated in _AVAILABLE:
        return "InStock"
    return "OutOfStock" if stated in _UNAVAILABLE else None


def _text(item: Item, name: str) -> str | None:
    value = item.get(name)
    return text_of_html(plain(str(value) if isinstance(value, int) else value) or "") or None


def _number(value: Any) -> float | None:
    """Return a number that JSON can represent, None for any other value."""
    try:
        number = float(plain(value) or value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number == number // 1 and abs(number) < 1 << 53 else None
