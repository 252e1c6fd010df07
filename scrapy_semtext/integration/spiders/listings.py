"""Requests for what a site lists for machines: robots.txt, sitemaps and feeds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import Request

from scrapy_semtext.crawling.entries import IN_SITEMAP, NewAddress
from scrapy_semtext.crawling.roles import Guess
from scrapy_semtext.integration.spiders.discovery import (
    feeds_of_page,
    listed_addresses,
    robots_address,
    sitemaps_of_robots,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

_IN_SITEMAP, _IN_FEED = Guess("content", 0.6), Guess("content", 0.95)
_MOST = 50  # sitemaps and feeds of a site
_ALL_STATUSES = {"handle_httpstatus_all": True, "semtext": False}


class Listings:
    """Reads sitemaps and feeds. ``add`` gets the addresses they list; ``waiting`` counts the requests under way."""

    def __init__(self, add: Callable[[Iterable[NewAddress]], object]) -> None:
        self._add = add
        self._sent: set[str] = set()
        self._count: dict[str, int] = {}
        self.waiting = 0

    def of_sites(self, urls: Iterable[str]) -> Iterator[Request]:
        """Yield a request for the robots.txt of each site."""
        for url in sorted({robots_address(url) for url in urls}):
            yield from self._request(url, url, self._read_robots, _IN_SITEMAP)

    def of_page(self, root: Any, url: str) -> Iterator[Request]:
        """Yield a request for the feed that a page names first; ``root`` is its tree."""
        for feed in list(feeds_of_page(root, url))[:1]:
            yield from self._request(feed, url, self._read, _IN_FEED)

    def _request(self, url: str, site: str, callback: Callable[..., object], guess: Guess) -> Iterator[Request]:
        site = robots_address(site)
        if url not in self._sent and self._count.get(site, 0) < _MOST and url.startswith(("http://", "https://")):
            self._sent.add(url)
            self._count[site] = self._count.get(site, 0) + 1
            self.waiting += 1
            arguments = {"site": site, "guess": guess}
            meta = {**_ALL_STATUSES, "dont_obey_robotstxt": callback == self._read_robots}
            yield Request(
                url, callback, errback=self._failed, cb_kwargs=arguments, meta=meta, priority=10, dont_filter=True
            )

    def _read_robots(self, response: Response, site: str, guess: Guess) -> Iterator[Request]:
        for url in sitemaps_of_robots(response):
            yield from self._request(url, site, self._read, guess)
        self.waiting -= 1

    def _read(self, response: Response, site: str, guess: Guess) -> Iterator[Request]:
        if response.status == 200:
            listed = listed_addresses(response)
            self._add(NewAddress(url, guess, IN_SITEMAP, 1) for url in listed.pages)
            for url in listed.sitemaps:
                yield from self._request(url, site, self._read, guess)
        self.waiting -= 1

    def _failed(self, failure: Failure) -> None:
        self.waiting -= 1
        logger.debug("A sitemap or feed could not be fetched: %s", failure.value)
