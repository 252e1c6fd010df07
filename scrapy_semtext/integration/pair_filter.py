"""Which pairs of a page go into items: filters and duplicates, by the settings and by each request's meta."""

from __future__ import annotations

import logging
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy.utils.asyncio import sleep

from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.qa.filters import PairRules
from scrapy_semtext.qa.pair_rows import PairOfPage
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_semtext.integration.qa_settings import QASettings
    from scrapy_semtext.page import Page, QAPair
    from scrapy_semtext.qa.dedup import PairMemory

logger = logging.getLogger(__name__)

#: The file in a job directory that keeps what pairs were met.
STATE = "semtext-pairs.npy"

#: Pairs of a page that are looked at until the event loop has its turn.
_AT_ONCE = 16


class PairFilter:
    """Chooses among the pairs of pages, and counts what it leaves out. One for each crawl.

    Raises SettingsError where a setting needs an extra that is not installed, or names a language that cannot be told.
    """

    def __init__(self, crawler: Crawler, settings: QASettings) -> None:
        self._stats = crawler.stats
        self._settings = settings
        jobdir = crawler.settings.get("JOBDIR")
        self._state = Path(jobdir) / STATE if jobdir else None
        self._memory: PairMemory | None = None
        # A page's pairs are chosen once, however many items are made of it.
        self._chosen: WeakKeyDictionary[Response, tuple[Page, list[PairOfPage]]] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Request, dict[str, Any]] = WeakKeyDictionary()
        self._said: set[str] = set()
        self._load_extras()

    async def choose(self, page: Page, response: Response) -> list[PairOfPage]:
        """Return the pairs of a page that are wanted and not met before, in order."""
        known = self._chosen.get(response)
        if known is None or known[0] is not page:
            known = page, await self._choose(page, response.request)
            self._chosen[response] = known
        return known[1]

    def wants_item_per_pair(self, request: Request | None) -> bool:
        """Return whether the items of a request's response are to be one for each pair."""
        return bool(self._overrides(request).get("item_per_pair", self._settings.item_per_pair))

    def close(self) -> None:
        """Keep what pairs were met in the job directory, if there is one."""
        if self._memory is not None and self._state is not None:
            self._memory.save(self._state)

    async def _choose(self, page: Page, request: Request | None) -> list[PairOfPage]:
        overrides = self._overrides(request)
        rules = replace(self._settings.rules, **{k: v for k, v in overrides.items() if k in _RULES})
        dedup = overrides.get("dedup", self._settings.dedup)
        chosen = []
        for position, pair in enumerate(page.qa_pairs, 1):
            if position % _AT_ONCE == 0:
                await sleep(0)  # languages and duplicates take a millisecond a pair
            reason = self._reason_to_drop(pair, rules, dedup=dedup)
            if reason is None:
                chosen.append(PairOfPage(page, pair, position))
            else:
                self._stats.inc_value("semtext/pairs/dropped")
                self._stats.inc_value(f"semtext/pairs/dropped/{reason}")
        if page.qa_pairs:
            self._stats.inc_value("semtext/pairs", len(page.qa_pairs))
            self._stats.inc_value("semtext/pairs/kept", len(chosen))
        return chosen

    def _reason_to_drop(self, pair: QAPair, rules: PairRules, *, dedup: bool) -> str | None:
        # What costs least is asked first; and a pair that nobody wants is not to be remembered.
        reason = rules.reason_to_drop(pair)
        if reason is None and rules.languages and not self._speaks(pair, rules.languages):
            reason = "language"
        if reason is None and dedup and not self._memorized().is_new(pair):
            reason = "duplicate"
        return reason

    def _speaks(self, pair: QAPair, languages: tuple[str, ...]) -> bool:
        from scrapy_semtext.qa.pair_languages import language_of

        language = language_of(pair)
        if language is None:
            self._stats.inc_value("semtext/pairs/language_unknown")
        return language is None or language in languages

    def _load_extras(self) -> None:
        """Load before the crawl what the settings ask for: what is missing is to stop it at its start."""
        try:
            if self._settings.dedup:
                self._memorized()
        except MissingExtraError as error:
            raise SettingsError(f"SEMTEXT_QA_DEDUP is on, but {error}") from error
        try:
            _check_languages(self._settings.rules.languages)
        except (MissingExtraError, ValueError) as error:
            raise SettingsError(f"SEMTEXT_QA_LANGUAGES is {list(self._settings.rules.languages)}: {error}") from error

    def _memorized(self) -> PairMemory:
        if self._memory is None:
            from scrapy_semtext.qa.dedup import PairMemory

            self._memory = PairMemory(self._settings.dedup_threshold, self._settings.dedup_size)
            if self._state is not None and self._state.exists():
                self._restore(self._memory, self._state)
        return self._memory

    def _restore(self, memory: PairMemory, state: Path) -> None:
        try:
            memory.load(state)
        except (OSError, ValueError) as error:
            logger.warning("The pairs met by the job so far cannot be read, and may come again: %s", error)

    def _overrides(self, request: Request | None) -> dict[str, Any]:
        """Return what a request's meta asks for; nothing where that cannot be. A request is looked at once."""
        if request is None:
            return {}
        if request not in self._asked:
            try:
                self._asked[request] = checked_overrides(request.meta.get("semtext_qa"), self._settings.rules)
            except (TypeError, ValueError, MissingExtraError) as error:
                self._asked[request] = {}
                self._say(error, request)
        return self._asked[request]

    def _say(self, error: Exception, request: Request) -> None:
        """Count meta that cannot be used, and log it the first time."""
        self._stats.inc_value("semtext/meta_invalid")
        level = logging.DEBUG if str(error) in self._said else logging.ERROR
        self._said.add(str(error))
        logger.log(level, 'meta["semtext_qa"] of %s is left aside: %s', request, error)


_RULES = tuple(rule.name for rule in fields(PairRules))
_SWITCHES = ("item_per_pair", "dedup")


def checked_overrides(given: Any, rules: PairRules) -> dict[str, Any]:
    """Return ``meta["semtext_qa"]``, a dict, after a look at each of its names and values.

    Raises TypeError or ValueError for what cannot be used, MissingExtraError for an extra that is not installed.
    """
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise TypeError(f"it has to be a dict, not {given!r}")
    for name, value in given.items():
        if name not in (*_SWITCHES, *_RULES):
            raise ValueError(f"there is no {name!r}; there are {', '.join((*_SWITCHES, *_RULES))}")
        if name in _SWITCHES and not isinstance(value, bool):
            raise ValueError(f"{name} is {value!r}; it has to be True or False")
    if given.get("dedup"):
        load_extra("datasketch", "dedup")
    changed = replace(rules, **{name: value for name, value in given.items() if name in _RULES})
    if "languages" in given:
        _check_languages(changed.languages)
    return given


def _check_languages(languages: tuple[str, ...]) -> None:
    if languages:
        from scrapy_semtext.qa.pair_languages import check_languages

        check_languages(languages)
