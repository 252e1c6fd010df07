"""The downloader middleware, which processes pages."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals

from scrapy_semtext.extractor import Options, Source
from scrapy_semtext.integration.addon import warn_about_missing
from scrapy_semtext.integration.pages import CrawlViews, NoPage, outcome_of, reason_to_skip, remember, source_of
from scrapy_semtext.integration.processes import FIRST_PAGE, PageReader, WorkerPool
from scrapy_semtext.integration.service import Service, load_reader
from scrapy_semtext.integration.setting_values import SettingsError, require_enabled
from scrapy_semtext.integration.settings import (
    DEFAULT_EXTRACTOR,
    SemtextSettings,
    default_options,
    request_options,
    warn_about_names,
)
from scrapy_semtext.labelers.bundle import LABELERS
from scrapy_semtext.limits import LimitError
from scrapy_semtext.page import Page
from scrapy_semtext.results import OF_OPTIONS
from scrapy_semtext.site.places import LiveTemplates
from scrapy_semtext.site.rules import RuleWatch
from scrapy_semtext.utils.extensions import extensions_note
from scrapy_semtext.utils.extras import MissingExtraError
from scrapy_semtext.utils.process_tuning import enable_tuning, freeze_gc, set_switch_interval, trim_malloc
from scrapy_semtext.utils.version import __version__
from scrapy_semtext.words.decoding import NotAPageError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class SemtextDownloaderMiddleware:
    """Processes each HTML response, and stores the page for the spider, the item pipeline and scrapy-poet.

    A request counts towards CONCURRENT_REQUESTS until its page is processed, so that pages are not downloaded faster
    than they are processed.
    """

    def __init__(self, crawler: Crawler, settings: SemtextSettings) -> None:
        self._settings = settings
        self._stats = crawler.stats
        self._options = default_options(settings)
        enable_tuning(settings.process_tuning)
        # Loaded before the crawl, so that a broken bundle raises an error at startup.
        reader = load_reader(settings, self._options)
        logger.info(start_line(settings, self._options, reader))
        if settings.site_templates:
            _learn_templates(reader)
        self._workers = reader if isinstance(reader, WorkerPool) else None
        self._rule_watch = RuleWatch()
        self._views = CrawlViews.around(reader, settings, crawler.settings, crawler.stats)
        self._service = Service(
            self._views or reader,
            crawler.stats,
            batch_size=settings.batch_size,
            threads=max(1, settings.processes),
        )
        self._logged_errors: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled, SettingsError or BundleError for invalid settings."""
        require_enabled(crawler.settings)
        warn_about_names(crawler.settings)
        warn_about_missing(crawler.settings, cls)
        middleware = cls(crawler, SemtextSettings.read(crawler.settings))
        middleware.log_unread_fields()
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    def log_unread_fields(self) -> None:
        """Log the fields of SEMTEXT_FIELDS that will be empty because the option that extracts them is off."""
        for option, names in OF_OPTIONS.items():
            listed = ", ".join(name for name in names if name in self._settings.fields)
            if listed and not getattr(self._options, option):
                logger.info("SEMTEXT_FIELDS has %s, which will be empty: the option %r is off", listed, option)

    async def spider_opened(self) -> None:
        """Process a first page and tune the process; Scrapy sends no request before this is done."""
        await self._service.warm_up(Source(FIRST_PAGE, options=self._options))
        freeze_gc()
        set_switch_interval()
        trim_malloc()

    async def spider_closed(self) -> None:
        """Stop the threads or processes."""
        await self._service.close()
        if self._workers is not None:
            self._workers.close()
            if deaths := self._workers.deaths:
                self._stats.set_value("semtext/workers_died", deaths)
        if self._views is not None:
            self._views.close()

    async def process_response(self, request: Request, response: Response) -> Response:
        """Process the page and return the response unchanged."""
        await self.outcome(request, response)
        return response

    async def outcome(self, request: Request, response: Response) -> Page | NoPage:
        """Return the response's page, or why it has none; each response is processed and counted once."""
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
        # A tree cannot be sent to a worker process, which parses the text.
        make_source = partial(source_of, response, self._options_for(request), parse=self._workers is None)
        result = await self._service.read(make_source, len(response.body))
        if isinstance(result, NotAPageError):
            return NoPage("binary")
        if isinstance(result, LimitError):
            self._log_error(result.reason, "%s was not read: %s", response, result)
            return NoPage(result.reason)
        if isinstance(result, Exception):
            self._stats.inc_value("semtext/errors")
            self._stats.inc_value(f"semtext/errors/{type(result).__name__}")
            self._log_error(type(result).__name__, "%s could not be read: %r", response, result, error=result)
            return NoPage("error")
        return result

    def _options_for(self, request: Request) -> Options:
        overrides = request.meta.get("semtext")
        if overrides is None or overrides is True:
            return self._options
        try:
            return request_options(self._options, overrides)
        except (TypeError, ValueError, MissingExtraError) as error:
            self._stats.inc_value("semtext/meta_invalid")
            self._log_error(str(error), 'Ignoring meta["semtext"] of %s: %s', request, error)
            return self._options

    def _count(self, result: Page | NoPage) -> None:
        if isinstance(result, Page):
            self._stats.inc_value("semtext/pages")
            self._stats.inc_value("semtext/blocks", len(result.blocks))
            self._stats.inc_value("semtext/blocks/main", sum(block.is_main for block in result.blocks))
            for note in result.note.split("; ") if result.note else ():
                self._stats.inc_value(f"semtext/notes/{note.partition(':')[0]}")
            self._count_rule(result)
        elif result.reason != "error":
            self._stats.inc_value("semtext/pages/skipped")
            self._stats.inc_value(f"semtext/pages/skipped/{result.reason}")

    def _count_rule(self, page: Page) -> None:
        if page.rule is not None:
            self._stats.inc_value(f"semtext/rules/{page.rule}")
            for selector in page.unmatched:
                self._stats.inc_value(f"semtext/rules/{page.rule}/unmatched/{selector}")
            for sentence in self._rule_watch.add(page):
                logger.warning(sentence)

    def _log_error(self, key: str, message: str, *args: object, error: Exception | None = None) -> None:
        """Log an error at level ERROR the first time, and at level DEBUG for later errors with the same key."""
        level = logging.DEBUG if key in self._logged_errors else logging.ERROR
        self._logged_errors.add(key)
        logger.log(level, message, *args, exc_info=error)


