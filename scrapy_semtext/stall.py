"""How long an event loop was kept from turning."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import call_later

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.utils.asyncio import CallLaterResult


class StallMeter:
    """Asks the event loop for a call every ``interval`` seconds and reports how late each one came.

    ``report`` gets the lateness of every call in seconds. Something that blocks the loop for t seconds makes one call
    between t - interval and t late. Works on asyncio and on any Twisted reactor.
    """

    def __init__(self, report: Callable[[float], None], interval: float = 0.005) -> None:
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
