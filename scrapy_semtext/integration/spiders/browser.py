"""Rendering of pages in a browser by scrapy-playwright."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy_semtext.crawling.rendering import Rendering
from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.spiders.spider_settings import add_to_dict
from scrapy_semtext.utils.extras import load_extra, require_extra

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from scrapy_semtext.crawling.entries import Entry
    from scrapy_semtext.crawling.rendering import RenderMode
    from scrapy_semtext.page import Page

logger = logging.getLogger(__name__)

_HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
_DEFAULTS = {
    "PLAYWRIGHT_ABORT_REQUEST": "scrapy_semtext.integration.spiders.browser.is_without_text",
    "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4,
}
_WITHOUT_TEXT = ("image", "media", "font")
_LONGEST_IDLE = 5_000  # milliseconds to wait for the network to become idle
_LONGEST_TRIAL, _WAIT = 60.0, 0.05  # seconds that pages wait for others of their pattern, and between checks


def enable_rendering(settings: BaseSettings) -> None:
    """Enable scrapy-playwright; handlers and settings of the project win. Raises MissingExtraError without it."""
    require_extra("scrapy_playwright", "render")
    add_to_dict(settings, "DOWNLOAD_HANDLERS", {"http": _HANDLER, "https": _HANDLER})
    for name, value in _DEFAULTS.items():
        settings.setdefault(name, value, "spider")


class Browser:
    """Decides which pages of a crawl are rendered, and counts them."""

    def __init__(self, mode: RenderMode, crawler: Crawler) -> None:
        self._rendering = Rendering(mode)
        self._crawler = crawler
        self._is_warned = False

    def meta_for(self, entry: Entry) -> dict[str, Any]:
        """Return the meta of the first request for a URL."""
        return rendered_meta() if self._rendering.comes_first(entry.host, entry.pattern.fine) else {}

    async def is_needed(self, entry: Entry, page: Page, root: Any) -> bool:
        """Return whether a page that was read without rendering has to be fetched again and rendered.

        While the first pages of a pattern are being rendered, its other pages wait for the result.
        """
        place = (entry.host, entry.pattern.fine)
        if not self._rendering.is_needed(*place, page, root):
            return False
        until = time.monotonic() + _LONGEST_TRIAL
        while self._rendering.waits(*place) and self._crawler.engine.running and time.monotonic() < until:
            await sleep(_WAIT)
        return self._rendering.begin(*place)

    def learn(self, entry: Entry, page: Page, response: Response) -> None:
        """Record the result of rendering a page."""
        of_use = self._rendering.learn(entry.host, entry.pattern.fine, page, was_read=_was_read(response.meta))
        self._crawler.stats.inc_value("semtext/crawl/rendered")
        if of_use:
            self._crawler.stats.inc_value("semtext/crawl/rendered/of_use")

    def fail(self, entry: Entry, failure: Failure) -> None:
        """Record that a page could not be rendered, and log why, the first time as a warning."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        self._rendering.fail(entry.host, entry.pattern.fine, was_read=_was_read(request.meta))
        self._crawler.stats.inc_value("semtext/crawl/rendered/failed")
        level = logging.DEBUG if self._is_warned else logging.WARNING
        self._is_warned = True
        logger.log(level, "%s could not be rendered: %s", entry.url, str(failure.value).strip())


def _was_read(meta: dict[str, Any]) -> bool:
    """Whether a page was read without rendering before, and had too little text."""
    return bool(meta.get("semtext_thin"))


def is_rendered(response: Response) -> bool:
    """Return whether a response was rendered by a browser."""
    return bool(response.meta.get("playwright"))


def rendered_meta(*, was_read: bool = False) -> dict[str, Any]:
    """Return the meta of a request for a page to render; ``was_read``: it had too little text without rendering."""
    page_method = load_extra("scrapy_playwright.page", "render").PageMethod
    meta = {"playwright": True, "playwright_page_methods": [page_method(settle)]}
    return {**meta, "semtext_thin": True} if was_read else meta


async def settle(page: Any) -> None:
    """Wait until a page stops fetching, but only for a few seconds, as some pages never stop."""
    from playwright.async_api import Error

    with suppress(Error):
        await page.wait_for_load_state("networkidle", timeout=_LONGEST_IDLE)


def is_without_text(request: Any) -> bool:
    """Return whether a page requests a resource that contains no text."""
    return request.resource_type in _WITHOUT_TEXT
