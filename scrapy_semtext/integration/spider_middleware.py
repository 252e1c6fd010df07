"""The spider middleware, which links items to the pages of their responses."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals

from scrapy_semtext.extractor import Options
from scrapy_semtext.integration.components import warn_about_missing
from scrapy_semtext.integration.pages import DroppedOverview, ItemLinks, copy_item, outcome_of, page_of
from scrapy_semtext.integration.pair_filter import PairFilter
from scrapy_semtext.integration.qa_settings import QASettings
from scrapy_semtext.integration.request_options import default_options, drops_overview
from scrapy_semtext.integration.responses import release_selector
from scrapy_semtext.integration.settings import SemtextSettings, require_enabled
from scrapy_semtext.page import Page
from scrapy_semtext.qa.pair_rows import PairOfPage, can_hold_pair
from scrapy_semtext.qa.positions import renumbered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_semtext.integration.pages import LinkTarget

logger = logging.getLogger(__name__)

# `scrapy parse` calls callbacks itself, and with ``--pipelines`` it passes their items to the pipelines while the
# callback's response is being handled, past `process_spider_output` of all spider middlewares. The tasks that handle
# the items are started by the one that handles the response, and get a copy of its context.
_response: ContextVar[Response | None] = ContextVar("_response", default=None)

#: What the command adds to the meta of its requests.
_META_OF_PARSE = frozenset(("_depth", "_callback"))


class SemtextSpiderMiddleware:
    """Links each item that a callback yields to the page of the response that the callback got.

    The filters for pairs apply here. With one item per pair, an item is copied for each pair. Items of an overview
    that is to be dropped are passed on, and dropped by the pipeline; requests are always passed on.
    """

    def __init__(self, crawler: Crawler, settings: QASettings, options: Options | None = None) -> None:
        self.links = ItemLinks()
        self._options = options or Options()
        self._stats = crawler.stats
        self._fields = settings.fields
        self._pair_filter = PairFilter(crawler, settings)
        self._is_parse_command = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled, SettingsError for invalid settings."""
        require_enabled(crawler.settings)
        warn_about_missing(crawler.settings, cls)
        options = default_options(SemtextSettings.read(crawler.settings))
        middleware = cls(crawler, QASettings.read(crawler.settings), options)
        # Items may be dropped by a pipeline that comes before ours.
        crawler.signals.connect(middleware.item_dropped, signal=signals.item_dropped)
        crawler.signals.connect(middleware.item_dropped, signal=signals.item_error)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    def item_dropped(self, item: Any) -> None:
        """Remove the link of an item that will not reach the pipeline."""
        self.links.take(item)

    def spider_closed(self) -> None:
        """Save the state that the next run of a job needs."""
        self._pair_filter.close()
        if self._is_parse_command and not self._stats.get_value("semtext/items/filled"):
            logger.info("scrapy parse fills items only with --pipelines, and only those of responses that have a page")

    def process_spider_input(self, response: Response) -> None:
        """Remember the response for the items of ``scrapy parse``, which do not come to process_spider_output."""
        if response.meta.keys() >= _META_OF_PARSE:
            self._is_parse_command = True
            _response.set(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on everything the callback yields; an item may become one item for each pair of its page."""
        try:
            async for output in result:
                outcome = None if output is None or isinstance(output, Request) else outcome_of(response)
                if not isinstance(outcome, Page):
                    if outcome is not None:
                        self.links.add(output, outcome, response)
                    yield output
                else:
                    async for item in self._linked(output, outcome, response):
                        yield item
        finally:
            if page_of(response) is not None:
                release_selector(response)

    async def target_in_parse(self, item: Any) -> LinkTarget | None:
        """Return what an item of ``scrapy parse`` is to be filled from; None for items of other crawls.

        The command shows the items that the callback yielded: with one item per pair, that is the first pair.
        """
        response = _response.get()
        page = None if response is None else page_of(response)
        if response is None or page is None:
            return None
        targets = await self._targets(item, page, response)
        if len(targets) > 1:
            logger.info("scrapy parse shows the first of %d items, one for each pair of %s", len(targets), response)
        return targets[0] if targets else None

    async def _linked(self, item: Any, page: Page, response: Response) -> AsyncIterator[Any]:
        for target in await self._targets(item, page, response):
            linked = copy_item(item) if isinstance(target, PairOfPage) else item
            self.links.add(linked, target, response)
            yield linked

    async def _targets(self, item: Any, page: Page, response: Response) -> Sequence[LinkTarget]:
        """Return what an item is filled from: its page, or the pairs of which it becomes one item each."""
        if page.is_overview and drops_overview(self._options, response.request):
            return [DroppedOverview(page)]
        pairs = await self._pair_filter.kept_pairs(page, response)
        if self._pair_filter.wants_item_per_pair(response.request) and can_hold_pair(item, self._fields):
            if not pairs:
                self._stats.inc_value("semtext/items/without_pair")
            return pairs
        if len(pairs) == len(page.qa_pairs):
            return [page]
        positions = {each.position - 1: place for place, each in enumerate(pairs, 1)}
        return [replace(page, qa_pairs=renumbered(page.qa_pairs, positions))]
