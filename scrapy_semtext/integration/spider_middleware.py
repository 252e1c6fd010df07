"""The spider middleware, which links items to the pages of their responses, and filters the pairs of these pages."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import Request, signals

from scrapy_semtext.extractor import Options
from scrapy_semtext.integration.addon import warn_about_missing
from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.pages import (
    DroppedOverview,
    ItemLinks,
    copy_item,
    outcome_of,
    page_of,
    release_selector,
)
from scrapy_semtext.integration.setting_values import SettingsError, require_enabled
from scrapy_semtext.integration.settings import QASettings, SemtextSettings, default_options, drops_overview
from scrapy_semtext.page import Page, renumbered
from scrapy_semtext.read.pair_rows import (
    AnswerMemory,
    PairMemory,
    PairOfPage,
    can_hold_pair,
    reason_to_drop,
)
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_semtext.integration.pages import LinkTarget

logger = logging.getLogger(__name__)

#: The file in a job directory with the fingerprints of the pairs so far.
STATE = "semtext-pairs.npy"

#: The number of pairs that are filtered before the event loop runs.
_PAIRS_AT_ONCE = 16


class PairFilter:
    """Filters the pairs of pages, and counts what it drops. One for each crawl.

    Raises SettingsError if a setting needs an extra that is not installed.
    """

    def __init__(self, crawler: Crawler, settings: QASettings) -> None:
        self._stats = crawler.stats
        self._settings = settings
        jobdir = crawler.settings.get("JOBDIR")
        self._state = Path(jobdir) / STATE if jobdir else None
        self._answers = AnswerMemory()
        # The pairs of a page are filtered and counted once, regardless of its number of items.
        self._kept: WeakKeyDictionary[Response | Request, tuple[Page, list[PairOfPage]]] = WeakKeyDictionary()
        try:
            self._seen = self._earlier_pairs() if settings.dedup else None
        except MissingExtraError as error:
            raise SettingsError(f'SEMTEXT_QA["dedup"] is True, but {error}') from error

    async def kept_pairs(self, page: Page, source: Response | Request) -> list[PairOfPage]:
        """Return the pairs of a page that pass the filters and are not duplicates, in page order."""
        known = self._kept.get(source)
        if known is None or known[0] is not page:
            known = page, await self._filter(page)
            self._kept[source] = known
        return known[1]

    def close(self) -> None:
        """Save the fingerprints of the pairs in the job directory, if there is one."""
        if self._seen is None or self._state is None:
            return
        try:
            self._seen.save(self._state)
        except OSError as error:
            logger.error("The pairs of this run cannot be saved, so the next keeps duplicates of them: %s", error)

    async def _filter(self, page: Page) -> list[PairOfPage]:
        is_new = None if self._seen is None else self._seen.is_new
        is_repeated = partial(self._answers.is_repeated, page.url)
        count_unknown = partial(self._stats.inc_value, "semtext/pairs/language_unknown")
        kept = []
        for position, pair in enumerate(page.qa_pairs, 1):
            if position % _PAIRS_AT_ONCE == 0:
                await sleep(0)  # languages and duplicates cost a millisecond per pair
            reason = reason_to_drop(pair, self._settings.rules, is_new, is_repeated, count_unknown)
            if reason is None:
                kept.append(PairOfPage(page, pair, position))
            else:
                self._stats.inc_value("semtext/pairs/dropped")
                self._stats.inc_value(f"semtext/pairs/dropped/{reason}")
        if page.qa_pairs:
            self._stats.inc_value("semtext/pairs", len(page.qa_pairs))
            self._stats.inc_value("semtext/pairs/kept", len(kept))
        return kept

    def _earlier_pairs(self) -> PairMemory:
        seen = PairMemory(self._settings.dedup_threshold, self._settings.dedup_size)
        if self._state is not None and self._state.exists():
            try:
                seen.load(self._state)
            except (OSError, ValueError) as error:
                logger.warning(
                    "The pairs of the previous run cannot be read, so duplicates of them are kept: %s", error
                )
        return seen


def _request_of(source: Response | Request) -> Request | None:
    return source if isinstance(source, Request) else source.request


class SemtextSpiderMiddleware:
    """Links each item that a callback yields to the page of the callback's response.

    The filters for pairs apply here. With one item per pair, an item is copied for each pair. Items of an overview that
    is to be dropped are passed on, and dropped by the pipeline; requests are always passed on.
    """

    def __init__(self, crawler: Crawler, settings: QASettings, options: Options | None = None) -> None:
        self.links = ItemLinks()
        self._options = options or Options()
        self._stats = crawler.stats
        self._settings = settings
        self._has_warned = False
        self._pair_filter = PairFilter(crawler, settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled, SettingsError for invalid settings."""
        require_enabled(crawler.settings)
        warn_about_missing(crawler.settings, cls)
        settings, of_pairs = SemtextSettings.read(crawler.settings), QASettings.read(crawler.settings)
        if settings.site_templates:  # they know what pages share
            of_pairs = replace(of_pairs, rules=replace(of_pairs.rules, max_questions=0))
        middleware = cls(crawler, of_pairs, default_options(settings))
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

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on what the callback yields, items linked to their page; an item may become one per pair."""
        try:
            async for output in result:
                is_done = output is None or isinstance(output, Request) or self.links.holds(output)
                outcome = None if is_done else outcome_of(response)
                if not isinstance(outcome, Page):
                    if outcome is not None:
                        self.links.add(output, outcome, response)
                    yield output
                else:
                    for item in await self.linked(output, outcome, response):
                        yield item
        finally:
            if page_of(response) is not None:
                release_selector(response)

    async def linked(self, item: Any, page: Page, source: Response | Request) -> list[Any]:
        """Return the item, to be filled from a page, or its copies for the pairs of the page.

        For items whose page is not that of the callback's response, such as those of an errback: ``source`` is its
        request then. Filters and statistics apply as to other items.
        """
        return self.link(item, await self.targets(item, page, source), source)

    def link(self, item: Any, targets: Sequence[LinkTarget], source: Response | Request) -> list[Any]:
        """Return the item, or a copy for each pair, linked to its `targets` for as long as ``source`` lives."""
        items = [copy_item(item) if isinstance(target, PairOfPage) else item for target in targets]
        for linked, target in zip(items, targets, strict=True):
            self.links.add(linked, target, source)
        return items

    async def targets(self, item: Any, page: Page, source: Response | Request) -> Sequence[LinkTarget]:
        """Return what an item is filled from: its page, without the pairs filtered out, or the pairs to copy it for."""
        request = _request_of(source)
        if request is not None and "semtext_qa" in request.meta:
            self._warn_of_meta()
        if page.is_overview and drops_overview(self._options, request):
            return [DroppedOverview(page)]
        pairs = await self._pair_filter.kept_pairs(page, source)
        if self._settings.item_per_pair and can_hold_pair(item, self._settings.fields):
            if not pairs:
                self._stats.inc_value("semtext/items/without_pair")
            return pairs
        if len(pairs) == len(page.qa_pairs):
            return [page]
        positions = {each.position - 1: place for place, each in enumerate(pairs, 1)}
        return [replace(page, qa_pairs=renumbered(page.qa_pairs, positions))]

    def _warn_of_meta(self) -> None:
        if not self._has_warned:
            logger.warning(
                'meta["semtext_qa"] has no effect any more: SEMTEXT_QA selects pairs for the whole crawl, and a'
                " callback can choose from page_of(response).qa_pairs"
            )
        self._has_warned = True
