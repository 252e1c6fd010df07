"""What the example needs around its spiders: the site to crawl, and the coloured pages left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import run_in_thread

from example.bundled import page_at
from example.server import SiteServerThread
from example.views import write_views
from scrapy_semtext import page_of

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from example.bundled import BundledPage
    from scrapy_semtext import Page


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


class ColouredPages:
    """Once the crawl is over, writes each page that became an item as a file with its blocks coloured."""

    def __init__(self, folder: Path, bundle: str | None) -> None:
        self._folder = folder
        self._bundle = bundle
        self._read: dict[BundledPage, Page] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("SEMTEXT_ENABLED"):
            raise NotConfigured("without scrapy-semtext there is nothing to colour")
        self = cls(crawler.settings["OUTPUT"] / "pages", crawler.settings.get("SEMTEXT_BUNDLE"))
        crawler.signals.connect(self.item_scraped, signals.item_scraped)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        return self

    def item_scraped(self, response: Response) -> None:
        bundled, page = page_at(response.url), page_of(response)
        if bundled is not None and page is not None:
            self._read[bundled] = page

    async def spider_closed(self) -> None:
        await run_in_thread(write_views, self._read, self._folder, self._bundle)
