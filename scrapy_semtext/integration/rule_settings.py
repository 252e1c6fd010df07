"""The settings SEMTEXT_SITES and SEMTEXT_SITES_FILE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.integration.setting_values import SettingsError, read_dict, read_path

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from scrapy_semtext.site.rules import SiteRules

SETTING, FILE = "SEMTEXT_SITES", "SEMTEXT_SITES_FILE"


def read_rules(settings: BaseSettings) -> SiteRules | None:
    """Return the rules of both settings, None without any; raise SettingsError for a rule that cannot be used.

    A site in SEMTEXT_SITES goes before the same site in the file.
    """
    path = read_path(settings, FILE)
    values = read_dict(settings, SETTING, {})
    if not path and not values:
        return None
    from scrapy_semtext.site.rules import RuleError, SiteRules  # loads numpy, which a crawl without rules may not need

    try:
        of_file = SiteRules.load(path) if path else SiteRules(())
    except RuleError as error:
        raise SettingsError(f"{FILE} is {path!r}, but {error}") from error
    try:
        return SiteRules.of(values).before(of_file) or None
    except RuleError as error:
        raise SettingsError(f"{SETTING}: {error}") from error
