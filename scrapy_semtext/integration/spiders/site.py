"""The spider that harvests a whole site, and its arguments, which are validated before a crawl starts."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import scrapy
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.job import job_dir
from scrapy.utils.serialize import ScrapyJSONEncoder
from scrapy_spider_metadata import Args

from scrapy_semtext.crawl.frontier import Entry, Frontier, Guess, NewAddress
from scrapy_semtext.crawl.harvest import AlikePages, Harvest
from scrapy_semtext.crawl.job_file import JobError
from scrapy_semtext.crawl.kept_pages import KeptPages
from scrapy_semtext.crawl.links import are_of_one, page_links, pattern_of
from scrapy_semtext.crawl.message_threads import due_threads
from scrapy_semtext.crawl.rendering import RenderMode  # noqa: TC001  pydantic needs it
from scrapy_semtext.crawl.scope import CrawlScope, Strategy
from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.pages import page_of
from scrapy_semtext.integration.spider_middleware import SemtextSpiderMiddleware
from scrapy_semtext.integration.spiders.browser import Browser, RenderingStopped, enable_rendering, rendered_meta
from scrapy_semtext.integration.spiders.listings import Listings
from scrapy_semtext.integration.spiders.middlewares import MIDDLEWARES, OUTSIDE, add_to_dict, reason_of
from scrapy_semtext.page import Page
from scrapy_semtext.read.thread_pages import as_article, is_url_of_later_page, merge_pages
from scrapy_semtext.utils.address import asked, host_of
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure
    from typing_extensions import Self

    from scrapy_semtext.crawl.frontier import Inventory
    from scrapy_semtext.crawl.patterns import Outcome

_START = Guess("start", 1.0)
_WAIT = 0.02  # seconds between checks for a URL that may be fetched
_THREAD_PRIORITY = 20  # a thread that was begun is in memory until it ends
_JOB_FAILED = "job_failed"
_ENCODER = ScrapyJSONEncoder(ensure_ascii=False)

#: The files of the frontier and of the kept pages in JOBDIR.
FRONTIER_FILE, PAGES_FILE = "semtext-crawl.sqlite", "semtext-pages.sqlite"


class SiteParameters(BaseModel):
    """Arguments of SiteSpider and its subclasses, as ``-a name=value`` gives them."""

    model_config = ConfigDict(extra="forbid")

    urls: list[str] = Field(
        default_factory=list,
        title="URLs",
        description="URLs to start from, separated by commas or white space.",
    )
    urls_file: str | None = Field(
        None, title="File of URLs", description="A file of more URLs to start from, one per line."
    )
    max_pages: int | None = Field(None, ge=1, title="Most pages", description="Stop after this many requests.")
    max_pages_per_site: int | None = Field(
        None, ge=1, title="Most pages of a site", description="Stop fetching from a host after this many requests."
    )
    max_items: int | None = Field(None, ge=1, title="Most items", description="Stop after this many items.")
    allow: list[str] = Field(
        default_factory=list,
        description="Regular expressions, separated by white space; only URLs that match one of them are fetched,"
        " on any host.",
    )
    deny: list[str] = Field(
        default_factory=list,
        description="Regular expressions, separated by white space; a URL that matches one is not fetched.",
    )
    strategy: Strategy = Field(
        "all",
        description="Which links are followed: all; lists (only links on lists: to items, other lists, next pages);"
        " next-pages (only items and next pages of the given lists); given (none: the given URLs are the items).",
    )
    scope: Literal["host", "domain"] = Field(
        "host", description="Whether to stay on the hosts of the URLs or on their domains."
    )
    incremental: bool = Field(
        False,
        description="Whether to fetch only new items, in a job that was finished before (JOBDIR).",
    )
    sitemaps: bool = Field(True, description="Whether to read sitemaps and feeds.")
    render: RenderMode = Field(
        "never",
        description="Whether scrapy-playwright renders pages in a browser: never; auto (pages with too little text"
        " and with scripts); always.",
    )
    max_thread_pages: int = Field(
        50, ge=1, title="Most pages of a thread", description="Pages of a thread that are merged into one item."
    )

    @model_validator(mode="before")
    @classmethod
    def _leave_out_foreign(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Leave out the arguments of job schedulers, which begin with "_", and the name of the spider."""
        return {name: value for name, value in values.items() if not name.startswith("_") and name != "name"}

    @field_validator("urls", mode="before")
    @classmethod
    def _read_urls(cls, value: Any) -> list[str]:
        return _checked(_split(value))

    @model_validator(mode="after")
    def _join_file(self) -> Self:
        """Add the URLs of ``urls_file``."""
        if self.urls_file is not None:
            try:
                listed = Path(self.urls_file).read_text(encoding="utf-8")
            except OSError as error:
                raise ValueError(f"urls_file: {self.urls_file} cannot be read: {error.strerror or error}") from error
            lines = [line.strip() for line in listed.splitlines()]
            self.urls = [*self.urls, *_checked([line for line in lines if line and line[0] != "#"])]
        if not self.urls:
            raise ValueError("there is no URL; give at least one, such as https://example.com/")
        return self

    @field_validator("allow", "deny", mode="before")
    @classmethod
    def _read_patterns(cls, value: Any) -> list[str]:
        patterns = value.split() if isinstance(value, str) else list(value)
        try:
            for pattern in patterns:
                re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{error.pattern!r} is not a regular expression: {error}") from error
        return patterns


