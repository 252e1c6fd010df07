"""The product in the schema.org markup of a page."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from scrapy_semtext.details import Product
from scrapy_semtext.read.metadata import product_of
from scrapy_semtext.read.schema import jsonld_items, walk
from scrapy_semtext.tree.parsing import parse


def read(*items: dict[str, Any], title: str | None = None) -> Product | None:
    root = parse(f'<script type="application/ld+json">{json.dumps({"@graph": items})}</script>')
    return product_of(list(walk(jsonld_items(root))), {}, title, "https://shop.example/")


def knife(**values: Any) -> dict[str, Any]:
    return {"@type": "Product", "name": "Bread knife", **values}


@pytest.mark.smoke
def test_all_that_markup_states() -> None:
    offer = {"price": 1299, "priceCurrency": "eur", "availability": "https://schema.org/InStock"}
    found = read(
        knife(
            description="<p>Cuts bread.</p><p>Sharp.</p>",
            offers=offer,
            brand={"@type": "Brand", "name": "Wüst"},
            sku=47,
            mpn="W-1",
            gtin13="4006381333931",
            aggregateRating={"ratingValue": "4.5", "bestRating": 5, "ratingCount": "12"},
            image=["/a.jpg", {"url": "/b.jpg"}, "/a.jpg"],
        )
    )
    assert found == Product(
        name="Bread knife",
        description="Cuts bread.\nSharp.",
        price="1299.00",
        currency="EUR",
        availability="InStock",
        brand="Wüst",
        sku="47",
        mpn="W-1",
        gtins=["4006381333931"],
        rating=4.5,
        best_rating=5.0,
        reviews=12,
        images=["https://shop.example/a.jpg", "https://shop.example/b.jpg"],
    )


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ({"price": "1,299.5"}, "1299.50"),
        ({"price": "0.125"}, "0.125"),
        ([{"price": 5}, {"price": "5.00"}], "5.00"),
        ([{"price": 5}, {"price": 6}], None),
        ({"@type": "AggregateOffer", "lowPrice": 5, "highPrice": 5}, "5.00"),
        ({"@type": "AggregateOffer", "lowPrice": 5, "highPrice": 6}, "5.00"),
        ({"@type": "AggregateOffer", "offers": [{"price": 7}]}, "7.00"),
        ({"priceSpecification": {"price": "8"}}, "8.00"),
        ({"price": "from $5"}, None),
        ({"price": True}, None),
        (None, None),
    ],
)
def test_a_price_is_one_plain_amount(offers: Any, price: str | None) -> None:
    found = read(knife(offers=offers))
    assert found is not None
    assert found.price == price


@pytest.mark.parametrize(
    ("stated", "availability"),
    [("http://schema.org/SoldOut", "OutOfStock"), ("OnlineOnly", "InStock"), ("PreOrder", None), (None, None)],
)
def test_availability(stated: str | None, availability: str | None) -> None:
    found = read(knife(offers={"availability": stated}))
    assert found is not None
    assert found.availability == availability


def test_of_several_products_the_one_with_the_title_of_the_page() -> None:
    several = (knife(), {"@type": "Product", "name": "Cheese knife of oak"})
    assert read(*several) is None
    found = read(*several, title="Cheese knife of oak | Knives")
    assert found is not None
    assert found.name == "Cheese knife of oak"
    assert read(knife(), knife(sku="1")) == read(knife(sku="1")), "both are the same, one says more"
    assert read({"@type": "Offer", "name": "Bread knife"}) is None


@pytest.mark.parametrize("number", [10**400, "9" * 400, "-1e999", "nan", math.inf, math.nan, "x", {}])
def test_numbers_that_json_does_not_have(number: Any) -> None:
    rating = {"@type": "AggregateRating", "ratingValue": number, "bestRating": number, "reviewCount": number}
    assert read(knife(aggregateRating=rating)) == read(knife())


def test_a_count_fits_into_64_bits() -> None:
    product = read(knife(aggregateRating={"@type": "AggregateRating", "ratingValue": 5, "reviewCount": 1e300}))
    assert product
    assert product.reviews is None
