"""Optional dependencies, imported on first use."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from scrapy_semtext.utils import UserError


class MissingExtraError(UserError, ImportError):
    """A library of one of the package's extras is not installed; the message says which extra."""


def load_extra(module: str, extra: str) -> Any:
    """Import a module of one of this package's extras. Raises MissingExtraError if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(_missing(module, extra)) from error


def require_extra(module: str, extra: str) -> None:
    """Raise MissingExtraError if a top-level module of an extra is not installed, without importing it."""
    if find_spec(module) is None:
        raise MissingExtraError(_missing(module, extra))


def _missing(module: str, extra: str) -> str:
    return f"{module.partition('.')[0]} is not installed: pip install 'scrapy-semtext[{extra}]'"
