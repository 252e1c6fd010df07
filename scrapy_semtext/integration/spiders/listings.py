"""Requests robots.txt, sitemaps and feeds, and reads the URLs that they list."""

from __future__ import annotations

import logging
import struct
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

from lxml import etree
from scrapy import Request
from scrapy.utils.gz import gunzip, gzip_magic_number
from scrapy.utils.sitemap import Sitemap

from scrapy_semtext.crawling.entries import IN_SITEMAP, NewAddress
from scrapy_semtext.crawling.roles import Guess
from scrapy_semtext.utils.address import asked, resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

_IN_SITEMAP, _IN_FEED = Guess("content", 0.6), Guess("content", 0.95)
_MOST = 50  # sitemaps and feeds of a site
_ALL_STATUSES = {"handle_httpstatus_all": True, "semtext": False}
_MOST_LISTED = 50_000  # URLs of a sitemap, by its standard
_LARGEST = 50 * 2**20  # bytes of a sitemap that is not compressed, by its standard
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")

#: The exceptions for broken documents: XML without an element, gzip data that is truncated or becomes too large.
_BROKEN = (
    *(etree.XMLSyntaxError, StopIteration, OSError, EOFError, zlib.error, struct.error, ValueError),
    *(AttributeError, AssertionError),  # of the oldest supported Scrapy, which expects only elements
)


class Listings:
    """Reads sitemaps and feeds that ``reaches`` accepts; ``add`` gets their URLs, ``waiting`` counts open requests."""

    def __init__(self, add: Callable[[Iterable[NewAddress]], object], reaches: Callable[[str], bool]) -> None:
        self._add, self._reaches = add, reaches
        self._sent: set[str] = set()
        self._count: dict[str, int] = {}
        self.waiting = 0

    def of_sites(self, urls: Iterable[str]) -> Iterator[Request]:
        """Yield a request for the robots.txt of each site."""
        for url in sorted({urljoin(url, "/robots.txt") for url in urls}):
            yield from self._request(url, url, sitemaps_of_robots)

    def of_page(self, root: Any, url: str) -> Iterator[Request]:
        """Yield a request for the first feed that a page links to; ``root`` is the tree of the page."""
        for feed in list(feeds_of_page(root, url))[:1]:
            yield from self._request(feed, url, partial(self._read, guess=_IN_FEED))

    def _request(self, url: str, site: str, read: Callable[[Response], Iterable[str]]) -> Iterator[Request]:
        site = urljoin(site, "/robots.txt")
        if url not in self._sent and self._count.get(site, 0) < _MOST and self._reaches(url):
            meta = {**_ALL_STATUSES, "dont_obey_robotstxt": read is sitemaps_of_robots}
            given = {"site": site, "read": read}
            request = Request(url, self._answered, cb_kwargs=given, meta=meta, priority=10, dont_filter=True)
            request.errback = self._failed
            self._sent.add(url)
            self._count[site] = self._count.get(site, 0) + 1
            self.waiting += 1  # last, as the crawl waits for what is counted
            yield request

    def _answered(self, response: Response, site: str, read: Callable[[Response], Iterable[str]]) -> Iterator[Request]:
        try:
            for url in read(response):
                yield from self._request(url, site, self._read)
        finally:
            self.waiting -= 1

    def _read(self, response: Response, guess: Guess = _IN_SITEMAP) -> list[str]:
        listed = listed_addresses(response) if response.status == 200 else Listed([], [])
        self._add(NewAddress(url, guess, IN_SITEMAP, 1) for url in listed.pages)
        return listed.sitemaps

    def _failed(self, failure: Failure) -> None:
        self.waiting -= 1
        logger.debug("A sitemap or feed could not be fetched: %s", failure.value)


class Listed(NamedTuple):
    """The URLs that a sitemap or feed lists: pages, and further sitemaps."""

    pages: list[str]
    sitemaps: list[str]


def sitemaps_of_robots(response: Response) -> list[str]:
    """Return the valid URLs of sitemaps in robots.txt, or the usual URL of a sitemap if there are none."""
    lines = response.body.decode("utf-8", "surrogateescape").splitlines() if response.status == 200 else []
    named = [line.partition(":")[2].strip() for line in lines if line.lstrip().lower().startswith("sitemap:")]
    found = [asked(resolved(each, response.url) or "") for each in named]
    return [url for url in found if url is not None] or [urljoin(response.url, "/sitemap.xml")]


def feeds_of_page(root: Any, url: str) -> Iterator[str]:
    """Yield the URLs of the feeds that a page links to."""
    for link in root.iter("link"):
        is_feed = "alternate" in (link.get("rel") or "").lower().split() and link.get("type") in _FEED_TYPES
        if is_feed and (address := resolved(link.get("href") or "", url)) is not None:
            yield address


def listed_addresses(response: Response) -> Listed:
    """Return the URLs that a sitemap or feed lists; none for other documents, and if it is broken or too large.

    Entities are not expanded, and document type definitions are not read.
    """
    try:
        body = gunzip(response.body, max_size=_LARGEST) if gzip_magic_number(response) else response.body
        if b"<rss" in body[:2000] or b"<feed" in body[:2000] or b"<rdf:RDF" in body[:2000]:
            return Listed(list(_feed_pages(body, response.url)), [])
        if b"<urlset" not in body[:4000] and b"<sitemapindex" not in body[:4000]:
            return Listed([], [])
        sitemap = Sitemap(body)
        found = [entry["loc"] for entry, _ in zip(sitemap, range(_MOST_LISTED), strict=False)]
    except _BROKEN as error:
        logger.debug("%s cannot be read as a sitemap or feed: %r", response.url, error)
        return Listed([], [])
    return Listed([], found) if sitemap.type == "sitemapindex" else Listed(found, [])


def _feed_pages(body: bytes, url: str) -> Iterator[str]:
    root = etree.fromstring(body, etree.XMLParser(recover=True, resolve_entities=False, no_network=True))
    if root is None:
        return
    for link in root.iter("{*}link"):
        entry = link.getparent()
        if entry is not None and str(entry.tag).rpartition("}")[2] in ("item", "entry"):
            address = link.get("href") or (link.text or "").strip()
            is_page = address and link.get("rel", "alternate") == "alternate"
            if is_page and (found := resolved(address, url)) is not None:
                yield found
