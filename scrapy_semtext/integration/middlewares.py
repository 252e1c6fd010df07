"""The downloader middleware, which reads pages, and the spider middleware, which links items to them."""

from __future__ import annotations

import itertools
import logging
import weakref
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy import Item, Request, signals
from scrapy.http import HtmlResponse, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.misc import load_object

from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.inference.vectors import VectorsError
from scrapy_semtext.integration.batches import FIRST_PAGE
from scrapy_semtext.integration.pages import NoPage, outcome_of, page_of, remember
from scrapy_semtext.integration.pair_filter import PairFilter
from scrapy_semtext.integration.processes.messages import Setup, wanted_level
from scrapy_semtext.integration.processes.pool import SetupError, WorkerPool
from scrapy_semtext.integration.qa_settings import QASettings
from scrapy_semtext.integration.service import Service
from scrapy_semtext.integration.settings import SemtextSettings, SettingsError, require_enabled, warn_of_unknown_names
from scrapy_semtext.integration.site_state import SiteState
from scrapy_semtext.integration.stall import StallMeter, Stalls
from scrapy_semtext.options import Options, Source, require_extras
from scrapy_semtext.page import METADATA, Page
from scrapy_semtext.qa.pair_rows import can_hold_pair
from scrapy_semtext.text.binary import is_binary
from scrapy_semtext.utils.extensions import missing_extensions
from scrapy_semtext.utils.extras import MissingExtraError
from scrapy_semtext.utils.process_tuning import freeze_gc, set_switch_interval, trim_malloc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_semtext.integration.batches import PageReader
    from scrapy_semtext.qa.pair_rows import PairOfPage

    Linked: TypeAlias = "Page | PairOfPage | DroppedOverview"

logger = logging.getLogger(__name__)


#: Results that are read only where an option is on that is off by default.
_BY_OPTION = {"metadata": METADATA, "markdown": ("markdown",)}


class NotTextError(ValueError):
    """A body that was sent as HTML is none, nor any other text."""


