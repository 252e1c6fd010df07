"""Filters the pairs of pages, by the settings and the meta of requests, and drops duplicates."""

from __future__ import annotations

import logging
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.qa.filters import PairRules, reason_to_drop
from scrapy_semtext.qa.pair_languages import check_languages
from scrapy_semtext.qa.pair_rows import PairOfPage
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_semtext.integration.qa_settings import QASettings
    from scrapy_semtext.page import Page
    from scrapy_semtext.qa.dedup import PairMemory

logger = logging.getLogger(__name__)

#: The file in a job directory that holds the fingerprints of the pairs so far.
STATE = "semtext-pairs.npy"

#: How many pairs are filtered before the event loop runs.
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
        self._seen: PairMemory | None = None
        # The pairs of a page are filtered and counted once, whatever the number of its items.
        self._kept: WeakKeyDictionary[Response, tuple[Page, list[PairOfPage]]] = WeakKeyDictionary()
        self._overrides_of: WeakKeyDictionary[Request, dict[str, Any]] = WeakKeyDictionary()
        self._logged: set[str] = set()
        try:
            if settings.dedup:
                self._seen_pairs()
        except MissingExtraError as error:
            raise SettingsError(f'SEMTEXT_QA["dedup"] is True, but {error}') from error

    async def kept_pairs(self, page: Page, response: Response) -> list[PairOfPage]:
        """Return the pairs of a page that pass the filters and are no duplicates, in page order."""
        known = self._kept.get(response)
        if known is None or known[0] is not page:
            known = page, await self._filter(page, response.request)
            self._kept[response] = known
        return known[1]

    def wants_item_per_pair(self, request: Request | None) -> bool:
        """Return whether a request's response gets one item for each pair."""
        return bool(self._overrides(request).get("item_per_pair", self._settings.item_per_pair))

    def close(self) -> None:
        """Save the fingerprints of the pairs in the job directory, if there is one."""
        if self._seen is None or self._state is None:
            return
        try:
            self._seen.save(self._state)
        except OSError as error:
            logger.error("The pairs of this run cannot be saved, so the next keeps duplicates of them: %s", error)

    async def _filter(self, page: Page, request: Request | None) -> list[PairOfPage]:
        overrides = self._overrides(request)
        rules = replace(self._settings.rules, **{k: v for k, v in overrides.items() if k in _RULES})
        is_new = self._seen_pairs().is_new if overrides.get("dedup", self._settings.dedup) else None
        count_unknown = partial(self._stats.inc_value, "semtext/pairs/language_unknown")
        kept = []
        for position, pair in enumerate(page.qa_pairs, 1):
            if position % _PAIRS_AT_ONCE == 0:
                await sleep(0)  # languages and duplicates cost a millisecond per pair
            reason = reason_to_drop(pair, rules, is_new, count_unknown)
            if reason is None:
                kept.append(PairOfPage(page, pair, position))
            else:
                self._stats.inc_value("semtext/pairs/dropped")
                self._stats.inc_value(f"semtext/pairs/dropped/{reason}")
        if page.qa_pairs:
            self._stats.inc_value("semtext/pairs", len(page.qa_pairs))
            self._stats.inc_value("semtext/pairs/kept", len(kept))
        return kept

    def _seen_pairs(self) -> PairMemory:
        if self._seen is None:
            from scrapy_semtext.qa.dedup import PairMemory

            self._seen = PairMemory(self._settings.dedup_threshold, self._settings.dedup_size)
            if self._state is not None and self._state.exists():
                try:
                    self._seen.load(self._state)
                except (OSError, ValueError) as error:
                    logger.warning(
                        "The pairs of the previous run cannot be read, so duplicates of them are kept: %s", error
                    )
        return self._seen

    def _overrides(self, request: Request | None) -> dict[str, Any]:
        """Return the overrides in a request's meta; none if it is invalid. Checked once for each request."""
        if request is None:
            return {}
        if request not in self._overrides_of:
            try:
                self._overrides_of[request] = checked_overrides(request.meta.get("semtext_qa"), self._settings.rules)
            except (TypeError, ValueError, MissingExtraError) as error:
                self._overrides_of[request] = {}
                self._stats.inc_value("semtext/meta_invalid")
                level = logging.DEBUG if str(error) in self._logged else logging.ERROR  # each error once
                self._logged.add(str(error))
                logger.log(level, 'Ignoring meta["semtext_qa"] of %s: %s', request, error)
        return self._overrides_of[request]


_RULES = tuple(rule.name for rule in fields(PairRules))
_SWITCHES = ("item_per_pair", "dedup")


def checked_overrides(given: Any, rules: PairRules) -> dict[str, Any]:
    """Return ``meta["semtext_qa"]`` after checking its names and values.

    Raises TypeError or ValueError for an invalid name or value, MissingExtraError for an extra that is not installed.
    """
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise TypeError(f"it has to be a dict, not {given!r}")
    for name, value in given.items():
        if name not in (*_SWITCHES, *_RULES):
            raise ValueError(f"there is no {name!r}; the names are {', '.join((*_SWITCHES, *_RULES))}")
        if name in _SWITCHES and not isinstance(value, bool):
            raise ValueError(f"{name} is {value!r}; it has to be True or False")
    if given.get("dedup"):
        load_extra("datasketch", "dedup")
    changed = replace(rules, **{name: value for name, value in given.items() if name in _RULES})
    if "languages" in given:
        check_languages(changed.languages)
    return given
