"""Readers for single settings, whose errors state the problem and the valid values; they load no models."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, fields
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from scrapy_semtext.utils import UserError, hint_for

logger = logging.getLogger(__name__)


_T = TypeVar("_T")


class SettingsError(UserError, ValueError):
    """A SEMTEXT_* setting has an invalid value; the message names the setting and the valid values."""


def _in_a_line(record: logging.LogRecord) -> bool:
    """Log an error of this package that stops a crawl at its start, and that users can fix, without its traceback."""
    error = record.exc_info[1] if record.exc_info else None
    if type(error).__module__.startswith("scrapy_semtext."):
        record.msg, record.args, record.exc_info = f"The crawl has not started: {error}", (), None
    return True


def log_errors_in_a_line() -> None:
    """Log errors of settings and bundles on one line where Scrapy leaves them to asyncio or Twisted."""
    for name in ("asyncio", "twisted"):
        logging.getLogger(name).addFilter(_in_a_line)


def read_bool(settings: BaseSettings, name: str, *, default: bool = False) -> bool:
    """Return a boolean setting; raise SettingsError for other values."""
    if settings.get(name) is None:
        return default
    try:
        return settings.getbool(name)
    except (TypeError, ValueError):
        raise SettingsError(f"{name} is {settings.get(name)!r}; it has to be True or False") from None


def read_number(settings: BaseSettings, name: str, default: _T, kind: Callable[[Any], _T], *, least: _T) -> _T:
    """Return a number of type ``kind``, int or float; raise SettingsError if invalid or below ``least``."""
    value = settings.get(name)
    if value is None:
        return default
    try:
        number = kind(value)
        is_valid = math.isfinite(float(value)) and float(value) == number and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        is_valid = False
    if not is_valid or number < least:  # type: ignore[operator]
        what = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{name} is {value!r}; it has to be {what} of at least {least}")
    return number


def read_text(settings: BaseSettings, name: str, default: str | None = None) -> str | None:
    """Return a text, such as a path, or the default for an empty one."""
    value = settings.get(name)
    return str(value) if value else default


def read_dict(settings: BaseSettings, name: str, default: dict[str, Any]) -> dict[str, Any]:
    """Return a dict, which may be written as JSON; raise SettingsError for other values."""
    if settings.get(name) is None:
        return default
    try:
        return settings.getdict(name)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} is {settings.get(name)!r}; it has to be a dict, or a dict written as JSON"
        ) from None


def setting(default: Any, read: Callable[..., Any], **bounds: Any) -> Any:
    """Return a dataclass field for the value that ``read(settings, name, default, **bounds)`` returns of a setting."""
    return field(default=default, metadata={"read": partial(read, default=default, **bounds)})


def values_of(kind: Any, settings: BaseSettings, name_of: Callable[[str], str]) -> dict[str, Any]:
    """Read the fields of a dataclass that are declared by `setting`; ``name_of`` gives the setting of a field."""
    return {each.name: each.metadata["read"](settings, name_of(each.name)) for each in fields(kind) if each.metadata}


def read_group(settings: BaseSettings, name: str, keys: Sequence[str]) -> BaseSettings:
    """Return the values of a dict setting as settings, named as by `key_name`; raise SettingsError for unknown keys."""
    values = read_dict(settings, name, {})
    for key in values:
        if key not in keys:
            raise SettingsError(f"{name} has no key {key!r}; {hint_for(key, keys, 'keys')}")
    return BaseSettings({key_name(name, key): value for key, value in values.items()})


def key_name(name: str, key: str) -> str:
    """Return the name of a dict setting's key in messages."""
    return f'{name}["{key}"]'


def named_fields(
    settings: BaseSettings, name: str, groups: Mapping[str, Iterable[str]] = MappingProxyType({})
) -> tuple[dict[str, str | None], bool]:
    """Return the results that a setting maps to fields, and whether it adds them to the default.

    The setting is a dict, or a list of results that go to fields of the same name, where a group name represents all
    its results; on the command line it is JSON, or names separated by commas. A "+" before a name adds all of them to
    the default. Raises SettingsError for other values.
    """
    value = settings.get(name)
    if value is None:
        return {}, True
    if (given := _listed(value)) is not None:
        names = [each.removeprefix("+") for each in given]
        stated: dict[str, str | None] = {one: one for each in names for one in groups.get(each, (each,))}
        return stated, any(each.startswith("+") for each in given)
    try:
        mapped = settings.getdict(name)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} is {value!r}; it has to be a dict or a list of results, which may be written as JSON"
        ) from None
    return {each.removeprefix("+"): to for each, to in mapped.items()}, any(each.startswith("+") for each in mapped)


def _listed(value: Any) -> list[str] | None:
    """Return the names in a list, which may be JSON or separated by commas; None for other values."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):
            value = json.loads(value)
    elif isinstance(value, str) and not value.lstrip().startswith("{"):
        value = value.split(",")
    return [str(each).strip() for each in value] if isinstance(value, list | tuple) else None


def read_fields(
    settings: BaseSettings,
    name: str,
    default: Sequence[str],
    results: Sequence[str],
    groups: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> dict[str, str]:
    """Return a map of results to fields of items, without the results that are mapped to None.

    ``default`` are results that go to fields of the same names, see `named_fields`. Raises SettingsError for an unknown
    result, and for two results in one field.
    """
    named, adds = named_fields(settings, name, groups)
    mapping = {**dict(zip(default, default, strict=True) if adds else ()), **named}
    fields = {result: field for result, field in mapping.items() if field is not None}
    for result, field_name in fields.items():
        if result not in results:
            raise SettingsError(f"{name} maps {result!r}, which is not a result; the results are {', '.join(results)}")
        if not isinstance(field_name, str) or not field_name:
            raise SettingsError(f"{name} maps {result!r} to {field_name!r}; it has to be the name of a field")
    if len(set(fields.values())) < len(fields):
        raise SettingsError(f"{name} maps two results to one field: {fields!r}")
    return fields


def is_enabled(settings: BaseSettings) -> bool:
    """Return whether SEMTEXT_ENABLED is on; raise SettingsError if it is neither true nor false."""
    return read_bool(settings, "SEMTEXT_ENABLED")


def is_log_short(settings: BaseSettings) -> bool:
    """Return whether long texts of items are cut in the log; raise SettingsError for an invalid value."""
    return read_bool(settings, "SEMTEXT_SHORT_LOG", default=True)


def require_enabled(settings: BaseSettings) -> None:
    """Raise NotConfigured, which makes Scrapy disable the component, unless SEMTEXT_ENABLED is on."""
    log_errors_in_a_line()
    if not is_enabled(settings):
        raise NotConfigured("SEMTEXT_ENABLED is not True")
