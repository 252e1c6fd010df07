"""How long an event loop was kept from turning."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import call_later

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.utils.asyncio import CallLaterResult

#: How often, in seconds, the event loop is asked for a call.
INTERVAL = 0.005

_GRAIN = 0.0001  # seconds


class StallMeter:
    """Asks the event loop for a call every ``interval`` seconds and reports how late each one came.

    ``report`` gets the lateness of every call in seconds. Something that blocks the loop for t seconds makes one call
    between t - interval and t late. Works on asyncio and on any Twisted reactor.
    """

    def __init__(self, report: Callable[[float], None], interval: float = INTERVAL) -> None:
        self._report = report
        self._interval = interval
        self._due: float | None = None
        self._call: CallLaterResult | None = None

    def start(self) -> None:
        """Start; time counts from the loop's first turn, since the loop need not run yet."""
        self._due = None
        self._call = call_later(0, self._tick)

    def stop(self) -> None:
        """Stop; further calls do nothing."""
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
    """How late the calls of a StallMeter came, in bounded memory: tenths of milliseconds are counted.

    A stall keeps the meter itself from calling, and would count as a single late call however long it lasts. So each
    late call also stands for those that were due while it was waited for, each later by an interval (the correction
    that HdrHistogram calls that of coordinated omission). A quantile then says: of all the moments of a crawl, in that
    share of them an event would have been handled within so many seconds.
    """

    def __init__(self, interval: float = INTERVAL) -> None:
        self._step = round(interval / _GRAIN)
        self._counts: Counter[int] = Counter()
        self.longest = 0.0

    def __len__(self) -> int:
        return self._counts.total()

    def add(self, seconds: float) -> None:
        """Count a call that came so much too late."""
        self.longest = max(self.longest, seconds)
        for late in range(round(seconds / _GRAIN), -1, -self._step):
            self._counts[late] += 1

    def quantile(self, share: float) -> float:
        """The lateness, in seconds, that this share of the calls did not exceed; 0 if there were none."""
        left = share * len(self)
        for late, count in sorted(self._counts.items()):
            left -= count
            if left <= 0:
                return late * _GRAIN
        return 0.0
