"""What is compiled to machine code when the package is installed, or None where it could not be.

It stands in for functions in Python, which say what is computed and do the work where no C compiler was at hand, or
where the environment variable SEMTEXT_COMPILED is 0: more slowly, with the same result but for the last digits.
"""

from __future__ import annotations

import os
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


kernels: Any = _compiled("kernels")
lines: Any = _compiled("lines")
