"""An extension of Scrapy that measures how long the event loop of a crawl is blocked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals

from research.stalls import StallMeter, Stalls

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self


class StallStats:
    """Sets the stats ``loop_stall_max``, ``loop_stall_p99`` and ``loop_stall_p50``.

    They are in seconds: the longest time that the event loop was blocked, by anything in the process, and quantiles.
    ``EXTENSIONS = {"stall_stats.StallStats": 0}`` switches it on.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._stalls = Stalls()
        self._meter = StallMeter(self._stalls.add)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Measure from the first moment of the spider to its last."""
        extension = cls(crawler.stats)
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Start to measure."""
        self._meter.start()

    def spider_closed(self) -> None:
        """Stop, and set the stats."""
        self._meter.stop()
        self._stats.set_value("loop_stall_max", self._stalls.longest)
        self._stats.set_value("loop_stall_p99", self._stalls.quantile(0.99))
        self._stats.set_value("loop_stall_p50", self._stalls.quantile(0.5))
