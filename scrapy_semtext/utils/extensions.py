"""The compiled extensions: which there are, and where Python stands in for one.

Each is compiled beside the Python module that it serves when the package is installed. Python does the same work, more
slowly and with the same result but for the last digits, where no C compiler was at hand and where the environment
variable SEMTEXT_COMPILED is 0. This is the one place that decides; a module that is not used is None here.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

#: The extension modules, by the names that they have here.
EXTENSIONS = {
    "kernels": "scrapy_semtext.inference._kernels",
    "network": "scrapy_semtext.inference._network",
    "strings": "scrapy_semtext.inference._strings",
    "texts": "scrapy_semtext.text._texts",
    "walk": "scrapy_semtext.dom._walk",
}


def _load(name: str) -> ModuleType | None:
    """Return an extension, or None if it was not compiled or is not wanted.

    Raises ImportError for one that is there and broken. An extension that was compiled for another binary interface of
    lxml gives a warning and None.
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
            f"{path} was compiled for another version of lxml, so slower Python stands in for it ({error}); "
            "install scrapy-semtext again to compile it for this one",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


kernels: Any = _load("kernels")
network: Any = _load("network")
strings: Any = _load("strings")
texts: Any = _load("texts")
walk: Any = _load("walk")


def missing_extensions() -> list[str]:
    """Return the names of the extensions that Python stands in for in this process."""
    return [name for name in EXTENSIONS if globals()[name] is None]
