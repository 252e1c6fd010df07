"""The SEMTEXT_* settings, read once into one typed value and checked with messages for people."""

from __future__ import annotations

import difflib
import logging
import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

#: What of a page can be put into an item: the names that SEMTEXT_FIELDS maps to field names.
RESULTS = ("url", "title", "main_text", "qa_pairs", "sections", "page_kind", "blocks", "segments")

DEFAULT_FIELDS = {name: name for name in ("title", "main_text", "qa_pairs", "sections", "page_kind")}
DEFAULT_EXTRACTOR = "scrapy_semtext.extractor.Extractor"
DEFAULT_MAX_BODY = 5 * 2**20


class SettingsError(ValueError):
    """A SEMTEXT_* setting has a value that cannot be used; the message says which, and what would do."""


@dataclass(frozen=True, slots=True)
class SemtextSettings:
    """The settings of one crawl; docs/settings.md describes each.

    The attribute ``batch_size`` is the setting ``SEMTEXT_BATCH_SIZE``, and so on. ``max_body`` counts bytes,
    ``batch_wait`` seconds.
    """

    fields: Mapping[str, str]
    options: Mapping[str, Any]
    extractor: str | type
    bundle: str | None = None
    vectors: str | None = None
    device: str = "auto"
    batch_size: int = 16
    batch_wait: float = 0.01
    max_body: int = DEFAULT_MAX_BODY
    measure_stall: bool = False

    @classmethod
    def read(cls, settings: BaseSettings) -> SemtextSettings:
        """Read the settings of a crawl.

        Raises SettingsError for a value that cannot be used. A SEMTEXT_* name that does not exist is only warned
        about, since it may be a project's own.
        """
        _warn_of_unknown_names(settings)
        return cls(
            fields=_fields(settings),
            options=_dict(settings, "SEMTEXT_OPTIONS", {}),
            extractor=settings.get("SEMTEXT_EXTRACTOR") or DEFAULT_EXTRACTOR,
            bundle=_path(settings, "SEMTEXT_BUNDLE"),
            vectors=_path(settings, "SEMTEXT_VECTORS"),
            device=str(settings.get("SEMTEXT_DEVICE") or "auto"),
            batch_size=_number(settings, "SEMTEXT_BATCH_SIZE", 16, int, least=1),
            batch_wait=_number(settings, "SEMTEXT_BATCH_WAIT", 0.01, float, least=0.0),
            max_body=_number(settings, "SEMTEXT_MAX_BODY", DEFAULT_MAX_BODY, int, least=1),
            measure_stall=_bool(settings, "SEMTEXT_MEASURE_STALL"),
        )


def is_enabled(settings: BaseSettings) -> bool:
    """Return whether SEMTEXT_ENABLED is on; raise SettingsError where it is neither true nor false."""
    return _bool(settings, "SEMTEXT_ENABLED")


def require_enabled(settings: BaseSettings) -> None:
    """Raise NotConfigured, which makes Scrapy go on without the component, unless SEMTEXT_ENABLED is on."""
    if not is_enabled(settings):
        raise NotConfigured("SEMTEXT_ENABLED is not True")


def _warn_of_unknown_names(settings: BaseSettings) -> None:
    known = {"SEMTEXT_ENABLED", *(f"SEMTEXT_{field.name.upper()}" for field in fields(SemtextSettings))}
    for name in settings:
        if isinstance(name, str) and name.startswith("SEMTEXT_") and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            logger.warning("scrapy-semtext knows no setting %s%s", name, hint)


def _bool(settings: BaseSettings, name: str) -> bool:
    if settings.get(name) is None:
        return False
    try:
        return settings.getbool(name)
    except (TypeError, ValueError):
        raise SettingsError(f"{name} is {settings.get(name)!r}; it has to be True or False") from None


def _number(settings: BaseSettings, name: str, default: _T, kind: Callable[[Any], _T], *, least: _T) -> _T:
    value = settings.get(name)
    if value is None:
        return default
    try:
        number = kind(value)
        fits = math.isfinite(float(value)) and float(value) == number and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or number < least:  # type: ignore[operator]
        what = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{name} is {value!r}; it has to be {what} of at least {least}")
    return number


def _path(settings: BaseSettings, name: str) -> str | None:
    value = settings.get(name)
    return str(value) if value else None


def _dict(settings: BaseSettings, name: str, default: dict[str, Any]) -> dict[str, Any]:
    if settings.get(name) is None:
        return default
    try:
        return settings.getdict(name)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} is {settings.get(name)!r}; it has to be a dict, or a dict written as JSON"
        ) from None


def _fields(settings: BaseSettings) -> dict[str, str]:
    """Return SEMTEXT_FIELDS without the results that are mapped to None."""
    mapping = {
        key: value for key, value in _dict(settings, "SEMTEXT_FIELDS", DEFAULT_FIELDS).items() if value is not None
    }
    for result, field in mapping.items():
        if result not in RESULTS:
            raise SettingsError(f"SEMTEXT_FIELDS maps {result!r}, which is no result; there are {', '.join(RESULTS)}")
        if not isinstance(field, str) or not field:
            raise SettingsError(f"SEMTEXT_FIELDS maps {result!r} to {field!r}; it has to be the name of a field")
    if len(set(mapping.values())) < len(mapping):
        raise SettingsError(f"SEMTEXT_FIELDS maps two results to one field: {mapping!r}")
    return mapping
