"""The item pipeline, which fills items from the pages of their responses."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_semtext.integration.addon import ADVICE, earlier_components
from scrapy_semtext.integration.downloader_middleware import SemtextDownloaderMiddleware
from scrapy_semtext.integration.pages import DroppedOverview, ItemLinks, NoPage
from scrapy_semtext.integration.setting_values import SettingsError, require_enabled
from scrapy_semtext.integration.settings import NOTE, QASettings, SemtextSettings, feeds_in
from scrapy_semtext.integration.spider_middleware import SemtextSpiderMiddleware
from scrapy_semtext.read.pair_rows import PairOfPage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class SemtextPipeline:
    """Fills each item whose response has a page: the fields of SEMTEXT_FIELDS, or those of one pair.

    Returns every item, except those of overview pages if they are to be dropped.
    """

    #: Set when the spider opens, because the spider middleware, which owns the links, is created later than the
    #: pipeline.
    links: ItemLinks

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        settings = SemtextSettings.read(crawler.settings)
        self._fields, self._page_fields = settings.fields, settings.page_fields
        self._sparse = SemtextSettings.sparse_results(crawler.settings)
        self._pair_fields = QASettings.read(crawler.settings).fields
        self._logged_refused: set[tuple[type, str]] = set()  # item classes and fields
        self._logged_undeclared: set[tuple[type, bool]] = set()  # item classes, and whether the item was a single pair
        # A CSV feed has the columns of its first item, which may be that of a PDF.
        self._needs_columns = bool(feeds_in(crawler.settings, ("csv",)))
        self._earlier = earlier_components(crawler.settings, "ITEM_PIPELINES", type(self))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raise NotConfigured unless enabled."""
        require_enabled(crawler.settings)
        return cls(crawler)

    def open_spider(self) -> None:
        """Get the links of the spider middleware; raise SettingsError if a middleware is not in the settings."""
        middleware = self._crawler.get_spider_middleware(SemtextSpiderMiddleware)
        if middleware is None:
            raise SettingsError(f"SemtextPipeline needs SemtextSpiderMiddleware in SPIDER_MIDDLEWARES; {ADVICE}")
        if self._crawler.get_downloader_middleware(SemtextDownloaderMiddleware) is None:
            raise SettingsError(
                f"SemtextPipeline needs SemtextDownloaderMiddleware in DOWNLOADER_MIDDLEWARES; {ADVICE}"
            )
        self.links = middleware.links

    async def process_item(self, item: Any) -> Any:
        """Return the item, filled in place. Raises DropItem for an item of an overview that is to be dropped."""
        linked = self.links.take(item)
        if linked is None or isinstance(linked, NoPage):
            self._without_page(item, linked)
        elif not ItemAdapter.is_item(item):
            self._stats.inc_value("semtext/items/unknown_type")
        elif isinstance(linked, DroppedOverview):
            self._stats.inc_value("semtext/items/dropped")
            self._stats.inc_value("semtext/items/dropped/overview")
            url, probability = linked.page.url, linked.page.overview_probability
            raise DropItem(f"{url} is an overview page (probability {probability:.2f})", log_level="DEBUG")
        elif isinstance(linked, PairOfPage):
            self._count(self._fill(item, linked.row(), self._pair_fields))
        else:
            self._count(self._fill(item, linked.values(self._page_fields), self._page_fields))
            self._fill_note(item, linked.note)
        return item

    def _without_page(self, item: Any, reason: NoPage | None) -> None:
        self._stats.inc_value("semtext/items/without_page")
        if reason is None:
            self._warn_of_replaced(item)
            return
        if self._needs_columns and isinstance(item, dict):
            self._fill(item, dict.fromkeys(self._page_fields), self._page_fields)
        self._fill_note(item, reason.reason)

    def _count(self, filled: int) -> None:
        self._stats.inc_value("semtext/items/filled" if filled else "semtext/items/unchanged")

    def _warn_of_replaced(self, item: Any) -> None:
        """Warn once if an earlier pipeline seems to have replaced an item: others still wait for their page."""
        if self._earlier and len(self.links):
            logger.warning(
                "%s items are not filled: SemtextPipeline gets other objects than the callback yielded. Let %s return"
                " the same object, or set a smaller order:"
                ' ITEM_PIPELINES = {"scrapy_semtext.pipelines.SemtextPipeline": 0, ...}',
                type(item).__name__,
                " and ".join(self._earlier),
            )
            self._earlier = []

    def _fill_note(self, item: Any, note: str | None) -> None:
        if note and NOTE in self._fields and ItemAdapter.is_item(item):
            self._fill(item, {NOTE: note}, {NOTE: self._fields[NOTE]})

    def _fill(self, item: Any, values: Mapping[str, Any], fields: Mapping[str, str]) -> int:
        """Set the fields that the item declares and that have no value; return the number of fields set."""
        filled = 0
        declared = ItemAdapter.get_field_names_from_class(type(item))  # None: any field
        adapter = ItemAdapter(item)
        undeclared = [] if declared is None else [field for field in fields.values() if field not in declared]
        if undeclared:
            self._stats.inc_value("semtext/fields_undeclared", len(undeclared))
            self._log_undeclared(type(item), undeclared, fields)
        for result, field in fields.items():
            if field in undeclared or (result in self._sparse and not values[result]):
                continue
            if not _is_unset(adapter, field):
                self._stats.inc_value("semtext/fields_kept")
            else:
                filled += self._set(adapter, field, values[result])
        return filled

    def _set(self, adapter: ItemAdapter, field: str, value: Any) -> bool:
        try:
            adapter[field] = value
        except Exception as error:  # noqa: BLE001  frozen classes and validators may raise anything
            self._log_refused(type(adapter.item), field, error)
            return False
        return True

    def _log_undeclared(self, kind: type, undeclared: list[str], fields: Mapping[str, str]) -> None:
        """Log once which fields a class does not declare, at level WARNING if it declares none."""
        key = (kind, fields is self._pair_fields)
        if key in self._logged_undeclared:
            return
        self._logged_undeclared.add(key)
        names = ", ".join(undeclared)
        if len(undeclared) < len(fields):
            logger.info("%s items do not declare these fields, which are left out: %s", kind.__name__, names)
        else:
            logger.warning("%s items are not filled: they declare none of the fields %s", kind.__name__, names)

    def _log_refused(self, kind: type, field: str, error: Exception) -> None:
        """Count a field that cannot be set, and log it once for each class and field."""
        self._stats.inc_value("semtext/fields_refused")
        if (kind, field) not in self._logged_refused:
            self._logged_refused.add((kind, field))
            logger.info("The field %r of %s items cannot be set: %s", field, kind.__name__, error)


def _is_unset(adapter: ItemAdapter, field: str) -> bool:
    """Return whether a field is missing, None, or an empty string or collection."""
    try:
        value = adapter.get(field)
    except AttributeError:  # an unset field of a dataclass or attrs class without a default
        return True
    return value is None or (isinstance(value, str | bytes | list | tuple | dict | set) and not value)
