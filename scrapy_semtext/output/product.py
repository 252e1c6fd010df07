"""The product of a page, from its schema.org markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_semtext.details import Product
from scrapy_semtext.dom.element_text import text_of_html
from scrapy_semtext.output.addresses import image_addresses
from scrapy_semtext.output.metadata import plain
from scrapy_semtext.output.title import same_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_semtext.output.schema import Item

_TYPES = frozenset(("Product", "IndividualProduct", "ProductModel", "ProductGroup"))
_GTINS = ("gtin", "gtin8", "gtin12", "gtin13", "gtin14")
_AVAILABLE = frozenset("InStock LimitedAvailability OnlineOnly InStoreOnly".split())
_UNAVAILABLE = frozenset("OutOfStock SoldOut Discontinued".split())
_AMOUNT = re.compile(r"(\d+)(?:\.(\d+))?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CURRENCY = re.compile(r"[A-Z]{3}")


def product_of(items: Sequence[Item], by_id: Mapping[str, Item], title: str | None, base: str | None) -> Product | None:
    """Return the product that a page is about, None if its markup states none, or several of which none has its title.

    ``items`` are the schema.org items of the page, those inside others as well, ``by_id`` those with an ``@id``.
    """
    from scrapy_semtext.output.schema import types_of

    named = [(item, name) for item in items if types_of(item) & _TYPES and (name := _text(item, "name"))]
    if len({name for _, name in named}) > 1:
        named = [(item, name) for item, name in named if title and same_title(name, title)]
    if not named:
        return None
    item = max((item for item, _ in named), key=len)  # of several in one name, the one that says most
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
    """The offers of a product, those of an AggregateOffer one by one; that itself if it has one price for all."""
    for offer in _items(item.get("offers")):
        inner = list(_items(offer.get("offers")))
        yield from inner
        if not inner:
            yield offer


def _items(value: Any) -> Iterable[Item]:
    return (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict))


def _common(values: Iterable[str | None]) -> str | None:
    """The value of all offers, None if they differ or one has none."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _price(offer: Item) -> str | None:
    low, high = offer.get("lowPrice"), offer.get("highPrice")
    if low is not None and low == high:
        return _amount(low)
    specified = (each.get("price") for each in _items(offer.get("priceSpecification")))
    return _amount(offer.get("price")) or _common(map(_amount, specified))


def _amount(value: Any) -> str | None:
    """An amount with a full stop and at least two decimals; None for what is no plain number."""
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
    try:
        return float(plain(value) or value)
    except (TypeError, ValueError):
        return None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number == number // 1 else None
