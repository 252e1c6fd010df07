"""Rendering of pages in a browser by scrapy-playwright."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy_semtext.crawl.rendering import Rendering
from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.spiders.middlewares import add_to_dict
from scrapy_semtext.utils.extras import load_extra, require_extra

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from scrapy_semtext.crawl.frontier import Entry
    from scrapy_semtext.crawl.rendering import RenderMode
    from scrapy_semtext.page import Page

logger = logging.getLogger(__name__)

#: The key of request.meta with the method of a page that reads it, whose result is its URL and HTML.
READING = "semtext_reading"

_PLAIN_HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
_HANDLER = "scrapy_semtext.integration.spiders.rendering_handler.RenderingHandler"
_DEFAULTS = {
    "PLAYWRIGHT_ABORT_REQUEST": "scrapy_semtext.integration.spiders.browser.is_without_text",
    "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4,
}
_WITHOUT_TEXT = ("image", "media", "font")
_MAX_IDLE = 5_000  # milliseconds to wait for the network to become idle
_READ = """() => [location.href, (document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "")
    + document.documentElement.outerHTML]"""
_MAX_TRIAL, _WAIT = 60.0, 0.05  # seconds that pages wait for others of their pattern, and between checks


def enable_rendering(settings: BaseSettings) -> None:
    """Enable scrapy-playwright; other handlers of the project, and its settings, win.

    Raises MissingExtraError without scrapy-playwright.
    """
    require_extra("scrapy_playwright", "render")
    own = settings.getdict("DOWNLOAD_HANDLERS")
    schemes = [scheme for scheme in ("http", "https") if own.get(scheme, _PLAIN_HANDLER) == _PLAIN_HANDLER]
    add_to_dict(settings, "DOWNLOAD_HANDLERS", dict.fromkeys(schemes, _HANDLER), wins=True)
    for name, value in _DEFAULTS.items():
        settings.setdefault(name, value, "spider")


class RenderingError(Exception):
    """A page could not be rendered."""


class RenderingStopped(RenderingError):  # noqa: N818  it is no error of the page
    """A page was being rendered when the crawl was ended."""


class Browser:
    """Decides which pages of a crawl are rendered, and counts them."""

    def __init__(self, mode: RenderMode, crawler: Crawler) -> None:
        self._rendering = Rendering(mode)
        self._crawler = crawler
        self._is_warned = False

    def meta_for(self, entry: Entry) -> dict[str, Any]:
        """Return the meta of the first request for a URL."""
        return rendered_meta() if self._rendering.comes_first(entry.host, entry.pattern.coarse) else {}

    async def is_needed(self, entry: Entry, page: Page, root: Any) -> bool:
        """Return whether a page that was read without rendering has to be fetched again and rendered.

        While the first pages of a pattern are being rendered, its other pages wait for the result.
        """
        place = (entry.host, entry.pattern.coarse)
        if not self._rendering.is_needed(*place, page, root):
            return False
        until = time.monotonic() + _MAX_TRIAL
        while self._rendering.waits(*place) and self._crawler.engine.running and time.monotonic() < until:
            await sleep(_WAIT)
        return self._rendering.begin(*place)

    def learn(self, entry: Entry, page: Page, response: Response) -> None:
        """Record the result of rendering a page."""
        of_use = self._rendering.learn(entry.host, entry.pattern.coarse, page, was_read=_was_read(response.meta))
        self._crawler.stats.inc_value("semtext/crawl/rendered")
        if of_use:
            self._crawler.stats.inc_value("semtext/crawl/rendered/of_use")

    def fail(self, entry: Entry, failure: Failure) -> None:
        """Record that a page could not be rendered, and log why, the first time as a warning."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        self._rendering.fail(entry.host, entry.pattern.coarse, was_read=_was_read(request.meta))
        self._crawler.stats.inc_value("semtext/crawl/rendered/failed")
        level = logging.DEBUG if self._is_warned else logging.WARNING
        self._is_warned = True
        logger.log(level, "%s could not be rendered: %s", entry.url, str(failure.value).strip())


def _was_read(meta: dict[str, Any]) -> bool:
    """Whether a page was read without rendering before, and had too little text."""
    return bool(meta.get("semtext_thin"))


def rendered_meta(*, was_read: bool = False) -> dict[str, Any]:
    """Return the meta of a request for a page to render; ``was_read``: it had too little text without rendering."""
    reading = load_extra("scrapy_playwright.page", "render").PageMethod(read)
    meta = {"playwright": True, "playwright_page_methods": [reading], READING: reading}
    return {**meta, "semtext_thin": True} if was_read else meta


async def read(page: Any) -> tuple[str, str]:
    """Return the URL and the HTML of a page when it fetches nothing more, or after a few seconds: some never stop.

    Both are read in one step, as a page may navigate at any time. Raises RenderingError if Playwright knows another
    URL, which a script could pretend.
    """
    from playwright.async_api import Error

    with suppress(Error):
        await page.wait_for_load_state("networkidle", timeout=_MAX_IDLE)
    known = page.url
    url, html = await page.evaluate(_READ)
    if url not in (known, page.url):
        raise RenderingError(f"it moved to {url} while it was read")
    return url, html


def is_without_text(request: Any) -> bool:
    """Return whether a page requests a resource that contains no text."""
    return request.resource_type in _WITHOUT_TEXT
