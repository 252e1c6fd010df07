"""The components that fill items together, and a warning if the settings have only some of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from scrapy.utils.misc import load_object

if TYPE_CHECKING:
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


def warn_about_missing(settings: BaseSettings, by: type) -> None:
    """Warn if the settings have only some of COMPONENTS; only the first of them (``by`` is one) issues the warning."""
    present = [component for component in COMPONENTS if component.is_in(settings)]
    missing = [component for component in COMPONENTS if component not in present]
    if missing and present and issubclass(by, load_object(present[0].path)):
        names = " and ".join(f"{component.setting} has no {component.path}" for component in missing)
        logger.warning("Items are not filled: %s. %s", names, ADVICE)
