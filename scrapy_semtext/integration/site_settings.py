"""The setting SEMTEXT_SITE_TEMPLATES."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from scrapy_semtext.integration.setting_values import key_name, read_bool, read_choice, read_group, read_number
from scrapy_semtext.site.bounds import LEAST_SIZE, SITE_KINDS, SITES, SIZE, SiteKind

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SETTING = "SEMTEXT_SITE_TEMPLATES"


@dataclass(frozen=True, slots=True)
class SiteTemplateSettings:
    """The keys of SEMTEXT_SITE_TEMPLATES; docs/settings.md describes each."""

    size: int = SIZE
    sites: int = SITES
    by: SiteKind = "host"

    @classmethod
    def read(cls, settings: BaseSettings) -> SiteTemplateSettings | None:
        """Read the setting, which is a switch or a dict; None if it is off. Raises SettingsError for other values."""
        value = settings.get(SETTING)
        is_dict = isinstance(value, dict) or (isinstance(value, str) and value.lstrip().startswith("{"))
        if not is_dict and not read_bool(settings, SETTING):
            return None
        group = read_group(settings, SETTING, SITE_KEYS, None if is_dict else {})
        return cls(
            size=read_number(group, key_name(SETTING, "size"), SIZE, int, least=LEAST_SIZE),
            sites=read_number(group, key_name(SETTING, "sites"), SITES, int, least=1),
            by=read_choice(group, key_name(SETTING, "by"), SITE_KINDS),
        )


#: The keys of SEMTEXT_SITE_TEMPLATES.
SITE_KEYS = tuple(each.name for each in fields(SiteTemplateSettings))
