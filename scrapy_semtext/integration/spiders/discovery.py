"""Addresses that a site lists for machines: robots.txt, sitemaps and feeds."""

from __future__ import annotations

import logging
import struct
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from lxml import etree
from scrapy.utils.gz import gunzip, gzip_magic_number
from scrapy.utils.sitemap import Sitemap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scrapy.http import Response

logger = logging.getLogger(__name__)

_MOST_LISTED = 50_000  # addresses of a sitemap, by its standard
_LARGEST = 50 * 2**20  # bytes of a sitemap that is not compressed, by its standard
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")

#: What documents raise that are broken: XML without an element, gzip that ends early, or that becomes too large.
_BROKEN = (
    *(etree.XMLSyntaxError, StopIteration, OSError, EOFError, zlib.error, struct.error, ValueError),
    *(AttributeError, AssertionError),  # of the oldest Scrapy, which also expects nothing but elements
)


class Listed(NamedTuple):
    """What a sitemap or feed lists: addresses of pages, and of further sitemaps."""

    pages: list[str]
    sitemaps: list[str]


def robots_address(url: str) -> str:
    """Return the address of the robots.txt of a site."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def sitemaps_of_robots(response: Response) -> list[str]:
    """Return the sitemaps that robots.txt names; the usual address if it names none."""
    named: list[str] = []
    for line in response.body.splitlines() if response.status == 200 else ():  # that of Scrapy 2.14 takes text alone
        field, _, value = line.partition(b":")
        if field.strip().lower() == b"sitemap":
            with suppress(ValueError):  # for what is no UTF-8, or no address, such as http://[
                named.append(urljoin(response.url, value.strip().decode()))
    return named or [urljoin(response.url, "/sitemap.xml")]


def feeds_of_page(root: Any, url: str) -> Iterator[str]:
    """Yield the addresses of the feeds that a page names."""
    for link in root.iter("link"):
        if "alternate" in (link.get("rel") or "").lower().split() and link.get("type") in _FEED_TYPES:
            try:
                yield urljoin(url, link.get("href") or "")
            except ValueError:  # such as an unclosed [ of an IPv6 address
                continue


def listed_addresses(response: Response) -> Listed:
    """Return what a sitemap or feed lists; nothing for another document, or one that is broken or too large.

    Entities are not replaced, and no document type definition is read.
    """
    try:
        body = _uncompressed(response)
        if b"<rss" in body[:2000] or b"<feed" in body[:2000] or b"<rdf:RDF" in body[:2000]:
            return Listed(list(_feed_pages(body, response.url)), [])
        if b"<urlset" not in body[:4000] and b"<sitemapindex" not in body[:4000]:
            return Listed([], [])
        sitemap = Sitemap(body)
        found = [entry["loc"] for entry, _ in zip(sitemap, range(_MOST_LISTED), strict=False)]
    except _BROKEN as error:
        logger.debug("%s is no sitemap or feed that can be read: %r", response.url, error)
        return Listed([], [])
    return Listed([], found) if sitemap.type == "sitemapindex" else Listed(found, [])


def _uncompressed(response: Response) -> bytes:
    return gunzip(response.body, max_size=_LARGEST) if gzip_magic_number(response) else response.body


def _feed_pages(body: bytes, url: str) -> Iterator[str]:
    root = etree.fromstring(body, etree.XMLParser(recover=True, resolve_entities=False, no_network=True))
    if root is None:
        return
    for link in root.iter("{*}link"):
        entry = link.getparent()
        if entry is not None and etree.QName(entry).localname in ("item", "entry"):
            address = link.get("href") or (link.text or "").strip()
            if address and link.get("rel", "alternate") == "alternate":
                with suppress(ValueError):  # such as an unclosed [ of an IPv6 address
                    yield urljoin(url, address)
