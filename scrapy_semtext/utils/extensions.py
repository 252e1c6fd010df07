"""Loads the compiled extensions, or None where their Python fallback is used.

Each extension is compiled, when the package is installed, next to the Python module that it accelerates. Without a C
compiler, or if the environment variable SEMTEXT_COMPILED is 0, that module does the work itself, more slowly, with the
same result up to rounding.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

#: The extension modules by the name of the variable below.
EXTENSIONS = {
    "network": "scrapy_semtext.models._network",
    "quickscorer": "scrapy_semtext.models._quickscorer",
    "walk": "scrapy_semtext.tree._walk",
}


def _load(name: str) -> ModuleType | None:
    """Return an extension, or None if it is not compiled or SEMTEXT_COMPILED is 0.

    Raises ImportError if it is broken. An extension compiled for an lxml version with another binary interface is not
    used, and a warning is issued.
    """
    if os.environ.get("SEMTEXT_COMPILED") == "0":
        return None
    path = EXTENSIONS[name]
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        return None
    except (ImportError, TypeError, ValueError) as error:
        if name != "walk":  # the only one that uses lxml's C interface
            raise
        warnings.warn(
            f"{path} was compiled for another version of lxml, so the slower Python fallback is used ({error}); "
            "install scrapy-semtext again to compile it for this one",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


network: Any = _load("network")
quickscorer: Any = _load("quickscorer")
walk: Any = _load("walk")


def missing_extensions() -> list[str]:
    """Return the names of the extensions for which this process uses the Python fallback."""
    return [name for name in EXTENSIONS if globals()[name] is None]


def extensions_note() -> str:
    """Return a line on whether this process uses compiled extensions and, if not, the cost and the solution."""
    missing = missing_extensions()
    if not missing:
        return "compiled extensions"
    if os.environ.get("SEMTEXT_COMPILED") == "0":
        return "extensions switched off by SEMTEXT_COMPILED=0 (pages take 2 to 3 times as long)"
    return (
        f"extensions not compiled: {', '.join(missing)} (pages take up to 3 times as long; reinstall scrapy-semtext"
        " where there is a C compiler)"
    )
