"""The site templates of a crawl: created from the settings, saved in the job directory, counted in the stats."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.site.store import SiteTemplates

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from scrapy_semtext.integration.settings import SemtextSettings

logger = logging.getLogger(__name__)

#: The file in a job directory that holds the templates.
STATE = "semtext-sites.npz"

#: The counters of the templates, and their stats.
_STATS = {
    "pages": "semtext/site/pages",
    "duplicates": "semtext/site/duplicates",
    "shared": "semtext/site/shared",
    "removed": "semtext/site/removed",
    "forgotten": "semtext/site/forgotten",
}


class SiteState:
    """The site templates of a crawl; does nothing unless SEMTEXT_SITE_TEMPLATES is on."""

    def __init__(self, settings: SemtextSettings, crawl: BaseSettings, stats: StatsCollector) -> None:
        self._stats = stats
        jobdir = crawl.get("JOBDIR")
        self._path = Path(jobdir) / STATE if jobdir else None
        self._templates: SiteTemplates | None = None
        if (bounds := settings.site_templates) is not None:
            self._templates = SiteTemplates(bounds.size, bounds.sites, bounds.by)
            self._restore(self._templates)

    def attach_to(self, reader: Any) -> None:
        """Have an extractor use the templates; raise SettingsError for one that does not support them."""
        if self._templates is None:
            return
        if not hasattr(reader, "templates"):
            raise SettingsError(
                f"SEMTEXT_SITE_TEMPLATES is on, but the SEMTEXT_EXTRACTOR {type(reader).__name__} does not support site"
                " templates: it has no attribute `templates`"
            )
        reader.templates = self._templates

    def close(self) -> None:
        """Set the stats, and save the templates in the job directory, if there is one."""
        if self._templates is None:
            return
        for name, stat in _STATS.items():
            if count := self._templates.stats[name]:
                self._stats.inc_value(stat, count)
        self._stats.set_value("semtext/site/sites", len(self._templates))
        if self._path is None:
            return
        try:
            self._templates.save(self._path)
        except OSError as error:
            logger.error("The site templates cannot be saved, so the next run starts with earlier ones: %s", error)

    def _restore(self, templates: SiteTemplates) -> None:
        if self._path is None or not self._path.exists():
            return
        try:
            templates.load(self._path)
        except (OSError, ValueError) as error:
            logger.warning("The site templates of the previous run cannot be read, starting without: %s", error)
