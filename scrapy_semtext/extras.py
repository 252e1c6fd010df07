"""Libraries that only some crawls need, loaded when they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A library of one of the package's extras is not installed; the message says which extra."""


def load_extra(module: str, extra: str) -> Any:
    """Return a module that an extra of this package installs; raise MissingExtraError where it is not there."""
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingExtraError(f"{library} is not installed: pip install 'scrapy-semtext[{extra}]'") from error
