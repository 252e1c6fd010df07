"""The extractor's options, from the settings and from the meta of requests."""

from __future__ import annotations

import difflib
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.extractor import Options, require_extras
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.results import OF_OPTIONS
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request

    from scrapy_semtext.integration.settings import SemtextSettings


def default_options(settings: SemtextSettings) -> Options:
    """Return the options that the settings ask for; raise SettingsError for invalid ones.

    Those of OF_OPTIONS follow the fields, unless SEMTEXT_OPTIONS sets them.
    """
    asked: dict[str, Any] = {
        option: not settings.fields.keys().isdisjoint(names) for option, names in OF_OPTIONS.items()
    }
    try:
        return override_options(Options(**asked), settings.options)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"SEMTEXT_OPTIONS is {settings.options!r}: {error}") from error


def override_options(options: Options, overrides: Mapping[str, Any]) -> Options:
    """Return options with some replaced; raise TypeError or ValueError for an invalid name or value."""
    if not isinstance(overrides, dict):
        raise TypeError(f"it has to be True, False or a dict of options, not {overrides!r}")
    known = [option.name for option in fields(options)]
    for name in overrides:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(known)}"
            raise ValueError(f"there is no option {name!r}; {hint}")
    return replace(options, **overrides)


def request_options(options: Options, overrides: Mapping[str, Any]) -> Options:
    """Return options with some replaced by ``meta["semtext"]`` of a request.

    Raises TypeError or ValueError for an invalid name or value, MissingExtraError for an extra that is not installed.
    """
    changed = override_options(options, overrides)
    require_extras(changed)
    return changed


def drops_overview(options: Options, request: Request | None) -> bool:
    """Return whether items of a request are dropped if their page is an overview, by its meta or else by ``options``.

    Invalid meta is ignored; it was counted and logged when the page was read.
    """
    overrides = None if request is None else request.meta.get("semtext")
    if overrides in (None, True, False):
        return options.drop_overview
    try:
        return request_options(options, overrides).drop_overview
    except (TypeError, ValueError, MissingExtraError):
        return options.drop_overview
