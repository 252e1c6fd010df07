"""What the example needs around its spiders: the site to crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals

from example.server import SiteServerThread

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class SiteServer:
    """Serves the bundled site while a spider without start_urls of its own is open."""

    def __init__(self) -> None:
        self._server: SiteServerThread | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        self = cls()
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        return self

    def spider_opened(self, spider: Spider) -> None:
        if not spider.start_urls:
            self._server = SiteServerThread()
            spider.start_urls = [self._server.url]

    def spider_closed(self) -> None:
        if self._server is not None:
            self._server.close()
