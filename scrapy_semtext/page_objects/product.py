"""The page object for products."""

from __future__ import annotations

from typing import ClassVar

import attrs
from web_poet import handle_urls
from zyte_common_items import AggregateRating, Brand, Gtin, Image, ProductPage
from zyte_common_items.fields import auto_field
from zyte_parsers import extract_gtin

from scrapy_semtext.details import Product
from scrapy_semtext.page_objects.base import PRIORITY, SemtextPlacedPage, images_of


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextProductPage(SemtextPlacedPage, ProductPage):
    """Provides :class:`zyte_common_items.Product`.

    Price, brand, identifiers and ratings are those of the page's schema.org markup. Name and description are, without
    markup, the title and the main text of a page that is one of a product.
    """

    kind: ClassVar[str | None] = "product"

    @property
    def stated(self) -> Product:
        """What the markup states of the product."""
        return self.details.product or Product()

    @property
    def _is_product(self) -> bool:
        return self.page.page_kind == self.kind

    @auto_field
    def name(self) -> str | None:
        """The name of the product."""
        return self.stated.name or (self.page.title if self._is_product else None)

    @auto_field
    def description(self) -> str | None:
        """The description of the product."""
        return self.stated.description or (self.page.main_text.strip() or None if self._is_product else None)

    @auto_field
    def price(self) -> str | None:
        """The price, if it is the same for all offers."""
        return self.stated.price

    @auto_field
    def currency(self) -> str | None:
        """The currency of the price, as a code of ISO 4217."""
        return self.stated.currency if self.stated.price else None

    @auto_field
    def availability(self) -> str | None:
        """Whether the product is in stock: "InStock" or "OutOfStock"."""
        return self.stated.availability

    @auto_field
    def brand(self) -> Brand | None:
        """The brand of the product."""
        return Brand(name=self.stated.brand) if self.stated.brand else None

    @auto_field
    def sku(self) -> str | None:
        """The identifier that the seller gives to the product."""
        return self.stated.sku

    @auto_field
    def mpn(self) -> str | None:
        """The identifier that the manufacturer gives to the product."""
        return self.stated.mpn

    @auto_field
    def gtin(self) -> list[Gtin] | None:
        """The valid ones of the product's global trade item numbers."""
        found = filter(None, map(extract_gtin, self.stated.gtins))
        return [Gtin(type=each.type, value=each.value) for each in found] or None

    @auto_field
    def aggregateRating(self) -> AggregateRating | None:  # noqa: N802
        """The average rating and the number of reviews."""
        stated = self.stated
        if stated.rating is None and not stated.reviews:
            return None
        return AggregateRating(ratingValue=stated.rating, bestRating=stated.best_rating, reviewCount=stated.reviews)

    @auto_field
    def mainImage(self) -> Image | None:  # noqa: N802
        """The first image of the product, or the image that a page of a product states as its own."""
        images = self.images
        return images[0] if images else None

    @auto_field
    def images(self) -> list[Image] | None:
        """The images of the product; without markup the image that a page of a product states as its own."""
        return images_of(*self.stated.images) or (images_of(self.details.main_image) if self._is_product else None)
