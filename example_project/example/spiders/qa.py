"""The second spider: it harvests question-answer pairs into a file for training chat models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from example.settings import CAN_DEDUP, OUTPUT
from example.spiders.pages import PagesSpider
from scrapy_semtext import page_of, use_page
from scrapy_semtext.middlewares import SemtextSpiderMiddleware
from scrapy_semtext.threads import canonical_url, merge_pages, next_url, previous_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Request, Response
    from twisted.python.failure import Failure

    from scrapy_semtext import Page

#: What pages are part of a thread. On others, "next" may lead to the next article.
THREADS = ("question", "thread")


class QASpider(PagesSpider):
    """Crawls the kinds of pages that hold questions.

    With ``-a threads=N``, it follows a thread for up to N pages, which become one item; ``-a kinds=faq`` crawls fewer
    kinds.
    """

    name = "qa"
    left_out = ()

    custom_settings = {  # noqa: RUF012
        # One line a pair. The item holds all pairs of a page; the feed format takes them apart.
        "FEEDS": {OUTPUT / "qa.jsonl": {"format": "semtext-messages", "encoding": "utf8", "overwrite": True}},
        # None that were voted down or are too short to tell anything, and, with the extra "dedup", the near-identical
        # ones once.
        "SEMTEXT_QA": {"min_votes": 0, "min_answer": 20, "dedup": CAN_DEDUP},
    }

    def __init__(self, threads: str = "0", kinds: str = "question,faq,thread", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.kinds = kinds.split(",")
        self.most_pages = int(threads)
        self.begun: set[str] = set()

    def parse_index(self, response: Response) -> Iterator[Request]:
        yield from (request for request in super().parse_index(response) if request.cb_kwargs["kind"] in self.kinds)

    def parse_page(self, response: Response, kind: str) -> Iterator[Any]:
        if self.most_pages and kind in THREADS and page_of(response) is not None:
            yield from self.begin_thread(response)
        else:
            yield {"url": response.url}

    def begin_thread(self, response: Response) -> Iterator[Any]:
        """Follow the thread that a link has led to, unless it is followed already."""
        root = response.xpath("/*")[0].root
        before = previous_url(root, response.url)
        if before is not None:  # a later page: back to the beginning
            yield response.follow(before, self.parse_page, cb_kwargs=response.cb_kwargs)
            return
        thread = canonical_url(root, response.url)
        if thread not in self.begun:  # it may have been reached by another address
            self.begun.add(thread)
            yield from self.follow_thread(response, thread, [])

    def follow_thread(self, response: Response, thread: str, pages: list[Page]) -> Iterator[Any]:
        """Go on to the next page; after the last one, yield the thread as one item."""
        page = page_of(response)
        following = None
        if page is not None:
            pages = [*pages, page]
            following = next_url(response.xpath("/*")[0].root, response.url)
        if following is None or len(pages) >= self.most_pages or following in [page.url for page in pages]:
            use_page(response, merge_pages(pages))
            yield {"url": thread}
            return
        yield response.follow(
            following,
            self.follow_thread,
            errback=self.cut_thread,
            cb_kwargs={"thread": thread, "pages": pages},
            # A page that is missing, or was seen before, must not take the pages before it with it.
            meta={"handle_httpstatus_all": True},
            dont_filter=True,
        )

    async def cut_thread(self, failure: Failure) -> list[Any]:
        """Return what there is of a thread whose next page could not be fetched: there is no response to fill it."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        merged = merge_pages(request.cb_kwargs["pages"])
        middleware: Any = self.crawler.get_spider_middleware(SemtextSpiderMiddleware)
        items: list[Any] = await middleware.linked({"url": request.cb_kwargs["thread"]}, merged, request)
        return items
