"""Requests robots.txt, sitemaps and feeds, and reads the URLs that they list."""

from __future__ import annotations

import logging
import re
import struct
import zlib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

from lxml import etree
from scrapy import Request
from scrapy.utils.gz import gunzip, gzip_magic_number

from scrapy_semtext.crawl.frontier import IN_SITEMAP, Guess, NewAddress
from scrapy_semtext.integration.spiders.middlewares import MAX_SIZE, TOO_LARGE, count_once, reason_of
from scrapy_semtext.limits import PAGE_LIMITS, LimitError, Limits
from scrapy_semtext.utils.address import asked, resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

_IN_SITEMAP, _IN_FEED = Guess("content", 0.6), Guess("content", 0.95)
_MAX_LISTINGS = 50  # sitemaps and feeds of a site
_ALL_STATUSES = {"handle_httpstatus_all": True, "semtext": False}
_MAX_LISTED = 50_000  # URLs of a sitemap, by its standard
_MAX_SITEMAP = 50 * 2**20  # bytes of a sitemap that is not compressed, by its standard
_MAX_ENTRY = PAGE_LIMITS.body  # bytes; elements take about 35 times the memory of their source
_CHUNK = 1 << 16  # bytes
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")
_FEEDS, _SITEMAPS = (b"<rss", b"<feed", b"<rdf:RDF"), (b"<urlset", b"<sitemapindex")
_ITEMS, _LOCATIONS = ("{*}item", "{*}entry"), ("{*}url", "{*}sitemap")
# What entities and other definitions, which can multiply the size of a document, begin with.
_DEFINITION = re.compile(rb"<!(?:ENTITY|ATTLIST|ELEMENT|NOTATION|DOCTYPE[^<>[]*\[)")
_WHY = {
    TOO_LARGE: f"it exceeds {_MAX_SITEMAP >> 20} MiB or DOWNLOAD_MAXSIZE, or an entry {_MAX_ENTRY >> 20} MiB",
    "definitions": "its document type defines entities or elements",
}
_ADVICE = "If pages are missing, start from lists that link to them"


class Listings:
    """Reads sitemaps and feeds that ``reaches`` accepts; ``add`` gets their URLs, ``waiting`` counts open requests."""

    def __init__(
        self, add: Callable[[Iterable[NewAddress]], object], reaches: Callable[[str], bool], crawler: Crawler
    ) -> None:
        self._add, self._reaches, self._crawler = add, reaches, crawler
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
        if url not in self._sent and self._count.get(site, 0) < _MAX_LISTINGS and self._reaches(url):
            meta = {**_ALL_STATUSES, MAX_SIZE: _MAX_SITEMAP, "dont_obey_robotstxt": read is sitemaps_of_robots}
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
        if response.status != 200:
            return []
        listed = listed_addresses(response, partial(self._refuse, response.url), response.meta[MAX_SIZE])
        self._add(NewAddress(url, guess, IN_SITEMAP, 1) for url in listed.pages)
        return listed.sitemaps

    def _failed(self, failure: Failure) -> None:
        self.waiting -= 1
        logger.debug("A sitemap or feed could not be fetched: %s", failure.value)
        if reason_of(failure) == TOO_LARGE:
            self._refuse(failure.request.url, TOO_LARGE)  # type: ignore[attr-defined]  # Scrapy sets it

    def _refuse(self, url: str, reason: str) -> None:
        stat = f"semtext/crawl/listings/{reason.replace(' ', '_')}"
        count_once(self._crawler.stats, stat, "%s is not read, or not to its end: %s. %s", url, _WHY[reason], _ADVICE)


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


def listed_addresses(
    response: Response, refuse: Callable[[str], object] = lambda _reason: None, largest: int = 0
) -> Listed:
    """Return the URLs that a sitemap or feed lists; none for other documents, and as many as possible of a broken one.

    ``refuse`` is called with the reason if a document is too large, or if its document type defines anything; nothing
    is then read, or up to an entry that is too large. ``largest`` is the limit in bytes; 0: that of sitemaps.
    """
    found = Listed([], [])
    body = _unpacked(response, refuse, largest or _MAX_SITEMAP)
    is_feed = any(root in body[:2000] for root in _FEEDS)
    if not is_feed and not any(root in body[:4000] for root in _SITEMAPS):
        return found
    if _DEFINITION.search(body):
        refuse("definitions")
        return found
    try:
        _list(found, body, response.url, is_feed=is_feed)
    except etree.XMLSyntaxError as error:
        logger.debug("%s is not valid XML: %s", response.url, error)
    except LimitError:
        refuse(TOO_LARGE)
    return found


def _list(found: Listed, body: bytes, url: str, *, is_feed: bool) -> None:
    for entry in _entries(body, _ITEMS if is_feed else _LOCATIONS):
        into = found.sitemaps if etree.QName(entry).localname == "sitemap" else found.pages
        with suppress(UnicodeDecodeError):  # of lxml, for surrogates
            into += _links(entry, url) if is_feed else _texts(entry, "{*}loc")


def _unpacked(response: Response, refuse: Callable[[str], object], largest: int) -> bytes:
    """Return the body without gzip; b"" if it cannot be unpacked, or is larger than ``largest`` bytes then."""
    if not gzip_magic_number(response):
        return response.body
    try:
        return gunzip(response.body, max_size=largest)
    except (OSError, EOFError, zlib.error, struct.error) as error:
        logger.debug("%s cannot be unpacked: %r", response.url, error)
    except ValueError:  # raised for the size
        refuse(TOO_LARGE)
    return b""


def _entries(body: bytes, tags: Sequence[str]) -> Iterator[Any]:
    """Yield the first elements with these tags; each is dropped after its use, and so are those before it.

    Raises XMLSyntaxError at the end of a broken document, and LimitError after too many bytes without an element.
    """
    parser = etree.XMLPullParser(
        ("end",),
        tag=tags,
        recover=True,
        encoding="utf-8",  # URLs are ASCII; encodings such as UTF-7 could hide definitions
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    count = latest = 0
    for start in range(0, len(body) + _CHUNK, _CHUNK):
        if chunk := body[start : start + _CHUNK]:
            parser.feed(chunk)
        else:
            parser.close()
        for _, element in parser.read_events():
            yield element
            count, latest = count + 1, start
            if count == _MAX_LISTED:
                return
            _drop(element)
        Limits(body=_MAX_ENTRY).check_body(start - latest)


def _drop(element: Any) -> None:
    """Empty an element, and remove all elements that ended before it."""
    element.clear()
    for each in (element, *element.iterancestors()):
        if (parent := each.getparent()) is not None:
            del parent[: parent.index(each)]


def _texts(entry: Any, tag: str) -> Iterator[str]:
    yield from ((element.text or "").strip() for element in entry.iterchildren(tag))


def _links(entry: Any, url: str) -> Iterator[str]:
    for link in entry.iterchildren("{*}link"):
        address = link.get("href") or (link.text or "").strip()
        is_page = address and link.get("rel", "alternate") == "alternate"
        if is_page and (found := resolved(address, url)) is not None:
            yield found
