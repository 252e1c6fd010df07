"""A spider that follows all links, for crawls with JOBDIR that are killed.

``python -m killed_spider URL JOBDIR FEED MODE``: MODE is "plain" (without the add-on), "thread" (with site
templates) or "processes". Items are appended to FEED as JSON lines.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

_ON: dict[str, Any] = {"ADDONS": {"scrapy_semtext.Addon": 300}, "SEMTEXT_ENABLED": True, "SEMTEXT_DEVICE": "cpu"}
_MODES: dict[str, dict[str, Any]] = {
    "plain": {},
    "thread": {**_ON, "SEMTEXT_SITE_TEMPLATES": True},
    "processes": {**_ON, "SEMTEXT_PROCESSES": 2},
}


class TreeSpider(scrapy.Spider):
    """Yields an item for each page."""

    name = "tree"

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield the item of a page and the requests for what it links to."""
        yield {"url": response.url}
        yield from response.follow_all(css="a")


def main() -> None:
    """Run the crawl of the command line."""
    url, job, feed, mode = sys.argv[1:]
    process = AsyncCrawlerProcess(
        {
            **_MODES[mode],
            "JOBDIR": job,
            "FEEDS": {feed: {"format": "jsonlines"}},
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
            "DOWNLOAD_DELAY": 0.02,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "WARNING",
        }
    )
    process.crawl(TreeSpider, start_urls=[url])
    process.start()


if __name__ == "__main__":
    main()
