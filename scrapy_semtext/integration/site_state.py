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

#: The stats that are named after the counters of the templates.
_STATS = (
    *("semtext/site/pages", "semtext/site/duplicates", "semtext/site/shared"),
    *("semtext/site/removed", "semtext/site/forgotten"),
)


class SiteState:
    """The site templates of a crawl, and the file that they are saved in, None without a job directory."""

    def __init__(self, templates: SiteTemplates, path: Path | None, stats: StatsCollector) -> None:
        self._templates, self._path, self._stats = templates, path, stats

    @classmethod
    def attached_to(
        cls, reader: Any, settings: SemtextSettings, crawl: BaseSettings, stats: StatsCollector
    ) -> SiteState | None:
        """Have an extractor use the templates; None unless SEMTEXT_SITE_TEMPLATES is on.

        Raises SettingsError for an extractor that does not support them.
        """
        bounds, jobdir = settings.site_templates, crawl.get("JOBDIR")
        if bounds is None:
            return None
        if not hasattr(reader, "templates"):
            raise SettingsError(
                f"SEMTEXT_SITE_TEMPLATES is on, but the SEMTEXT_EXTRACTOR {type(reader).__name__} does not support site"
                " templates: it has no attribute `templates`"
            )
        reader.templates = templates = SiteTemplates(bounds.size, bounds.sites, bounds.by)
        path = Path(jobdir) / STATE if jobdir else None
        if path is not None and path.exists():
            try:
                templates.load(path)
            except (OSError, ValueError) as error:
                logger.warning("The site templates of the previous run cannot be read, starting without: %s", error)
        return cls(templates, path, stats)

    def close(self) -> None:
        """Set the stats, and save the templates in the job directory, if there is one."""
        for stat in _STATS:
            if count := self._templates.stats[stat.rpartition("/")[2]]:
                self._stats.inc_value(stat, count)
        self._stats.set_value("semtext/site/sites", len(self._templates))
        if self._path is None:
            return
        try:
            self._templates.save(self._path)
        except OSError as error:
            logger.error("The site templates cannot be saved, so the next run starts with earlier ones: %s", error)
