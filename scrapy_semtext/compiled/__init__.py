"""What is compiled to machine code when the package is installed; a module that could not be is None.

They stand in for functions in Python, which say what is computed and do the work where no C compiler was at hand, or
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


answers: Any = _compiled("answers")
elements: Any = _compiled("elements")
kernels: Any = _compiled("kernels")
kinds: Any = _compiled("kinds")
layout: Any = _compiled("layout")
lines: Any = _compiled("lines")
network: Any = _compiled("network")
nodes: Any = _compiled("nodes")
posts: Any = _compiled("posts")
runs: Any = _compiled("runs")
signatures: Any = _compiled("signatures")
strings: Any = _compiled("strings")
tables: Any = _compiled("tables")
texts: Any = _compiled("texts")
walk: Any = _compiled("walk")

#: The modules there are, compiled or not.
NAMES = (
    *("answers", "elements", "kernels", "kinds", "layout", "lines", "network", "nodes"),
    *("posts", "runs", "signatures", "strings", "tables", "texts", "walk"),
)


def left_out() -> list[str]:
    """The modules that Python stands in for in this process."""
    return [name for name in NAMES if globals()[name] is None]
