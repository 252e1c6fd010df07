"""The scrapy-poet provider, which passes the Page of a response to callbacks and page objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# scrapy-poet resolves the annotations of __call__, so these names must exist at run time.
from scrapy.crawler import Crawler  # noqa: TC002
from scrapy.http import Request, Response  # noqa: TC002
from scrapy_poet.page_input_providers import PageObjectInputProvider

from scrapy_semtext.integration.downloader_middleware import SemtextDownloaderMiddleware
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.page import Page
from scrapy_semtext.serialization import register


class PageProvider(PageObjectInputProvider):
    """Provides :class:`scrapy_semtext.page.Page`.

    For a response without a page (not HTML, failed...), the Page is empty except for the response's URL, so that the
    callback runs nevertheless. The crawl's stats count the reasons.
    """

    provided_classes = {Page}  # noqa: RUF012  scrapy-poet wants a set
    name = "semtext_page"

    async def __call__(
        self,
        to_provide: set[Callable[..., Any]],  # noqa: ARG002  always {Page}
        request: Request,
        response: Response,
        crawler: Crawler,
    ) -> Sequence[Page]:
        """Return the response's page, extracting it now if scrapy-poet's middleware comes before ours."""
        middleware = crawler.get_downloader_middleware(SemtextDownloaderMiddleware)
        if middleware is None:
            raise SettingsError("PageProvider needs SemtextDownloaderMiddleware in DOWNLOADER_MIDDLEWARES")
        outcome = await middleware.outcome(request, response)
        return [outcome if isinstance(outcome, Page) else Page(url=response.url)]


register()
