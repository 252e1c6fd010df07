"""What is compiled to machine code when the package is installed; a module that could not be is None.

They stand in for functions in Python, which say what is computed and do the work where no C compiler was at hand, or
where the environment variable SEMTEXT_COMPILED is 0: more slowly, with the same result but for the last digits.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType


def _compiled(name: str) -> ModuleType | None:
    """The module, or None if it was not compiled or is not wanted. One that is there and broken raises ImportError."""
    if os.environ.get("SEMTEXT_COMPILED") == "0":
        return None
    path = f"{__name__}.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        return None


def _of_lxml(name: str) -> ModuleType | None:
    """A module that uses lxml's binary interface: None, with a warning, where the lxml at hand has another one."""
    try:
        return _compiled(name)
    except (ImportError, TypeError, ValueError) as error:
        warnings.warn(
            f"{__name__}.{name} was compiled for another version of lxml, so slower Python stands in for it ({error}); "
            "install scrapy-semtext again to compile it for this one",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


kernels: Any = _compiled("kernels")
network: Any = _compiled("network")
strings: Any = _compiled("strings")
texts: Any = _compiled("texts")
walk: Any = _of_lxml("walk")

#: The modules there are, compiled or not.
NAMES = ("kernels", "network", "strings", "texts", "walk")


def left_out() -> list[str]:
    """The modules that Python stands in for in this process."""
    return [name for name in NAMES if globals()[name] is None]
