"""The crawl that link roles are compared with: all links of the hosts, breadth first, with the same extraction.

``python -m research.site_crawls.spider URL[,URL...] PAGES OUT.jsonl``
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response


class BreadthFirstSpider(scrapy.Spider):
    """Follows every link until ``budget`` pages are asked for, and yields an item a page."""

    name = "breadth_first"
    custom_settings = {  # noqa: RUF012 - as Scrapy's documentation has it
        "ADDONS": {"scrapy_semtext.Addon": 300},
        "SEMTEXT_ENABLED": True,
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "CONCURRENT_REQUESTS": 8,
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, url: str, budget: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = url.split(",")
        self._links = LinkExtractor(allow_domains=[urlsplit(each).netloc for each in self.start_urls])
        self._budget = budget
        self._seen = set(self.start_urls)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield the page as an item, and its links while the budget lasts."""
        if not isinstance(response, TextResponse):
            return
        yield {"url": response.url}
        for link in self._links.extract_links(response):
            if len(self._seen) < self._budget and link.url not in self._seen:
                self._seen.add(link.url)
                yield response.follow(link)


def main(url: str, budget: str, out: str) -> None:
    """Crawl from an address on."""
    process = AsyncCrawlerProcess({"LOG_LEVEL": "INFO", "FEEDS": {out: {"format": "jsonlines"}}})
    process.crawl(BreadthFirstSpider, url=url, budget=int(budget))
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
