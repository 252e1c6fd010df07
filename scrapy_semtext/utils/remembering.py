"""A cache for functions of short texts, limited in the number and in the length of texts.

Texts of pages, such as class names, may have megabytes. ``functools.lru_cache`` only limits their number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

#: Longer texts, in characters, are not cached.
LONGEST = 1_000


def remembered(most: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Decorate a function of one text: its results for the last ``most`` texts of at most LONGEST are cached."""

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        kept = lru_cache(maxsize=most)(function)

        @wraps(function)
        def read(text: str) -> T:
            return kept(text) if len(text) <= LONGEST else function(text)

        return read

    return decorate
