"""Libraries that only some crawls need, loaded when they are."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


class MissingExtraError(ImportError):
    """A library of one of the package's extras is not installed; the message says which extra."""


def load_extra(module: str, extra: str) -> Any:
    """Return a module that an extra of this package installs; raise MissingExtraError where it is not there."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(_missing(module, extra)) from error


def require_extra(module: str, extra: str) -> None:
    """Raise MissingExtraError where a top-level module that an extra installs is not there; does not load it."""
    if find_spec(module) is None:
        raise MissingExtraError(_missing(module, extra))


def _missing(module: str, extra: str) -> str:
    return f"{module.partition('.')[0]} is not installed: pip install 'scrapy-semtext[{extra}]'"
