"""The spider to start from: it follows links and yields items that hold nothing but the url."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import scrapy

from example.items import ITEMS, Documentation
from scrapy_semtext import page_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Request, Response


#: How pages of a kind are read, where the settings do not say it: sections are read on demand.
OPTIONS = {"documentation": {"sections": True}}


class PagesSpider(scrapy.Spider):
    """Crawls the whole bundled site: index, lists of pages by kind, pages."""

    name = "pages"
    #: Lists that are not followed: the thread is one of the questions once more, in pieces.
    left_out: tuple[str, ...] = ("thread",)

    async def start(self) -> AsyncIterator[Request]:
        # The extension SiteServer puts the site's address here; its port is another one each time.
        for url in self.start_urls:
            # An index has no main text that anybody wants: False leaves the model out of it.
            yield scrapy.Request(url, self.parse_index, meta={"semtext": False})

    def parse_index(self, response: Response) -> Iterator[Request]:
        for link in response.css("nav a"):
            kind = link.attrib["data-kind"]
            if kind not in self.left_out:
                path, arguments = link.attrib["href"], {"kind": kind}
                yield response.follow(path, self.parse_list, meta={"semtext": False}, cb_kwargs=arguments)

    def parse_list(self, response: Response, kind: str) -> Iterator[Request]:
        pages = response.css("main a::attr(href)").getall()
        meta = {"semtext": OPTIONS.get(kind)}
        yield from response.follow_all(pages, self.parse_page, meta=meta, cb_kwargs={"kind": kind})
        more = response.css("a[rel=next]::attr(href)").getall()
        yield from response.follow_all(more, self.parse_list, meta={"semtext": False}, cb_kwargs={"kind": kind})

    def parse_page(self, response: Response, kind: str) -> Iterator[Any]:
        # Title, main text and all else come in on the item's way through the pipeline ...
        item = ITEMS.get(kind, dict)(url=response.url)
        # ... but the page can also be had here: None if there was nothing to read.
        page = page_of(response)
        if page is not None and isinstance(item, Documentation):
            item.sections = [asdict(section) for section in page.sections]
        yield item
        if page is not None:
            kept = sum(block.is_main for block in page.blocks)
            self.logger.info("%s: kept %d of %d blocks", response.url, kept, len(page.blocks))
