"""Coloured pages of a crawl, written where pages are processed (SEMTEXT_VIEW_DIR)."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.batches import PageReader
    from scrapy_semtext.integration.settings import SemtextSettings
    from scrapy_semtext.page import Page
    from scrapy_semtext.viewer.folder import ViewFolder

logger = logging.getLogger(__name__)


class CrawlViews:
    """Processes pages with another reader, and adds them to a folder of views, up to ``most`` pages if given.

    Called in the threads of the service; thread-safe if the reader is. If worker processes process the pages, they
    write the views. An error in writing is logged and counted, and no page is lost.
    """

    def __init__(self, reader: PageReader, folder: ViewFolder, most: int | None, stats: StatsCollector) -> None:
        self._reader, self._folder, self._stats = reader, folder, stats
        self._left = float("inf") if most is None else most - len(folder.rows)
        self._lock = threading.Lock()
        self._written = self._left_out = self._errors = 0

    @classmethod
    def around(
        cls, reader: PageReader, settings: SemtextSettings, crawl: BaseSettings, stats: StatsCollector
    ) -> CrawlViews | None:
        """Return the views of a crawl, None unless SEMTEXT_VIEW_DIR is set.

        Raises SettingsError for a folder with other files, and for an extractor of another class than `Extractor`.
        """
        if settings.view_dir is None:
            return None
        from scrapy_semtext.extractor import Extractor
        from scrapy_semtext.viewer.folder import ViewFolder, ViewFolderError

        kind: Any = load_object(settings.extractor)
        if not (isinstance(kind, type) and issubclass(kind, Extractor)):
            raise SettingsError(
                f"SEMTEXT_VIEW_DIR is set, but the SEMTEXT_EXTRACTOR {kind.__name__} gives no page trees: it is not a"
                " subclass of scrapy_semtext.extractor.Extractor"
            )
        least_sure = settings.view_max if settings.view_keep == "least-sure" else None
        try:
            folder = ViewFolder(settings.view_dir, resume=bool(crawl.get("JOBDIR")), least_sure=least_sure)
        except ViewFolderError as error:
            raise SettingsError(f"SEMTEXT_VIEW_DIR is {settings.view_dir!r}, but {error}") from error
        return cls(reader, folder, None if least_sure else settings.view_max, stats)

    def close(self) -> None:
        """Complete the overview and set the stats; no more pages are processed."""
        try:
            self._folder.close()
        except OSError as error:
            logger.error("The overview of %s could not be written: %s", self._folder.path, error)
        counts = {
            "semtext/views": max(0, self._written - self._folder.left_out),
            "semtext/views/left_out": self._left_out + self._folder.left_out,
            "semtext/views/errors": self._errors,
        }
        for name, count in counts.items():
            if count:
                self._stats.set_value(name, count)

    def read_many(self, sources: Sequence[Source]) -> Sequence[Page | Exception]:
        """Process sources with the reader."""
        from scrapy_semtext.viewer.folder import ViewWriter

        names = [self._name(source) for source in sources]
        path, limit = self._folder.path, self._folder.limit
        watched = [
            source if name is None else replace(source, on_read=ViewWriter(path / name, limit=limit))
            for source, name in zip(sources, names, strict=True)
        ]
        results = self._reader.read_many(watched)
        for source, name, result in zip(sources, names, results, strict=True):
            if name is not None:
                self._add(name, source, result)
        return results

    def _name(self, source: Source) -> str | None:
        """Return the name of the view of a page, None if it gets none."""
        if source.url is None:  # the warm-up page, not part of the crawl
            return None
        with self._lock:
            if self._left <= 0:
                self._left_out += 1
                return None
            self._left -= 1
        return self._folder.new_name(source.url)

    def _add(self, name: str, source: Source, result: Page | Exception) -> None:
        failed = f"{type(result).__name__}: {result}" if isinstance(result, Exception) else None
        try:
            written = self._folder.add(name, source, failed or result)  # type: ignore[arg-type]
        except OSError as error:
            logger.error("%s could not be added to %s: %s", source.url, self._folder.path, error)
            written = False
        with self._lock:
            self._written += written
            self._errors += not written