class SemtextDownloaderMiddleware:
    """Reads each HTML response, and keeps the page for the spider, the item pipeline and scrapy-poet.

    Waiting for the page holds the request's place among CONCURRENT_REQUESTS, so that a crawl downloads no faster than
    its pages are read.
    """

    def __init__(self, crawler: Crawler, settings: SemtextSettings) -> None:
        self._settings = settings
        self._stats = crawler.stats
        self._options = default_options(settings)
        # Loaded here, before the crawl: a broken bundle is to stop it at the start.
        reader = load_reader(settings, self._options)
        self._sites = SiteState(settings, crawler.settings, crawler.stats)
        self._sites.give_to(reader)
        self._workers = reader if isinstance(reader, WorkerPool) else None
        self._service = Service(
            reader,
            crawler.stats,
            batch_size=settings.batch_size,
            batch_wait=settings.batch_wait,
            threads=max(1, settings.processes),
        )
        self._stalls = Stalls()
        self._stall_meter = StallMeter(self._stalls.add)
        self._said: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled, SettingsError or BundleError for what cannot work."""
        require_enabled(crawler.settings)
        warn_of_unknown_names(crawler.settings)
        middleware = cls(crawler, SemtextSettings.read(crawler.settings))
        middleware.say_what_stays_empty()
        _say_what_is_not_compiled()
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    def say_what_stays_empty(self) -> None:
        """Log the fields that SEMTEXT_FIELDS asks for and that no option has read, unless a request's meta does."""
        for option, results in _BY_OPTION.items():
            unread = [name for name in results if name in self._settings.fields]
            if unread and not getattr(self._options, option):
                names = ", ".join(unread)
                logger.info("SEMTEXT_FIELDS asks for %s, but the option %r, which reads it, is off", names, option)

    async def spider_opened(self) -> None:
        """Get ready before the first request: Scrapy waits for it."""
        await self._service.warm_up(Source(FIRST_PAGE, options=self._options))
        freeze_gc()
        set_switch_interval()
        trim_malloc()
        if self._settings.measure_stall:
            self._stall_meter.start()

    async def spider_closed(self) -> None:
        """End the service and its threads or processes; keep what the next run of a job has to know."""
        self._stall_meter.stop()
        self._count_stalls()
        await self._service.close()
        if self._workers is not None:
            self._workers.close()
            if deaths := self._workers.deaths:
                self._stats.set_value("semtext/workers_died", deaths)
        self._sites.close()

    async def process_response(self, request: Request, response: Response) -> Response:
        """Read the page and return the response as it is."""
        await self.outcome(request, response)
        return response

    async def outcome(self, request: Request, response: Response) -> Page | NoPage:
        """Return the response's page, or why it has none; a response is read and counted once."""
        known = outcome_of(response)
        if known is not None:
            return known
        self._stats.inc_value("semtext/responses")
        reason = reason_to_skip(request, response, self._settings.max_body)
        result = await self._read(request, response) if reason is None else NoPage(reason)
        self._count(result)
        remember(result, response, request)
        return result

    async def _read(self, request: Request, response: Response) -> Page | NoPage:
        make_source = partial(source_of, response, self._options_for(request))
        result = await self._service.read(make_source, len(response.body))
        if isinstance(result, NotTextError):
            return NoPage("binary")
        if isinstance(result, Exception):
            self._stats.inc_value("semtext/errors")
            self._stats.inc_value(f"semtext/errors/{type(result).__name__}")
            self._say(type(result).__name__, "No page was read from %s: %r", response, result, error=result)
            return NoPage("error")
        return result

    def _options_for(self, request: Request) -> Options:
        overrides = request.meta.get("semtext")
        if overrides is None or overrides is True:
            return self._options
        try:
            return readable(self._options, overrides)
        except (TypeError, ValueError, MissingExtraError) as error:
            self._stats.inc_value("semtext/meta_invalid")
            self._say(str(error), 'meta["semtext"] of %s is left aside: %s', request, error)
            return self._options

    def _count(self, result: Page | NoPage) -> None:
        if isinstance(result, Page):
            self._stats.inc_value("semtext/pages")
            self._stats.inc_value("semtext/blocks", len(result.blocks))
            self._stats.inc_value("semtext/blocks/main", sum(block.is_main for block in result.blocks))
        elif result.reason != "error":
            self._stats.inc_value("semtext/pages/skipped")
            self._stats.inc_value(f"semtext/pages/skipped/{result.reason}")

    def _count_stalls(self) -> None:
        if self._stalls:
            self._stats.set_value("semtext/loop_stall_max", self._stalls.longest)
            self._stats.set_value("semtext/loop_stall_p99", self._stalls.quantile(0.99))
            self._stats.set_value("semtext/loop_stall_p50", self._stalls.quantile(0.5))

    def _say(self, what: str, message: str, *args: object, error: Exception | None = None) -> None:
        """Log an error the first time; later ones of its kind are only counted, and seen at level DEBUG."""
        level = logging.DEBUG if what in self._said else logging.ERROR
        self._said.add(what)
        logger.log(level, message, *args, exc_info=error)


