"""Single settings, read with messages for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.settings import BaseSettings

_T = TypeVar("_T")


class SettingsError(ValueError):
    """A SEMTEXT_* setting has a value that cannot be used; the message says which, and what would do."""


def read_bool(settings: BaseSettings, name: str) -> bool:
    """Return a switch, off where it is not set; raise SettingsError for what is neither true nor false."""
    if settings.get(name) is None:
        return False
    try:
        return settings.getbool(name)
    except (TypeError, ValueError):
        raise SettingsError(f"{name} is {settings.get(name)!r}; it has to be True or False") from None


def read_number(settings: BaseSettings, name: str, default: _T, kind: Callable[[Any], _T], *, least: _T) -> _T:
    """Return a number of a kind, int or float; raise SettingsError for what is none, or too small."""
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


def read_path(settings: BaseSettings, name: str) -> str | None:
    """Return a path, or None where none is set."""
    value = settings.get(name)
    return str(value) if value else None


def read_choice(settings: BaseSettings, name: str, choices: Sequence[_T]) -> _T:
    """Return one of the choices, the first where none is set; raise SettingsError for anything else."""
    value = settings.get(name)
    if value is None:
        return choices[0]
    if value not in choices:
        raise SettingsError(f"{name} is {value!r}; it has to be one of {', '.join(map(str, choices))}")
    return choices[choices.index(value)]


def read_dict(settings: BaseSettings, name: str, default: dict[str, Any]) -> dict[str, Any]:
    """Return a dict, which may be written as JSON; raise SettingsError for what is none."""
    if settings.get(name) is None:
        return default
    try:
        return settings.getdict(name)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} is {settings.get(name)!r}; it has to be a dict, or a dict written as JSON"
        ) from None


def read_fields(settings: BaseSettings, name: str, default: dict[str, str], results: Sequence[str]) -> dict[str, str]:
    """Return which result goes into which field, without the results that are mapped to None.

    Raises SettingsError for a result that there is not, and for two results in one field.
    """
    mapping = {key: value for key, value in read_dict(settings, name, default).items() if value is not None}
    for result, field in mapping.items():
        if result not in results:
            raise SettingsError(f"{name} maps {result!r}, which is no result; there are {', '.join(results)}")
        if not isinstance(field, str) or not field:
            raise SettingsError(f"{name} maps {result!r} to {field!r}; it has to be the name of a field")
    if len(set(mapping.values())) < len(mapping):
        raise SettingsError(f"{name} maps two results to one field: {mapping!r}")
    return mapping
