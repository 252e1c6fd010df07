"""The details of a page beyond its metadata, see `scrapy_semtext.details`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.details import Details, Person
from scrapy_semtext.dom.element_text import text_line
from scrapy_semtext.output.addresses import absolute, image_addresses
from scrapy_semtext.output.breadcrumbs import breadcrumbs_of
from scrapy_semtext.output.metadata import articles_among, items_by_id, metas_of, plain
from scrapy_semtext.output.page_dates import StatedDate, iso_of, published_of
from scrapy_semtext.output.product import product_of
from scrapy_semtext.text.folding import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_semtext.output.metadata import Metadata
    from scrapy_semtext.output.schema import Item

_MODIFIED_META = ("article:modified_time", "og:updated_time", "last-modified", "datemodified", "dcterms.modified")
_IMAGE_META = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src")
_BETWEEN_NAMES = re.compile(r"(?<!\s)\s*(?:,|;|&|\band\b)\s*")


def details_of(
    root: Any,
    metadata: Metadata,
    stated: Sequence[tuple[str, list[Item]]],
    title: str | None,
    url: str | None,
    base: str | None,
) -> Details:
    """Return the details of a page but for its images and its kinds.

    ``metadata`` is what was found of it, ``stated`` are its schema.org items by syntax, ``base`` is what its addresses
    are relative to.
    """
    items = _all_items(stated)
    by_id = items_by_id(items)
    articles = articles_among(items) if items else []
    metas = metas_of(root)
    published, modified = published_of(root, metadata, url)
    stated_changes = (*(plain(item.get("dateModified")) for item in articles), *map(metas.get, _MODIFIED_META))
    if (change := next((text for text in stated_changes if iso_of(text)), None)) is not None:
        modified = StatedDate(iso_of(change), change)
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
    )


def _all_items(stated: Sequence[tuple[str, list[Item]]]) -> list[Item]:
    """The items of both syntaxes, those inside others as well."""
    if not stated:
        return []
    from scrapy_semtext.output.schema import walk

    return [item for _, items in stated for item in walk(items)]


def _canonical(root: Any, metas: dict[str, str], base: str | None) -> str | None:
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and (address := absolute(link.get("href"), base)):
            return address
    return absolute(metas.get("og:url"), base)


def _authors(root: Any, metadata: Metadata, base: str | None) -> list[Person]:
    """The authors one by one, with the addresses that the markup or the links on their names state."""
    people = metadata.people
    if not people and metadata.author:
        names = _BETWEEN_NAMES.split(metadata.author)
        if not all(" " in name for name in names):
            names = [metadata.author]  # perhaps the last name and the first
        people = [Person(name, metadata.author) for name in names]
    links: dict[str, str | None] = {}
    if people:
        for link in root.iter("a"):
            if "author" in (link.get("rel") or "").lower().split() or link.get("itemprop") in ("author", "url"):
                links.setdefault(text_line(link), link.get("href"))
    return [
        replace(person, url=absolute(person.url, base) or absolute(links.get(person.name), base)) for person in people
    ]


def _main_image(
    articles: Iterable[Item], by_id: Mapping[str, Item], metas: dict[str, str], base: str | None
) -> str | None:
    for item in articles:
        for address in image_addresses(item.get("image"), by_id, base):
            return address
    return next(filter(None, (absolute(metas.get(name), base) for name in _IMAGE_META)), None)
