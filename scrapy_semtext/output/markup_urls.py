"""Absolute addresses out of the attributes and the markup of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.output.items import listed
from scrapy_semtext.utils.address import address_of, resolved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_semtext.output.items import Item


def absolute(address: str | None, base: str | None) -> str | None:
    """Return an address of the web as absolute; None for what leads elsewhere, and without a base where one is needed.

    ``base`` is the address that those of the page are relative to.
    """
    found = resolved("".join(address.split()), base) if address else None
    parts = address_of(found)
    return found if parts.scheme in ("http", "https") and parts.netloc else None


def stated_address(value: Any, base: str | None) -> str | None:
    """Return the address that a property of a schema.org item is; None for the text of an element, which is none."""
    return absolute(value, base) if isinstance(value, str) else None


def image_addresses(value: Any, by_id: Mapping[str, Item], base: str | None) -> list[str]:
    """Return the addresses of a property ``image``, each once: of the images themselves, or of items that have one.

    ``by_id`` are the items of the page by their ``@id``, which may define an image that the property only refers to.
    """
    found: dict[str, None] = {}
    for image in listed(value):
        known = image
        if isinstance(image, dict) and "@id" in image and not image.keys() & {"url", "contentUrl"}:
            known = by_id.get(str(image["@id"]), image)
        candidates = [known.get("contentUrl"), known.get("url")] if isinstance(known, dict) else [known]
        if address := next(filter(None, (stated_address(candidate, base) for candidate in candidates)), None):
            found[address] = None
    return list(found)
