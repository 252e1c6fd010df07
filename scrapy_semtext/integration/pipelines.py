"""The item pipeline, which puts what was read from a page into the items of its response."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_semtext.integration.middlewares import DroppedOverview, SemtextDownloaderMiddleware, SemtextSpiderMiddleware
from scrapy_semtext.integration.qa_settings import QASettings
from scrapy_semtext.integration.settings import SemtextSettings, SettingsError, require_enabled
from scrapy_semtext.page import METADATA
from scrapy_semtext.qa.pair_rows import PairOfPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_semtext.integration.middlewares import ItemLinks
    from scrapy_semtext.page import Page

logger = logging.getLogger(__name__)

_METADATA = frozenset(METADATA)


class SemtextPipeline:
    """Fills each item whose response has a page: the fields of SEMTEXT_FIELDS, or SEMTEXT_QA_FIELDS if it is one pair.

    Passes every item on, but for those of overview pages where these are to be dropped.
    """

    #: Set when the spider opens: the spider middleware, which owns it, exists only then.
    links: ItemLinks

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._fields = SemtextSettings.read(crawler.settings).fields
        self._pair_fields = QASettings.read(crawler.settings).fields
        self._said: set[tuple[type, str]] = set()  # fields that a class refused
        self._looked_at: set[tuple[type, bool]] = set()  # classes, and whether their items were one pair

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled."""
        require_enabled(crawler.settings)
        return cls(crawler)

    def open_spider(self) -> None:
        """Find the middlewares; raise SettingsError where one of them is not in the settings."""
        middleware = self._crawler.get_spider_middleware(SemtextSpiderMiddleware)
        if middleware is None:
            raise SettingsError("SemtextPipeline needs SemtextSpiderMiddleware in SPIDER_MIDDLEWARES")
        if self._crawler.get_downloader_middleware(SemtextDownloaderMiddleware) is None:
            raise SettingsError("SemtextPipeline needs SemtextDownloaderMiddleware in DOWNLOADER_MIDDLEWARES")
        self.links = middleware.links

    def process_item(self, item: Any) -> Any:
        """Return the item, filled in place. Raises DropItem for one of an overview that is to be dropped."""
        linked = self.links.take(item)
        if linked is None:
            self._stats.inc_value("semtext/items/without_page")
        elif not ItemAdapter.is_item(item):
            self._stats.inc_value("semtext/items/unknown_type")
        elif isinstance(linked, DroppedOverview):
            self._stats.inc_value("semtext/items/dropped")
            self._stats.inc_value("semtext/items/dropped/overview")
            url, probability = linked.page.url, linked.page.overview_probability
            raise DropItem(f"{url} is an overview page (probability {probability:.2f})", log_level="DEBUG")
        elif isinstance(linked, PairOfPage):
            self._fill(item, linked.row(), self._pair_fields)
            self._stats.inc_value("semtext/items/filled")
        else:
            self._fill(item, plain_values(linked, self._fields), self._fields)
            self._stats.inc_value("semtext/items/filled")
        return item

    def _fill(self, item: Any, values: Mapping[str, Any], fields: Mapping[str, str]) -> None:
        declared = ItemAdapter.get_field_names_from_class(type(item))  # None: any field will do
        adapter = ItemAdapter(item)
        undeclared = [] if declared is None else [field for field in fields.values() if field not in declared]
        if undeclared:
            self._stats.inc_value("semtext/fields_undeclared", len(undeclared))
            self._say_undeclared(type(item), undeclared, fields)
        for result, field in fields.items():
            if field in undeclared:
                continue
            if not _is_unset(adapter, field):
                self._stats.inc_value("semtext/fields_kept")
            else:
                self._set(adapter, field, values[result])

    def _set(self, adapter: ItemAdapter, field: str, value: Any) -> None:
        try:
            adapter[field] = value
        except Exception as error:  # noqa: BLE001  whatever a frozen class or a validator of the user's raises
            self._refused(type(adapter.item), field, error)

    def _say_undeclared(self, kind: type, undeclared: list[str], fields: Mapping[str, str]) -> None:
        """Say which fields a class does not declare: once, and as a warning if its items get nothing at all."""
        key = (kind, fields is self._pair_fields)
        if key in self._looked_at:
            return
        self._looked_at.add(key)
        names = ", ".join(undeclared)
        if len(undeclared) < len(fields):
            logger.info("%s items go without what they do not declare: %s", kind.__name__, names)
        else:
            logger.warning("%s items are not filled: they declare none of %s", kind.__name__, names)

    def _refused(self, kind: type, field: str, error: Exception) -> None:
        """Count a field that cannot be set, and say so once for each class and field."""
        self._stats.inc_value("semtext/fields_refused")
        if (kind, field) not in self._said:
            self._said.add((kind, field))
            logger.info("%s items go without the field %r: %s", kind.__name__, field, error)


def plain_values(page: Page, results: Iterable[str]) -> dict[str, Any]:
    """Return results of a page by name, as values that JSON knows. No two calls share a list."""
    blocks, segments = "blocks" in results, "segments" in results
    wanted = replace(page, blocks=page.blocks if blocks else [], segments=page.segments if segments else [])
    return wanted.to_dict(
        blocks=blocks,
        segments=segments,
        metadata=not _METADATA.isdisjoint(results),
        markdown="markdown" in results,
    )


def _is_unset(adapter: ItemAdapter, field: str) -> bool:
    """Return whether a field has no value yet: none at all, None, or an empty string or collection."""
    try:
        value = adapter.get(field)
    except AttributeError:  # a field of a dataclass or an attrs class without a default, never set
        return True
    return value is None or (isinstance(value, str | bytes | list | tuple | dict | set) and not value)
