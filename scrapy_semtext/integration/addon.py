"""The Scrapy add-on, which registers the components of the package; a warning if settings have only some of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from scrapy_semtext.integration.setting_values import is_enabled, is_log_short, log_errors_in_a_line, read_dict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings


logger = logging.getLogger(__name__)

ADVICE = 'ADDONS = {"scrapy_semtext.Addon": 300} adds all components of scrapy-semtext'


class Component(NamedTuple):
    """A component, given by its path, and its order in a setting."""

    setting: str
    path: str
    order: int

    def is_in(self, settings: BaseSettings) -> bool:
        """Return whether the setting has the component, or a subclass of it, even if disabled by None."""
        own = load_object(self.path)
        given = (load_object(each) for each in settings.getdict(self.setting))
        return any(isinstance(each, type) and issubclass(each, own) for each in given)


COMPONENTS = (
    # Responses pass the downloader middlewares from the largest number to the smallest: at 545 they are decompressed
    # (590), redirects (580, 600) and retries (550) are done, and the page is read before scrapy-poet's
    # InjectionMiddleware (543) builds the arguments of callbacks.
    Component("DOWNLOADER_MIDDLEWARES", "scrapy_semtext.middlewares.SemtextDownloaderMiddleware", 545),
    # A spider's output also passes the spider middlewares from the largest number to the smallest: 10 comes after all
    # of Scrapy's, the last of which is at 25, so items that other middlewares replace are linked as well.
    Component("SPIDER_MIDDLEWARES", "scrapy_semtext.middlewares.SemtextSpiderMiddleware", 10),
    # Items pass the pipelines from the smallest number to the largest: the usual pipelines, from 100 on, get filled
    # items.
    Component("ITEM_PIPELINES", "scrapy_semtext.pipelines.SemtextPipeline", 50),
)


def earlier_components(settings: BaseSettings, setting: str, own: type) -> list[str]:
    """Return the names of the components in a setting that come before ``own``."""
    orders = {load_object(each): order for each, order in settings.getdict(setting).items() if order is not None}
    return [each.__name__ for each, order in orders.items() if order < orders.get(own, 0)]


def missing_components(settings: BaseSettings) -> list[Component]:
    """Return which of COMPONENTS the settings do not have."""
    return [component for component in COMPONENTS if not component.is_in(settings)]


def missing_text(missing: Iterable[Component]) -> str:
    """Return a text that names missing components."""
    return " and ".join(f"{component.setting} has no {component.path}" for component in missing)


def warn_about_missing(settings: BaseSettings, by: type) -> None:
    """Warn if the settings have only some of COMPONENTS; only the first of them (``by`` is one) issues the warning."""
    missing = missing_components(settings)
    first = next((component for component in COMPONENTS if component not in missing), None)
    if missing and first is not None and issubclass(by, load_object(first.path)):
        logger.warning("Items are not filled: %s. %s", missing_text(missing), ADVICE)


#: After scrapy-poet's own providers, the last of which is at 1000.
PROVIDER_ORDER = 1050

#: The page objects for zyte-common-items, as listed in SCRAPY_POET_DISCOVER, and the options that they require if
#: SEMTEXT_OPTIONS does not set them.
PAGE_OBJECTS = "scrapy_semtext.page_objects"
PAGE_OBJECT_OPTIONS = ("details", "main_html", "records")


class Addon:
    """Registers the middlewares, the pipeline, the log formatter, the feed formats and, with scrapy-poet, the provider.

    Without SEMTEXT_ENABLED it changes nothing and loads nothing. Components that are already in the settings, with any
    order or disabled by None, are not changed.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Change a crawler's settings; raise NotConfigured unless enabled, SettingsError for invalid settings."""
        log_errors_in_a_line()
        if not is_enabled(settings):
            if settings.get("SEMTEXT_ENABLED") is None:
                raise NotConfigured("SEMTEXT_ENABLED is not set; set it to True to fill items")
            raise NotConfigured
        # Imported here, so that a crawl with the package disabled does not load it.
        from scrapy_semtext.exporters import FEED_EXPORTERS, check_feeds
        from scrapy_semtext.logformatter import ShortLogFormatter

        for setting, path, order in COMPONENTS:
            settings.setdefault_in_component_priority_dict(setting, load_object(path), order)
        if is_log_short(settings) and not settings.getpriority("LOG_FORMATTER"):
            settings.set("LOG_FORMATTER", ShortLogFormatter, "addon")
        # Only paths: Scrapy imports the exporters if the crawl has feeds. Exporters set by the user are kept.
        formats = {**FEED_EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
        settings.set("FEED_EXPORTERS", formats, settings.getpriority("FEED_EXPORTERS") or 0)
        check_feeds(settings)
        if _has_poet(settings):
            _add_provider(settings)


def _add_provider(settings: BaseSettings) -> None:
    """Register the provider, and request what the page objects need if they are used."""
    from scrapy_semtext.provider import PageProvider

    settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", PageProvider, PROVIDER_ORDER)
    if PAGE_OBJECTS in settings.getlist("SCRAPY_POET_DISCOVER"):
        options = {**dict.fromkeys(PAGE_OBJECT_OPTIONS, True), **read_dict(settings, "SEMTEXT_OPTIONS", {})}
        settings.set("SEMTEXT_OPTIONS", options, settings.getpriority("SEMTEXT_OPTIONS") or 0)


def _has_poet(settings: BaseSettings) -> bool:
    """Return whether scrapy-poet's add-on or middleware, or a subclass of one, is enabled."""
    components = {**settings.getdict("ADDONS"), **settings.getdict("DOWNLOADER_MIDDLEWARES")}
    return any(
        base.__module__.partition(".")[0] == "scrapy_poet"
        for component, order in components.items()
        if order is not None
        for base in getattr(load_object(component), "__mro__", ())
    )
