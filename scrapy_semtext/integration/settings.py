"""The SEMTEXT_* settings, read once into one typed value and checked with messages for people."""

from __future__ import annotations

import difflib
import logging
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured

from scrapy_semtext.integration.qa_settings import QA_SETTINGS
from scrapy_semtext.integration.setting_values import (
    SettingsError,
    read_bool,
    read_choice,
    read_dict,
    read_fields,
    read_number,
    read_path,
)
from scrapy_semtext.labelers.registry import LABELLERS, LabelerName
from scrapy_semtext.page import METADATA
from scrapy_semtext.site.bounds import LEAST_SIZE, SITE_KINDS, SITES, SIZE, SiteKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

__all__ = ["RESULTS", "SemtextSettings", "SettingsError", "is_enabled", "require_enabled", "warn_of_unknown_names"]

logger = logging.getLogger(__name__)

#: What of a page can be put into an item: the names that SEMTEXT_FIELDS maps to field names.
RESULTS = (
    "url",
    "title",
    "main_text",
    "qa_pairs",
    "sections",
    "page_kind",
    "page_kind_probability",
    "is_overview",
    "overview_probability",
    "blocks",
    "segments",
    "markdown",
    *METADATA,
)

DEFAULT_FIELDS = {name: name for name in ("title", "main_text", "qa_pairs", "sections", "page_kind")}
DEFAULT_EXTRACTOR = "scrapy_semtext.extractor.Extractor"
DEFAULT_MAX_BODY = 5 * 2**20


@dataclass(frozen=True, slots=True)
class SemtextSettings:
    """The settings of one crawl; docs/settings.md describes each.

    The attribute ``batch_size`` is the setting ``SEMTEXT_BATCH_SIZE``, and so on. ``max_body`` counts bytes,
    ``batch_wait`` seconds, ``site_templates_size`` blocks of a site.
    """

    fields: Mapping[str, str]
    options: Mapping[str, Any]
    extractor: str | type
    bundle: str | None = None
    vectors: str | None = None
    labeller: LabelerName = "semtext"
    device: str = "auto"
    batch_size: int = 16
    batch_wait: float = 0.01
    processes: int = 0
    max_body: int = DEFAULT_MAX_BODY
    measure_stall: bool = False
    site_templates: bool = False
    site_templates_size: int = SIZE
    site_templates_sites: int = SITES
    site_templates_by: SiteKind = "host"
    metadata: bool = False
    drop_overview: bool = False

    @classmethod
    def read(cls, settings: BaseSettings) -> SemtextSettings:
        """Read the settings of a crawl; raise SettingsError for a value that cannot be used."""
        read = cls(
            fields=cls.fields_of(settings),
            options=read_dict(settings, "SEMTEXT_OPTIONS", {}),
            extractor=settings.get("SEMTEXT_EXTRACTOR") or DEFAULT_EXTRACTOR,
            bundle=read_path(settings, "SEMTEXT_BUNDLE"),
            vectors=read_path(settings, "SEMTEXT_VECTORS"),
            labeller=read_choice(settings, "SEMTEXT_LABELLER", LABELLERS),
            device=str(settings.get("SEMTEXT_DEVICE") or "auto"),
            batch_size=read_number(settings, "SEMTEXT_BATCH_SIZE", 16, int, least=1),
            batch_wait=read_number(settings, "SEMTEXT_BATCH_WAIT", 0.01, float, least=0.0),
            processes=read_number(settings, "SEMTEXT_PROCESSES", 0, int, least=0),
            max_body=read_number(settings, "SEMTEXT_MAX_BODY", DEFAULT_MAX_BODY, int, least=1),
            measure_stall=read_bool(settings, "SEMTEXT_MEASURE_STALL"),
            site_templates=read_bool(settings, "SEMTEXT_SITE_TEMPLATES"),
            site_templates_size=read_number(settings, "SEMTEXT_SITE_TEMPLATES_SIZE", SIZE, int, least=LEAST_SIZE),
            site_templates_sites=read_number(settings, "SEMTEXT_SITE_TEMPLATES_SITES", SITES, int, least=1),
            site_templates_by=read_choice(settings, "SEMTEXT_SITE_TEMPLATES_BY", SITE_KINDS),
            metadata=read_bool(settings, "SEMTEXT_METADATA"),
            drop_overview=read_bool(settings, "SEMTEXT_DROP_OVERVIEW"),
        )
        if read.processes and read.site_templates:
            raise SettingsError(
                f"SEMTEXT_SITE_TEMPLATES is on and SEMTEXT_PROCESSES is {read.processes}, which do not go together:"
                " processes cannot share what is learnt from page to page; switch one of them off"
            )
        return read

    @staticmethod
    def fields_of(settings: BaseSettings) -> dict[str, str]:
        """Read which result goes into which field; raise SettingsError where that cannot be."""
        default = dict(DEFAULT_FIELDS)
        if read_bool(settings, "SEMTEXT_METADATA"):
            default |= {name: name for name in METADATA}
        return read_fields(settings, "SEMTEXT_FIELDS", default, RESULTS)


def is_enabled(settings: BaseSettings) -> bool:
    """Return whether SEMTEXT_ENABLED is on; raise SettingsError where it is neither true nor false."""
    return read_bool(settings, "SEMTEXT_ENABLED")


def require_enabled(settings: BaseSettings) -> None:
    """Raise NotConfigured, which makes Scrapy go on without the component, unless SEMTEXT_ENABLED is on."""
    if not is_enabled(settings):
        raise NotConfigured("SEMTEXT_ENABLED is not True")


def warn_of_unknown_names(settings: BaseSettings) -> None:
    """Log each SEMTEXT_* name that there is not; it is no more than a warning, since it may be a project's own."""
    known = {"SEMTEXT_ENABLED", *QA_SETTINGS, *(f"SEMTEXT_{field.name.upper()}" for field in fields(SemtextSettings))}
    for name in settings:
        if isinstance(name, str) and name.startswith("SEMTEXT_") and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            logger.warning("scrapy-semtext knows no setting %s%s", name, hint)
