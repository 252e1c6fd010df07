"""One crawl in an interpreter of its own, which prints its measurements as JSON.

Time, stalls and CPU time are measured from the first request to the last item, and do not include loading the model;
the peak of memory does.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

from research.benchmark.memory import peak_memory, peak_memory_of_children
from research.stalls import MeteredSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

_PLAIN = {
    "LOG_LEVEL": "WARNING",
    "TELNETCONSOLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "DOWNLOAD_MAXSIZE": 0,
    "DOWNLOAD_WARNSIZE": 0,
}
_MILLI = 1000


class TrialSpider(MeteredSpider):
    """Requests every page and yields an item for each; with ``parses``, callbacks select its title by CSS."""

    name = "trial"

    def __init__(self, urls: list[str], parses: bool) -> None:
        super().__init__()
        self._urls = urls
        self._parses = parses
        self._began = self._ended = 0.0
        self._cpu_began = self._cpu_ended = 0.0
        self._loop_cpu_began = self._loop_cpu_ended = 0.0
        self._callback_cpu = 0.0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Start to measure."""
        self._began, self._cpu_began = time.perf_counter(), time.process_time()
        self._loop_cpu_began = time.thread_time()
        self.meter.start()
        for url in self._urls:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        """Make an item of a page."""
        began = time.thread_time()
        item: dict[str, Any] = {"url": response.url}
        if self._parses:
            item["heading"] = response.css("title::text").get()
        self._callback_cpu += time.thread_time() - began
        yield item

    def item_scraped(self, item: Any) -> None:  # noqa: ARG002
        """Store the time, which is that of the last item in the end."""
        self._ended, self._cpu_ended = time.perf_counter(), time.process_time()
        self._loop_cpu_ended = time.thread_time()

    def measured(self) -> dict[str, Any]:
        """Return the measurements, in milliseconds except for ``seconds``."""
        return {
            "seconds": self._ended - self._began,
            "cpu_ms": _MILLI * (self._cpu_ended - self._cpu_began),
            "loop_cpu_ms": _MILLI * (self._loop_cpu_ended - self._loop_cpu_began),
            "callback_cpu_ms": _MILLI * self._callback_cpu,
            "stall_p50_ms": _MILLI * self.stalls.quantile(0.5),
            "stall_p99_ms": _MILLI * self.stalls.quantile(0.99),
            "stall_max_ms": _MILLI * self.stalls.longest,
        }


def main() -> None:
    """Run the crawl that the JSON on standard input describes: ``urls``, ``parses`` and ``settings``."""
    given = json.load(sys.stdin)
    process = AsyncCrawlerProcess({**_PLAIN, **given["settings"]})
    crawler = process.create_crawler(TrialSpider)
    crawling = process.crawl(crawler, urls=given["urls"], parses=given["parses"])
    process.start()
    crawling.result()  # raises what kept the crawl from starting
    stats = crawler.stats.get_stats()
    assert isinstance(crawler.spider, TrialSpider)  # noqa: S101
    found = {
        **crawler.spider.measured(),
        "items": stats.get("item_scraped_count", 0),
        "filled": stats.get("semtext/items/filled", 0) if crawler.settings.getbool("SEMTEXT_ENABLED") else None,
        "wait_max_ms": _MILLI * stats["semtext/wait_max"] if "semtext/wait_max" in stats else None,
        "peak_bytes": peak_memory(),
        "worker_peak_bytes": peak_memory_of_children() if crawler.settings.getint("SEMTEXT_PROCESSES") else None,
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
