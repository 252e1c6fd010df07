"""The download handler of scrapy-playwright, made safe against pages that never end, open others or navigate away."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error
from scrapy.http import TextResponse
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from scrapy_semtext.integration.spiders.browser import READING, RenderingError, RenderingStopped

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

_LONGEST, _LONGEST_AT_END = 30.0, 8.0  # seconds to render a page, and to render all pages when the crawl is ended
_LONGEST_CLOSE, _WAIT = 5.0, 0.2  # seconds to close a context or the browser, and between checks


class RenderingHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]  # it has no types
    """Renders pages of site spiders in a context each, within a time limit; other requests as scrapy-playwright does.

    Playwright waits for a page without limit, both for its content and to close it. Here, its context is closed when
    the time is over: this ends the page and its popups, whatever their scripts do.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._names = map("semtext-{}".format, count())
        self._end = math.inf  # when the last page has to be rendered
        self._places = asyncio.Semaphore(self.config.max_pages_per_context)

    async def _download_request(self, request: Request, spider: Any = None) -> Response:
        """Render a page. Raises RenderingError if it cannot be loaded, takes too long, or moves while it is read."""
        if READING not in request.meta:
            return await super()._download_request(request, spider)  # type: ignore[no-any-return]
        longest = min(request.meta.get("download_timeout", _LONGEST), _LONGEST)
        async with self._places:
            name = request.meta["playwright_context"] = next(self._names)
            request.meta["playwright_context_kwargs"] = self.config.startup_context_kwargs.get("default")
            until = time.monotonic() + longest
            rendering = asyncio.ensure_future(super()._download_request(request, spider))
            while not rendering.done() and time.monotonic() < min(until, self._until()):
                await asyncio.wait({rendering}, timeout=_WAIT)
            is_done = rendering.done()
            rendering.cancel()
            if (wrapper := self.context_wrappers.get(name)) is not None:
                await _within(_LONGEST_CLOSE, wrapper.context.close())
        if not is_done and time.monotonic() < until:
            raise RenderingStopped("the crawl was ended")
        if not is_done:
            raise RenderingError(f"it did not end within {longest:g} seconds")
        try:
            return rendering.result()  # type: ignore[no-any-return]
        except Error as error:
            raise RenderingError(str(error)) from error

    async def _download_request_with_page(self, request: Request, page: Any, spider: Any) -> Response:
        if (reading := request.meta.get(READING)) is None:
            return await super()._download_request_with_page(request, page, spider)  # type: ignore[no-any-return]

        async def stay(route: Any) -> None:
            asked = route.request
            leaves = asked.is_navigation_request() and asked.frame == page.main_frame
            if leaves and not spider.scope.reaches(asked.url):
                await route.abort("aborted")  # other codes would replace the page by one with an error message
            else:
                await route.fallback()

        page.context.on("page", _close_popup)
        await page.route("**", stay)
        response: Response = await super()._download_request_with_page(request, page, spider)
        url, html = reading.result
        is_text = isinstance(response, TextResponse)
        return response.replace(url=url, body=html.encode(errors="replace"), encoding="utf-8") if is_text else response

    async def _close(self) -> None:
        await _within(_LONGEST_CLOSE, super()._close())

    def _until(self) -> float:
        """Return when all pages have to be rendered, once the crawl is being ended: soon."""
        slot = self._crawler.engine._slot
        if slot is None or slot.closing is not None:
            self._end = min(self._end, time.monotonic() + _LONGEST_AT_END)
        return self._end


async def _close_popup(popup: Any) -> None:
    with suppress(Error):
        await popup.close()


async def _within(seconds: float, work: Coroutine[Any, Any, object]) -> None:
    """Wait for work of the browser, which is cancelled if it takes longer; errors are ignored."""
    with suppress(Error, asyncio.TimeoutError):
        await asyncio.wait_for(work, seconds)
