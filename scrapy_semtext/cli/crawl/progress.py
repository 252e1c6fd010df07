"""Shows the progress of a crawl."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

_INTERVAL, _LONG_INTERVAL = 0.5, 30.0  # seconds between lines: on a terminal, and elsewhere, where no line is erased
_ERASE = "\r\x1b[K"


class CrawlProgress:
    """Regularly writes the counts of pages, items and pairs, pages per second and the queue length to standard error.

    On a terminal, each line replaces the one before.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._began = self._last = time.monotonic()
        self._erases = sys.stderr.isatty()
        self._interval = _INTERVAL if self._erases else _LONG_INTERVAL

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create it, and connect it to the signals."""
        progress = cls(crawler)
        crawler.signals.connect(progress.response_received, signal=signals.response_received)
        crawler.signals.connect(progress.spider_closed, signal=signals.spider_closed)
        return progress

    def response_received(self) -> None:
        """Write the line again if the last one is old."""
        if time.monotonic() - self._last >= self._interval:
            self._last = time.monotonic()
            spider: Any = self._crawler.spider
            rate = spider.pages_sent / max(self._last - self._began, 0.1)
            sys.stderr.write(
                f"{_ERASE * self._erases}{spider.pages_sent} pages, {spider.items_found} items,"
                f" {spider.pairs_found} pairs, {rate:.1f} pages/s, {spider.frontier.waiting()} in the queue"
                + "\n"
                * (not self._erases)
            )
            sys.stderr.flush()

    def spider_closed(self) -> None:
        """Erase the line on a terminal."""
        if self._erases:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()
