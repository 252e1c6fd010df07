"""Crawlers and their event loop, for the oldest and the newest version of Scrapy."""

from __future__ import annotations

import asyncio
import atexit
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import scrapy
from scrapy.core.engine import ExecutionEngine
from scrapy.utils import test

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from scrapy.crawler import Crawler

_T = TypeVar("_T")

#: Scrapy 2.14 cannot crawl without a reactor.
NEEDS_REACTOR = scrapy.version_info < (2, 15)

# Scrapy looks for the end of a crawl of which something waits every 5 seconds.
ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 0.1


def get_crawler(spider: type[scrapy.Spider] | None = None, settings: Mapping[str, Any] | None = None) -> Crawler:
    """Return a crawler whose coroutines are for `run_async`."""
    if NEEDS_REACTOR:
        _loop_with_reactor()
    return test.get_crawler(spider, {"TELNETCONSOLE_ENABLED": False, **(settings or {})})


def run_async(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end and return its result."""
    return _loop_with_reactor().run_until_complete(coroutine) if NEEDS_REACTOR else asyncio.run(coroutine)


@cache
def _loop_with_reactor() -> asyncio.AbstractEventLoop:
    from twisted.internet import asyncioreactor

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)  # type: ignore[no-untyped-call]
    from twisted.internet import reactor

    # A reactor runs only once. Started like this, and never stopped, it serves the loop as often as that runs.
    reactor.startRunning(installSignalHandlers=False)
    atexit.register(loop.close)
    return loop