def _checked(urls: list[str]) -> list[str]:
    for url in urls:
        if asked(url) is None:
            raise ValueError(f"{url!r} is not a URL; it has to begin with http:// or https:// and the name of a host")
    return urls


def _split(value: Any) -> list[str]:
    """Split a text into URLs, at white space and at commas between two URLs."""
    if not isinstance(value, str):
        return list(value)
    return [url for url in re.split(r"\s+|,(?=\s*https?://)", value.strip(", \n\t")) if url]


class SiteItem(dict[str, Any]):
    """An item of a site, a dict.

    ``entry`` is the URL that it comes from, ``source`` the request with which its link to a page ends, if it is to live
    as long as the item.
    """

    entry: Entry | None = None
    source: Request | None = None


class SiteSpider(Args[SiteParameters], scrapy.Spider):
    """Harvests all items of sites: articles, threads, questions, pages of documentation.

    It follows links in order of the probability that their pages are items, which it learns while it crawls, and skips
    links that are unlikely to lead to items. Subclasses may override `is_wanted` and `make_item`.
    """

    name = "site"
    metadata = {"title": "Site", "description": "All items of a site, of any kind."}  # noqa: RUF012
    custom_settings = {  # noqa: RUF012
        "SEMTEXT_ENABLED": True,
        "SCHEDULER": "scrapy_semtext.integration.spiders.middlewares.MemoryScheduler",
        "USER_AGENT": f"scrapy-semtext/{__version__}",
        "ROBOTSTXT_OBEY": True,
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": 0.5,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": 4.0,
        "DOWNLOAD_DELAY": 0.0,
        "COOKIES_ENABLED": False,  # with cookies, pages show recently viewed items
        "URLLENGTH_LIMIT": 0,  # this and the next limit would silently drop requests that the spider waits for
        "DEPTH_LIMIT": 0,
        "CONCURRENT_ITEMS": 4,  # per page; Scrapy starts a task for each, and pages have one or two items
        "WARN_ON_GENERATOR_RETURN_VALUE": False,  # reads the source of the callback for each page
    }

    #: Whether pages of one message are joined to threads, at the end of the crawl, instead of being items.
    joins_messages = False

    #: Whether items are kept in the file of the frontier, so that a killed job neither loses nor duplicates items.
    keeps_items = False

    #: Whether the pages of items are kept too, to be read again at the end (`KeptPages`).
    keeps_pages = False

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Enable the add-on, the reading of records and our robots.txt middleware; the project's settings stay.

        If pages are kept, an answer may occur under any number of questions: templates detect repeated text instead.
        """
        super().update_settings(settings)
        if "scrapy_semtext.Addon" not in settings.getdict("ADDONS"):
            add_to_dict(settings, "ADDONS", {"scrapy_semtext.Addon": 300})
        add_to_dict(settings, "DOWNLOADER_MIDDLEWARES", MIDDLEWARES)
        add_to_dict(settings, "SEMTEXT_OPTIONS", {"records": True}, wins=True)
        if cls.keeps_pages:
            add_to_dict(settings, "SEMTEXT_QA", {"max_questions": 0}, wins=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Open the frontier: in JOBDIR if it is set, else in a temporary file."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        if spider.args.render != "never":
            enable_rendering(crawler.settings)
        folder = job_dir(crawler.settings)
        if spider.args.incremental and folder is None:
            raise ValueError("incremental needs the JOBDIR of an earlier crawl")
        path = None if folder is None else Path(folder) / FRONTIER_FILE
        spider.frontier = Frontier(
            path,
            per_host=crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            most_of_host=spider.args.max_pages_per_site,
        )
        spider.inventory = spider.frontier.inventory
        spider.harvest = Harvest(spider.frontier, spider.scope)
        if cls.keeps_pages:
            spider.harvest.kept = spider.kept = KeptPages(None if folder is None else Path(folder) / PAGES_FILE)
        spider.browser = Browser(spider.args.render, crawler)
        spider._listings = Listings(spider._add_listed, spider.scope.reaches, crawler)
        spider.most_in_flight = crawler.settings.getint("CONCURRENT_REQUESTS")
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider._item_done, signal=signal)
        crawler.signals.connect(spider._spider_error, signal=signals.spider_error)
        crawler.signals.connect(spider._spider_closed, signal=signals.spider_closed)
        return spider

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        given = self.args
        self.start_urls = given.urls
        self.scope = CrawlScope(given.urls, given.allow, given.deny, given.strategy, by_domain=given.scope == "domain")
        self.frontier: Frontier  # these five are set by from_crawler
        self.inventory: Inventory
        self.harvest: Harvest
        self.browser: Browser
        self._listings: Listings
        self.kept: KeptPages | None = None
        self.most_in_flight = 16
        self.pages_sent = self.items_found = self.pairs_found = 0

    # Methods that subclasses may override.

    def is_wanted(self, page: Page) -> bool:  # noqa: ARG002
        """Return whether this spider harvests an item, given its first page, and then its pages with filtered pairs."""
        return True

    def make_item(self, page: Page) -> SiteItem:
        """Return the item of a page, for the pipeline to fill; for a thread, ``page`` merges all its pages."""
        return SiteItem(url=page.url)

    def article_of(self, page: Page) -> Page | None:
        """Return a thread that is not wanted as an article with comments, if that is wanted; otherwise None."""
        if page.page_kind != "forum" or is_url_of_later_page(page.url):
            return None
        article = as_article(page)
        return article if self.is_wanted(article) else None

    # The crawl.

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests as long as there are URLs to fetch, then the items of pages that were held."""
        try:
            async for request in self._requests():
                yield request
            async for item in self._held_items():
                yield item
        except JobError as error:
            raise CloseSpider(_JOB_FAILED) from error

    async def _requests(self) -> AsyncIterator[Any]:
        for request in self._begin():
            yield request
        while self.limit_reached() is None:
            entry = self.frontier.take() if self.frontier.in_flight < self.most_in_flight else None
            if entry is not None:
                for request in self._requests_for(entry):
                    yield request
            elif self.frontier.in_flight or self._listings.waiting:
                await sleep(_WAIT)
            elif (left := self.frontier.take_start()) is not None:  # the user asked for it
                yield self._request(left)
            else:
                self.frontier.complete_round()
                break

    def _begin(self) -> Iterable[Request]:
        """Queue the start URLs, and return the requests for the robots.txt of their sites."""
        if self.args.incremental:
            self.harvest.stops_at_known = self.frontier.begin_round(self.args.urls)
        self.frontier.add(NewAddress(url, _START) for url in self.args.urls)
        return self._listings.of_sites(self.args.urls) if self._reads_listings else ()

    def _requests_for(self, entry: Entry) -> Iterator[Request]:
        """Yield the request for a URL, unless it was queued by a job with another scope or version."""
        if self.scope.reaches(entry.url):
            yield self._request(entry)
        else:
            self.inventory.fail(entry, OUTSIDE)
            self._finish(entry, "failed", learn=True)

    @property
    def _reads_listings(self) -> bool:
        return self.args.sitemaps and self.args.strategy == "all"

    async def _held_items(self) -> AsyncIterator[Any]:
        """Yield the items of held pages, once all pages are read: threads of messages, and articles with comments."""
        while self.frontier.in_flight and self.failure is None:
            await sleep(_WAIT)
        held = self.frontier.held
        for address, page in due_threads(held) if self.joins_messages else AlikePages(held).due():
            if self.limit_reached() == "max_items":
                break
            url = str(page.url)
            entry = Entry(address, url, host_of(url), pattern_of(url), "content", "", 0)
            source = scrapy.Request(url)
            for item in await self._items(source, entry, [page]):
                item.source = source
                yield item

    async def parse(self, response: Any, entry: Entry) -> AsyncIterator[Any]:
        """Yield the item of a page, or the request for its next page; queue its links."""
        page = page_of(response)
        if page is None or not self.scope.holds(response.url):
            self._finish(entry, "nothing", learn=True)
            return
        root = response.selector.root
        if response.meta.get("playwright"):
            self.browser.learn(entry, page, response)
        elif await self.browser.is_needed(entry, page, root):
            self.pages_sent += 1
            self.logger.debug("%s has too little text and is rendered", entry.url)
            failed = partial(self._not_rendered, entry, response)  # uses the page without rendering
            yield self._fetched(entry, failed, rendered_meta(was_read=True))
            return
        for output in await self._harvested(response, entry, page, root):
            yield output

    async def parse_thread(self, response: Any, entry: Entry, pages: list[Page]) -> list[Any]:
        """Add a page to its thread; return the item after the last page."""
        page = page_of(response)
        if page is None or not self.scope.holds(response.url):
            return await self._items(response, entry, pages)
        if not are_of_one(pages[0], page):  # it is the next item
            items = await self._items(response, entry, pages)
            own = self.frontier.claim(response.request.url, entry)
            return items if own is None else items + await self._harvested(response, own, page, response.selector.root)
        root = response.selector.root
        self.frontier.cover(entry, [response.url, response.request.url])
        is_last = self.harvest.known(page, entry) is not None or len(pages) >= self.args.max_thread_pages
        links = page_links(root, page)
        self.harvest.queue_links(links, entry, "item", page)
        if not is_last:
            self._keep(response, pages[0], len(pages))
        following = None if is_last else self.harvest.following(root, page, entry, links)
        return await self._go_on(response, entry, pages if is_last else [*pages, page], following)

    async def failed(self, failure: Failure) -> list[Any]:
        """Count a URL that could not be fetched; for a thread, return the item of the pages fetched so far."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        arguments = request.cb_kwargs
        if request.meta.get("playwright") and not isinstance(failure.value, HttpError):
            self.browser.fail(arguments["entry"], failure)
            if self.args.render == "auto" and not arguments.get("pages"):
                return [self._fetched(arguments["entry"], self.failed, {})]
        self.logger.debug("%s could not be fetched: %s", arguments["entry"].url, failure.value)
        if arguments["entry"].depth == 0 and str(failure.value) == OUTSIDE:
            self.logger.warning("%s redirects out of scope: start from %s", arguments["entry"].url, request.url)
        if pages := arguments.get("pages"):
            return await self._items(request, arguments["entry"], pages)
        if not isinstance(failure.value, RenderingStopped):  # the next run of the job fetches that again
            reason = reason_of(failure)
            self.pages_sent -= reason == "robots.txt"  # it was not sent
            self.inventory.fail(arguments["entry"], reason)
            self._finish(arguments["entry"], "failed", learn=True)
        return []

    async def _harvested(self, response: Any, entry: Entry, page: Page, root: Any) -> list[Any]:
        """Return the output of a page."""
        reading = self.harvest.read(root, page, entry)
        self.crawler.stats.inc_value(f"semtext/crawl/{reading.outcome}")
        is_item = reading.outcome == "item"
        is_joined = is_item and page.message is not None and self.joins_messages
        self._remember(response, entry, page, reading.outcome, is_joined=is_joined)
        outputs = self._feeds_of(response, entry, root)
        if is_joined:
            self.frontier.held.add(entry.id, entry.host, page)
        elif reading.outcome == "known" or (is_item and self.is_wanted(page)):
            return outputs + await self._go_on(response, entry, [page], reading.following)
        elif is_item:
            self._leave_out(entry, page)
            self.harvest.leave_out(entry, reading.following)
        self._finish(entry, reading.outcome)
        return outputs

    def _remember(self, response: Any, entry: Entry, page: Page, outcome: Outcome, *, is_joined: bool) -> None:
        """Remember how likely an item is a thread, and keep a page that may be an item."""
        if outcome == "item" and page.page_kind == "forum":
            self.frontier.held.add_thread(entry.id, page.page_kind_probability or 0.0)
        if outcome in ("item", "nothing") and not is_joined:  # that of a thread would count as read again
            self._keep(response, page)

    def _feeds_of(self, response: Any, entry: Entry, root: Any) -> list[Any]:
        """Return the requests for the feeds that a start page links to."""
        is_start = entry.depth == 0 and self._reads_listings
        return [*self._listings.of_page(root, response.url)] if is_start else []

    async def _go_on(self, response: Response, entry: Entry, pages: list[Page], following: str | None) -> list[Any]:
        """Return the request for the next page of an item, or the item if there is none."""
        is_full = len(pages) >= self.args.max_thread_pages
        if following is None or (is_full and is_url_of_later_page(following)):
            return await self._items(response, entry, pages)
        self.pages_sent += 1
        self.frontier.cover(entry, [following])
        request = scrapy.Request(
            following,
            self.parse_thread,
            errback=self.failed,
            cb_kwargs={"entry": entry, "pages": pages},
            meta=rendered_meta() if response.meta.get("playwright") else None,
            priority=_THREAD_PRIORITY,
            dont_filter=True,
        )
        return [request]

    def _keep(self, response: Any, first: Page, number: int = 0) -> None:
        """Keep a page of the item that begins with ``first``, if pages are kept."""
        if self.kept is not None and first.url is not None:
            self.kept.keep(first.url, number, response.url, response.text, self.frontier.round_number)

    def _add_listed(self, addresses: Iterable[NewAddress]) -> None:
        self.frontier.add(address for address in addresses if self.scope.holds(address.url))

    def _request(self, entry: Entry) -> Request:
        self.pages_sent += 1
        chance = self.frontier.host(entry.host).patterns.probability(entry.pattern)
        pattern = entry.pattern.fine
        self.logger.debug("%s: role %s, probability %.2f, pattern %s", entry.url, entry.role, chance, pattern)
        return self._fetched(entry, self.failed, self.browser.meta_for(entry))

    def _fetched(self, entry: Entry, errback: Callable[[Failure], Any], meta: dict[str, Any]) -> Request:
        return scrapy.Request(
            entry.url, self.parse, errback=errback, cb_kwargs={"entry": entry}, meta=meta, dont_filter=True
        )

    async def _not_rendered(self, entry: Entry, response: Any, failure: Failure) -> list[Any]:
        self.browser.fail(entry, failure)
        page = page_of(response)
        return [] if page is None else await self._harvested(response, entry, page, response.selector.root)

    def _leave_out(self, entry: Entry, page: Page) -> None:
        """Leave out an unwanted page; hold a thread that is wanted if it is an article with comments."""
        if (article := self.article_of(page)) is not None:
            self.frontier.held.add(entry.id, entry.host, article)
        else:
            self._count_unwanted(page.page_kind)

    def _count_unwanted(self, kind: str | None, count: int = 1) -> None:
        self.crawler.stats.inc_value(f"semtext/crawl/unwanted/{kind or 'unknown'}", count)

    async def _items(self, source: Response | Request, entry: Entry, pages: list[Page]) -> list[Any]:
        """Return the item of the pages, linked to them for the pipeline; nothing if an earlier crawl had it.

        ``source`` is what the callback or errback got.
        """
        page = merge_pages(pages) if len(pages) > 1 else pages[0]
        if entry.is_known:
            self._finish(entry, "known")
            return []
        item = self.make_item(page)
        item.entry = entry
        middleware: Any = self.crawler.get_spider_middleware(SemtextSpiderMiddleware)
        targets = await middleware.targets(item, page, source)
        if not targets or not all(self.is_wanted(each) for each in targets if isinstance(each, Page)):
            self._leave_out(entry, page)  # the filters dropped the pairs it was wanted for
            self._finish(entry, "item")
            return []
        self.items_found += 1
        self.pairs_found += sum(len(each.qa_pairs) if isinstance(each, Page) else 1 for each in targets)
        if self.keeps_items:
            self.frontier.release(entry)  # it is done when its item is in the file
        else:
            self._finish(entry, "item")
        linked: list[SiteItem] = middleware.link(item, targets, source)
        return linked

    def _finish(self, entry: Entry, outcome: Outcome, *, learn: bool = False) -> None:
        if learn:
            self.frontier.learn(entry, outcome)
            self.crawler.stats.inc_value(f"semtext/crawl/{outcome}")
        self.frontier.finish(entry, outcome)

    def _item_done(self, item: Any, signal: object) -> None:
        if self.keeps_items and isinstance(item, SiteItem) and item.entry is not None:
            text = _ENCODER.encode(dict(item)) if signal is signals.item_scraped else None
            with suppress(JobError):  # start() ends the crawl, and _spider_closed() logs why
                self.frontier.finish(item.entry, "item", text)

    def _spider_error(self, response: Response | Failure | None) -> None:
        """Count a URL whose callback or errback raised an error, here or in a subclass; Scrapy logs it."""
        entry = getattr(getattr(response, "request", None), "cb_kwargs", {}).get("entry")  # None: start() raised it
        if entry is not None and self.failure is None:  # otherwise, the next run fetches it again
            with suppress(JobError):
                self.inventory.fail(entry, "error in the spider")
                self._finish(entry, "failed", learn=True)

    def _spider_closed(self) -> None:
        if self.failure is not None:
            self.logger.error("The crawl was ended: %s", self.failure)
        for outcome, count in self.inventory.outcomes().items():
            self.crawler.stats.set_value(f"semtext/crawl/addresses/{outcome}", count)
        self.crawler.stats.set_value("semtext/crawl/addresses/left", self.frontier.waiting())
        with suppress(JobError):
            if not self.joins_messages and (held := self.frontier.held.leave_out()):
                self._count_unwanted("forum", held)
        if not self.keeps_items:
            self.close_files()

    def close_files(self) -> None:
        """Close the files of the crawl; nothing more can be read from them."""
        self.frontier.close()
        if self.kept is not None:
            self.kept.close()

    @property
    def failure(self) -> JobError | None:
        """The error if a file of the crawl could not be written."""
        return self.frontier.failure or (None if self.kept is None else self.kept.failure)

    def limit_reached(self) -> str | None:
        """Return why the crawl has to end ("max_pages", "max_items" or "job_failed"), or None if it continues."""
        given = self.args
        if self.failure is not None:
            return _JOB_FAILED
        if given.max_pages is not None and self.pages_sent >= given.max_pages:
            return "max_pages"
        return "max_items" if given.max_items is not None and self.items_found >= given.max_items else None
