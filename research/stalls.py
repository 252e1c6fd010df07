"""Measures how long an event loop is blocked."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.utils.asyncio import call_later

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import CallLaterResult
    from typing_extensions import Self

#: How often, in seconds, the meter schedules a call.
INTERVAL = 0.005

_RESOLUTION = 0.0001  # seconds


class StallMeter:
    """Schedules a call every ``interval`` seconds and reports how late each one is.

    ``report`` gets the delay of each call in seconds. If something blocks the loop for t seconds, one call is between
    t - interval and t late. Works on asyncio and on any Twisted reactor.
    """

    def __init__(self, report: Callable[[float], None], interval: float = INTERVAL) -> None:
        self._report = report
        self._interval = interval
        self._due: float | None = None
        self._call: CallLaterResult | None = None

    def start(self) -> None:
        """Start to measure with the loop's first iteration, since the loop may not run yet."""
        self._due = None
        self._call = call_later(0, self._tick)

    def stop(self) -> None:
        """Stop; may be called twice."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _tick(self) -> None:
        now = time.monotonic()
        if self._due is not None:
            self._report(max(0.0, now - self._due))
        self._due = now + self._interval
        self._call = call_later(self._interval, self._tick)


class Stalls:
    """A histogram of the delays of a StallMeter, with a resolution of 0.1 ms.

    A stall blocks the meter, too, and would count as one late call however long it lasts. Therefore each late call
    also counts for the calls that were due meanwhile (correction of coordinated omission, as in HdrHistogram). A
    quantile is then over time: at that share of all moments, an event was handled within so many seconds.
    """

    def __init__(self, interval: float = INTERVAL) -> None:
        self._step = round(interval / _RESOLUTION)
        self._counts: Counter[int] = Counter()
        self.longest = 0.0

    def __len__(self) -> int:
        return self._counts.total()

    def add(self, seconds: float) -> None:
        """Add the delay of one call."""
        self.longest = max(self.longest, seconds)
        for late in range(round(seconds / _RESOLUTION), -1, -self._step):
            self._counts[late] += 1

    def clear(self) -> None:
        """Forget all delays."""
        self._counts.clear()
        self.longest = 0.0

    def quantile(self, share: float) -> float:
        """Return a quantile of the delays in seconds; 0 without any."""
        left = share * len(self)
        for late, count in sorted(self._counts.items()):
            left -= count
            if left <= 0:
                return late * _RESOLUTION
        return 0.0


class MeteredSpider(scrapy.Spider):
    """A spider with the ``stalls`` of its event loop, from the call of ``meter.start`` on."""

    def __init__(self) -> None:
        super().__init__()
        self.stalls = Stalls()
        self.meter = StallMeter(self.stalls.add)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *arguments: Any, **named: Any) -> Self:
        """Connect the method ``item_scraped`` to its signal."""
        spider = super().from_crawler(crawler, *arguments, **named)
        crawler.signals.connect(spider.item_scraped, signal=scrapy.signals.item_scraped)
        return spider

    def item_scraped(self, item: Any) -> None:
        """Take note of an item."""
        raise NotImplementedError

    def closed(self, reason: str) -> None:  # noqa: ARG002  Scrapy passes it
        """Stop to measure."""
        self.meter.stop()
