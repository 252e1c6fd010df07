"""One of the crawler processes that share a queue in Redis; run as a script by the test.

Arguments: the port of Redis, and the folder of this process.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy_redis.spiders import RedisSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import TextResponse
    from typing_extensions import Self


class PagesSpider(RedisSpider):  # type: ignore[misc]
    """Fetches the bundled pages, and yields an item for each."""

    name = "pages"
    allowed_domains = ("127.0.0.1",)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *arguments: Any, **keywords: Any) -> Self:
        spider: Self = super().from_crawler(crawler, *arguments, **keywords)
        for signal in (signals.spider_opened, signals.response_received):
            crawler.signals.connect(spider.is_busy, signal)
        return spider

    def is_busy(self) -> None:
        """Count the idle time from now on; scrapy-redis counts from when it was imported."""
        self.spider_idle_start_time = int(time.time())

    def parse(self, response: TextResponse) -> Iterator[Any]:
        if "/pages/" in response.url:
            yield {"url": response.url}
        else:
            yield from response.follow_all(css="a[href^='/lists/'], a[href^='/pages/'], a[href^='/moved/']")


def settings(port: int, folder: Path) -> dict[str, Any]:
    return {
        "ADDONS": {"scrapy_semtext.Addon": 300},
        "SEMTEXT_ENABLED": True,
        "SEMTEXT_SITE_TEMPLATES": True,
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "MAX_IDLE_TIME_BEFORE_CLOSE": 5,
        "REDIS_URL": f"redis://127.0.0.1:{port}",
        "JOBDIR": str(folder / "job"),
        "FEEDS": {folder / "items.jsonl": {"format": "jsonlines", "encoding": "utf8"}},
        "CONCURRENT_REQUESTS": 2,
        "DOWNLOAD_DELAY": 0.3,  # a process that is idle looks at the queue every five seconds
        "LOG_FILE": str(folder / "log"),
        "TELNETCONSOLE_ENABLED": False,
    }


if __name__ == "__main__":
    own = Path(sys.argv[2])
    process = CrawlerProcess(settings(int(sys.argv[1]), own))
    crawler = process.create_crawler(PagesSpider)
    process.crawl(crawler)
    process.start()
    (own / "stats.json").write_text(json.dumps(crawler.stats.get_stats(), default=str))