def _learn_templates(reader: Any) -> None:
    """Make an extractor learn what pages share; raise SettingsError for one that does not support that."""
    if not hasattr(reader, "templates"):
        raise SettingsError(
            f"SEMTEXT_SITE_TEMPLATES is on, but the SEMTEXT_EXTRACTOR {type(reader).__name__} does not support site"
            " templates: it has no attribute `templates`"
        )
    reader.templates = LiveTemplates()


def start_line(settings: SemtextSettings, options: Options, reader: PageReader) -> str:
    """Return version, labeler, model, device and extensions, and the results that no field or option requests.

    For example ``scrapy-semtext 0.2.0: labeler semtext, bundled model, cpu, compiled extensions; not asked for:
    records, sections, metadata, markdown``.
    """
    count, kind = settings.processes, settings.extractor
    device = str(getattr(reader, "device", settings.device))  # a user's own extractor may have none
    parts = [
        f"labeler {options.labeler or LABELERS[0]}",
        f"model {settings.bundle}" if settings.bundle else "bundled model",
        f"{count} process{'es' * (count > 1)} on {device}" if count else device,
        extensions_note(),
    ]
    if kind != DEFAULT_EXTRACTOR:
        parts.insert(0, f"extractor {kind if isinstance(kind, str) else f'{kind.__module__}.{kind.__qualname__}'}")
    unasked = ", ".join(option for option in OF_OPTIONS if not getattr(options, option))
    return f"scrapy-semtext {__version__}: {', '.join(parts)}{unasked and f'; not asked for: {unasked}'}"
