"""A crawl of hostile pages, with every component of the package and all feeds: each response has to give its item."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler

from scrapy_semtext.integration.settings import NOTE
from scrapy_semtext.results import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: A body, and the Content-Type that it is sent with.
Site = dict[str, tuple[bytes, str]]
_FEEDS = ("messages", "qa", "chunks")


class SiteHandler(BaseDownloadHandler):
    """Answers from the setting SITE instead of the network."""

    async def download_request(self, request: scrapy.Request) -> Response:
        """Return the page of an address."""
        body, content_type = self.crawler.settings["SITE"][request.url]
        headers = Headers({"Content-Type": content_type})
        kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
        return kind(request.url, 200, headers, body)


class SiteSpider(scrapy.Spider):
    """Yields an item for every page."""

    name = "fuzzing"

    async def start(self) -> Any:
        """Ask for all pages."""
        for url in self.settings["SITE"]:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Any:
        """Yield the item, after a look at the page as callbacks take it."""
        yield {"url": response.url, "links": len(response.css("a")) if hasattr(response, "selector") else 0}


def violations(site: Site, **settings: Any) -> Iterator[str]:
    """Crawl a site and yield what does not hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items, stats, errors = _crawl(site, folder, settings)
        urls = sorted(item["url"] for item in items)
        if urls != sorted(site):
            yield f"the crawl of {len(site)} pages gives {len(urls)} items"
        for error in errors:
            yield f"the crawl logs: {error}"
        for stat, value in stats.items():
            if stat.startswith("semtext/errors/"):
                yield f"the crawl counts {value} of {stat}"
        yield from _unreadable(folder)


def _crawl(site: Site, folder: Path, settings: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any], list[str]]:
    feeds: dict[Any, Any] = {folder / f"{form}.jsonl": {"format": f"semtext-{form}"} for form in _FEEDS}
    feeds[folder / "items.jsonl"] = {"format": "jsonlines"}
    feeds[folder / "items.csv"] = {"format": "csv", "fields": ["url", "title", "main_text"]}
    given = {
        "ADDONS": {"scrapy_semtext.Addon": 300},
        "SEMTEXT_ENABLED": True,
        "SEMTEXT_FIELDS": {result: result if result != "url" else "page_url" for result in (*RESULTS, NOTE)},
        "SEMTEXT_SITE_TEMPLATES": not settings.get("SEMTEXT_PROCESSES"),
        "SEMTEXT_VIEW_DIR": str(folder / "views"),
        "SITE": site,
        "DOWNLOAD_HANDLERS": {"http": SiteHandler, "https": None, "ftp": None},
        "FEEDS": feeds,
        **settings,
    }
    crawler = get_crawler(SiteSpider, given)
    items: list[Any] = []
    errors = _Errors()

    def keep(item: Any) -> None:
        items.append(item)

    crawler.signals.connect(keep, signal=signals.item_scraped)
    logging.getLogger().addHandler(errors)
    try:
        asyncio.run(crawler.crawl_async())
    finally:
        logging.getLogger().removeHandler(errors)
    return items, dict(crawler.stats.get_stats()), errors.messages


class _Errors(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()[:500]
        self.messages.append(f"{text} {record.exc_info[1]!r}" if record.exc_info else text)


def _unreadable(folder: Path) -> Iterator[str]:
    """The feeds are what they have to be: JSON with an object in each line."""
    for path in folder.glob("*.jsonl"):
        for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
            try:
                json.loads(line)
            except ValueError as error:  # noqa: PERF203
                yield f"line {number} of {path.name} is no JSON: {error}"