class SemtextSpiderMiddleware:
    """Links each item that a callback yields to the page of the response it was called with.

    Of the page's pairs those that are wanted are linked. Where one item a pair is asked for, the item becomes as many.
    An item of an overview that is to be dropped goes on to the pipeline, which drops it; requests always go on.
    """

    def __init__(self, crawler: Crawler, settings: QASettings, options: Options | None = None) -> None:
        self.links = ItemLinks()
        self._options = options or Options()
        self._stats = crawler.stats
        self._fields = settings.fields
        self._chooser = PairFilter(crawler, settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled, SettingsError for what cannot work."""
        require_enabled(crawler.settings)
        options = default_options(SemtextSettings.read(crawler.settings))
        middleware = cls(crawler, QASettings.read(crawler.settings), options)
        # items that another pipeline took out before ours saw them
        crawler.signals.connect(middleware.item_gone, signal=signals.item_dropped)
        crawler.signals.connect(middleware.item_gone, signal=signals.item_error)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    def item_gone(self, item: Any) -> None:
        """Forget the page of an item that will not be filled."""
        self.links.take(item)

    def spider_closed(self) -> None:
        """Keep what the next run of a job has to know."""
        self._chooser.close()

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass everything on as it is, or an item as one for each pair of its page."""
        async for output in result:
            page = None if output is None or isinstance(output, Request) else page_of(response)
            if page is None:
                yield output
            else:
                async for item in self._linked(output, page, response):
                    yield item

    async def _linked(self, item: Any, page: Page, response: Response) -> AsyncIterator[Any]:
        if page.is_overview and drops_overview(self._options, response.request):
            self.links.add(item, DroppedOverview(page), response)
            yield item
            return
        chosen = await self._chooser.choose(page, response)
        if self._chooser.wants_item_per_pair(response.request) and can_hold_pair(item, self._fields):
            if not chosen:
                self._stats.inc_value("semtext/items/without_pair")
            for pair in chosen:
                copied = copy_of(item)
                self.links.add(copied, pair, response)
                yield copied
        else:
            self.links.add(item, replace(page, qa_pairs=[each.pair for each in chosen]), response)
            yield item


def copy_of(item: Any) -> Any:
    """Return an item with the same values; the values are not copied."""
    # copy.copy() of a scrapy.Item is one that shares its fields, and copy() of a pydantic model is deprecated.
    return item.copy() if isinstance(item, Item) else copy(item)


@dataclass(frozen=True, slots=True)
class DroppedOverview:
    """In the place of a page: the page is an overview whose items are to be dropped."""

    page: Page


class ItemLinks:
    """Which page belongs to an item, from the spider's callback to the item pipeline.

    Items of some types can neither be hashed nor referred to weakly, so an item is known by its id, and held until the
    pipeline asks for it: an id is not used again in the meantime. An item that never arrives there, as another
    pipeline replaced or dropped it before, is let go with its response.
    """

    def __init__(self) -> None:
        self._links: dict[int, tuple[int, Any, Linked]] = {}
        self._serials = itertools.count()

    def __len__(self) -> int:
        return len(self._links)

    def add(self, item: Any, page: Linked, response: Response) -> None:
        """Link an item to a page, or to a pair of one, for as long as the response lives."""
        serial = next(self._serials)
        self._links[id(item)] = (serial, item, page)
        # Neither the item nor the page may be named here: one that holds the response would keep it alive for ever.
        weakref.finalize(response, self._expire, id(item), serial).atexit = False

    def take(self, item: Any) -> Linked | None:
        """Return the page of an item, or its pair, and end the link; None where there is none."""
        link = self._links.pop(id(item), None)
        return None if link is None else link[2]

    def _expire(self, key: int, serial: int) -> None:
        link = self._links.get(key)
        if link is not None and link[0] == serial:
            del self._links[key]


def reason_to_skip(request: Request, response: Response, max_body: int) -> str | None:
    """Return why a response is to be left alone, by the names in docs/stats.md; None where it is to be read."""
    wanted = request.meta.get("semtext")
    if wanted is False:
        return "meta"
    # Scrapy marks so what no callback will see: robots.txt, and what media pipelines download.
    if request.callback is NO_CALLBACK and wanted is None:
        return "no_callback"
    if not 200 <= response.status < 300:
        return "status"
    if request.method == "HEAD":
        return "head"
    if not is_html(response):
        return "not_html"
    if not response.body or response.body.isspace():
        return "empty"
    return "too_large" if len(response.body) > max_body else None


def is_html(response: Response) -> bool:
    """Return whether a response is HTML: by its class or, where that is another package's, by its Content-Type.

    Scrapy itself makes an HtmlResponse of whatever is HTML; scrapy-splash has a class of its own for all text.
    """
    if isinstance(response, HtmlResponse):
        return True
    kind = (response.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
    return isinstance(response, TextResponse) and kind in (b"text/html", b"application/xhtml+xml")


def source_of(response: Response, options: Options) -> Source:
    """Return what the extractor is to read; raise NotTextError for a picture, a PDF or an archive sent as HTML.

    Called in the service's thread: to decode a page whose encoding is not declared can take longer than to read it.
    Nobody else uses the response meanwhile, since the downloader middleware has yet to pass it on.
    """
    text = response.text
    if is_binary(text):
        raise NotTextError(f"{response.url} was sent as HTML, but its body is binary")
    return Source(html=text, url=response.url, options=options)


def load_reader(settings: SemtextSettings, options: Options) -> PageReader:
    """Load the extractor that SEMTEXT_EXTRACTOR names; raise SettingsError or BundleError where that cannot be."""
    try:
        kind = load_object(settings.extractor)
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise SettingsError(f"SEMTEXT_EXTRACTOR is {settings.extractor!r}, which cannot be loaded: {error}") from error
    if not callable(getattr(kind, "load", None)):
        raise SettingsError(f"SEMTEXT_EXTRACTOR is {settings.extractor!r}, which has no class method load()")
    given = {"bundle": settings.bundle, "device": settings.device, "vectors": settings.vectors}
    try:
        if settings.processes:
            return WorkerPool(Setup(kind, given, options, wanted_level()), settings.processes)
        reader: PageReader = kind.load(**given, options=options)
    except MissingExtraError as error:
        asked = "SEMTEXT_METADATA" if settings.metadata else "metadata in SEMTEXT_OPTIONS"
        raise SettingsError(f"{asked} is True, but {error}") from error
    except SetupError as error:
        raise SettingsError(f"SEMTEXT_PROCESSES is {settings.processes}, but {error}") from error
    except (BundleError, VectorsError) as error:
        chosen = [
            f"SEMTEXT_{name.upper()} is {value!r}" for name, value in given.items() if value not in (None, "auto")
        ]
        if not chosen:
            raise
        raise SettingsError(f"{' and '.join(chosen)}, but: {error}") from error
    return reader


def default_options(settings: SemtextSettings) -> Options:
    """Return the options of SEMTEXT_OPTIONS; raise SettingsError where they are none."""
    try:
        chosen = Options(labeller=settings.labeller, metadata=settings.metadata, drop_overview=settings.drop_overview)
        return overridden(chosen, settings.options)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"SEMTEXT_OPTIONS is {settings.options!r}: {error}") from error


def overridden(options: Options, overrides: Mapping[str, Any]) -> Options:
    """Return options with some replaced; raise TypeError or ValueError for a name or value that cannot be."""
    if not isinstance(overrides, dict):
        raise TypeError(f"it has to be True, False or a dict of options, not {overrides!r}")
    known = [option.name for option in fields(options)]
    unknown = [name for name in overrides if name not in known]
    if unknown:
        raise ValueError(f"there is no option {unknown[0]!r}; there are {', '.join(known)}")
    return replace(options, **overrides)


def readable(options: Options, overrides: Mapping[str, Any]) -> Options:
    """Return options with some replaced by a request's meta.

    Raises TypeError or ValueError for a name or value that cannot be, MissingExtraError for what is not installed.
    """
    changed = overridden(options, overrides)
    require_extras(changed)
    return changed


def drops_overview(options: Options, request: Request | None) -> bool:
    """Return whether a request's items are dropped if their page is an overview: as its meta says, or as ``options``.

    Meta that cannot be used is left aside; it was counted when the page was read.
    """
    given = None if request is None else request.meta.get("semtext")
    if given in (None, True, False):
        return options.drop_overview
    try:
        return readable(options, given).drop_overview
    except (TypeError, ValueError, MissingExtraError):
        return options.drop_overview


def _say_what_is_not_compiled() -> None:
    """Log what Python stands in for."""
    if missing := missing_extensions():
        logger.info(
            "Not compiled: %s. Pages are read all the same, but slower; with a C compiler at hand, install again.",
            ", ".join(missing),
        )
