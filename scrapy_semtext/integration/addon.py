"""The Scrapy add-on, which registers the components of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from scrapy_semtext.integration.settings import is_enabled

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Responses pass the downloader middlewares from the largest number to the smallest: at 545 they are decompressed
#: (590), redirects (580, 600) and retries (550) are done, and the page is read before scrapy-poet's
#: InjectionMiddleware (543) builds the arguments of callbacks.
DOWNLOADER_MIDDLEWARE_ORDER = 545

#: A spider's output passes the spider middlewares from the largest number to the smallest, too: 10 is behind all of
#: Scrapy's, of which the last is at 25, so items that others replace are linked as well.
SPIDER_MIDDLEWARE_ORDER = 10

#: Items pass the pipelines from the smallest number to the largest: pipelines from 100 on, as is usual, get filled
#: items.
PIPELINE_ORDER = 50

#: Behind scrapy-poet's own providers, of which the last is at 1000.
PROVIDER_ORDER = 1050


class Addon:
    """Registers the middlewares, the pipeline, the feed formats and, with scrapy-poet, the provider.

    Without SEMTEXT_ENABLED it changes nothing and loads nothing. Components that the settings contain already, with an
    order of their own or disabled by None, are not changed.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Change a crawler's settings; raise NotConfigured unless enabled, SettingsError for invalid settings."""
        if not is_enabled(settings):
            if settings.get("SEMTEXT_ENABLED") is None:
                raise NotConfigured("SEMTEXT_ENABLED is not set; set it to True to fill items")
            raise NotConfigured
        # Imported here, so that a crawl with the package disabled does not load it.
        from scrapy_semtext.integration.downloader_middleware import SemtextDownloaderMiddleware
        from scrapy_semtext.integration.exporters import (
            FEED_EXPORTERS,
            refuse_chunks_without_field,
            refuse_dialogues_of_single_pairs,
            refuse_to_append,
            require_extras,
        )
        from scrapy_semtext.integration.pipelines import SemtextPipeline
        from scrapy_semtext.integration.spider_middleware import SemtextSpiderMiddleware

        for setting, component, order in (
            ("DOWNLOADER_MIDDLEWARES", SemtextDownloaderMiddleware, DOWNLOADER_MIDDLEWARE_ORDER),
            ("SPIDER_MIDDLEWARES", SemtextSpiderMiddleware, SPIDER_MIDDLEWARE_ORDER),
            ("ITEM_PIPELINES", SemtextPipeline, PIPELINE_ORDER),
        ):
            settings.setdefault_in_component_priority_dict(setting, component, order)
        # Paths only: Scrapy imports the exporters if the crawl has feeds. Names that the user has set stay.
        formats = {**FEED_EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
        settings.set("FEED_EXPORTERS", formats, settings.getpriority("FEED_EXPORTERS") or 0)
        require_extras(settings)
        refuse_to_append(settings)
        refuse_dialogues_of_single_pairs(settings)
        refuse_chunks_without_field(settings)
        if _has_poet(settings):
            from scrapy_semtext.integration.provider import PageProvider

            settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", PageProvider, PROVIDER_ORDER)


def _has_poet(settings: BaseSettings) -> bool:
    """Return whether scrapy-poet's add-on or middleware, or a subclass of one, is enabled."""
    components = {**settings.getdict("ADDONS"), **settings.getdict("DOWNLOADER_MIDDLEWARES")}
    return any(
        base.__module__.partition(".")[0] == "scrapy_poet"
        for component, order in components.items()
        if order is not None
        for base in getattr(load_object(component), "__mro__", ())
    )
