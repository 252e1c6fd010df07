"""A cache of what a function makes of short texts: bounded in their number and in their length.

Texts of pages, such as class names, may have megabytes. ``functools.lru_cache`` bounds only how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

#: Longer texts, in characters, are read each time.
LONGEST = 1_000


def remembered(most: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Decorate a function of one text: what it returned for the last ``most`` texts of at most LONGEST is kept."""

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        kept = lru_cache(maxsize=most)(function)

        @wraps(function)
        def read(text: str) -> T:
            return kept(text) if len(text) <= LONGEST else function(text)

        return read

    return decorate
