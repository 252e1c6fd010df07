"""The Scrapy add-on: everything is registered by naming it in ADDONS and setting SEMTEXT_ENABLED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from scrapy_semtext.integration.settings import is_enabled

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Responses pass the downloader middlewares from the largest number to the smallest: at 545 they are decompressed
#: (590), redirects (580, 600) and retries (550) are behind them, and the page is there before scrapy-poet's
#: InjectionMiddleware (543) builds what a callback asks for.
DOWNLOADER_MIDDLEWARE_ORDER = 545

#: A spider's output passes the spider middlewares from the largest number to the smallest too: at 10 an item comes by
#: as all others, the first of Scrapy's own being at 25, have left it, replaced or not.
SPIDER_MIDDLEWARE_ORDER = 10

#: Items pass the pipelines from the smallest number on: at 50 the usual ones, from 100 on, see the filled item.
PIPELINE_ORDER = 50

#: Behind scrapy-poet's own providers, which end at 1000.
PROVIDER_ORDER = 1050


class Addon:
    """Registers the middlewares, the pipeline, the feed formats and, with scrapy-poet, the provider.

    Without SEMTEXT_ENABLED it changes nothing and loads nothing. Components that the user has put into the settings
    with numbers of their own, or switched off with None, stay as they are.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Change a crawler's settings; raise NotConfigured unless enabled, SettingsError for what cannot work."""
        if not is_enabled(settings):
            if settings.get("SEMTEXT_ENABLED") is None:
                raise NotConfigured("SEMTEXT_ENABLED is not set; set it to True to have items filled")
            raise NotConfigured
        # Loaded only now: a crawl that leaves this package off is not to pay for it.
        from scrapy_semtext.integration.exporters import FEED_EXPORTERS, refuse_to_append, require_extras
        from scrapy_semtext.integration.middlewares import SemtextDownloaderMiddleware, SemtextSpiderMiddleware
        from scrapy_semtext.integration.pipelines import SemtextPipeline

        for setting, component, order in (
            ("DOWNLOADER_MIDDLEWARES", SemtextDownloaderMiddleware, DOWNLOADER_MIDDLEWARE_ORDER),
            ("SPIDER_MIDDLEWARES", SemtextSpiderMiddleware, SPIDER_MIDDLEWARE_ORDER),
            ("ITEM_PIPELINES", SemtextPipeline, PIPELINE_ORDER),
        ):
            settings.setdefault_in_component_priority_dict(setting, component, order)
        # The names only: Scrapy loads the exporters, if the crawl has feeds. A name that the user gave stays.
        formats = {**FEED_EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
        settings.set("FEED_EXPORTERS", formats, settings.getpriority("FEED_EXPORTERS") or 0)
        require_extras(settings)
        refuse_to_append(settings)
        if _has_poet(settings):
            from scrapy_semtext.integration.provider import PageProvider

            settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", PageProvider, PROVIDER_ORDER)


def _has_poet(settings: BaseSettings) -> bool:
    """Return whether scrapy-poet's add-on or its middleware, or a subclass of one, is switched on."""
    components = {**settings.getdict("ADDONS"), **settings.getdict("DOWNLOADER_MIDDLEWARES")}
    return any(
        base.__module__.partition(".")[0] == "scrapy_poet"
        for component, order in components.items()
        if order is not None
        for base in getattr(load_object(component), "__mro__", ())
    )
