"""The scrapy-poet provider: a callback or a page object that asks for a Page gets the one of its response."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence  # noqa: TC003
from typing import Any

# scrapy-poet finds out what to pass by resolving the annotations of __call__, so their names have to exist at run time.
from scrapy.crawler import Crawler  # noqa: TC002
from scrapy.http import Request, Response  # noqa: TC002
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_semtext.integration.middlewares import SemtextDownloaderMiddleware
from scrapy_semtext.integration.settings import SettingsError
from scrapy_semtext.page import Block, Page, QAPair, Section, Segment


class PageProvider(PageObjectInputProvider):
    """Provides :class:`scrapy_semtext.page.Page`.

    Where a response has no page (it is not HTML, reading it failed ...) it is an empty one with the response's URL:
    the callback runs and its items come out. The crawl's stats tell why.
    """

    provided_classes = {Page}  # noqa: RUF012  scrapy-poet wants a set
    name = "semtext_page"

    async def __call__(
        self,
        to_provide: set[Callable[..., Any]],  # noqa: ARG002  it can only be Page
        request: Request,
        response: Response,
        crawler: Crawler,
    ) -> Sequence[Page]:
        """Return the response's page, which is read now should scrapy-poet's middleware come before ours."""
        middleware = crawler.get_downloader_middleware(SemtextDownloaderMiddleware)
        if middleware is None:
            raise SettingsError("PageProvider needs SemtextDownloaderMiddleware in DOWNLOADER_MIDDLEWARES")
        outcome = await middleware.outcome(request, response)
        return [outcome if isinstance(outcome, Page) else Page(url=response.url)]


def _serialize(page: Page) -> SerializedLeafData:
    return {"json": json.dumps(page.to_dict(blocks=True, segments=True), ensure_ascii=False, indent=1).encode()}


def _deserialize(cls: type[Page], data: SerializedLeafData) -> Page:
    values = json.loads(data["json"])
    for name, part in (("blocks", Block), ("qa_pairs", QAPair), ("sections", _section), ("segments", Segment)):
        values[name] = [part(**value) for value in values[name]]
    return cls(**values)


def _section(sections: Sequence[dict[str, Any]], **values: Any) -> Section:
    return Section(**values, sections=[_section(**section) for section in sections])


# For scrapy-poet's cache and the fixtures of `scrapy savefixture`.
register_serialization(_serialize, _deserialize)
