"""A cache for functions of short texts, limited in the number and in the length of texts.

Texts of pages, such as class names, may have megabytes; ``functools.lru_cache`` only limits their number, and takes
longer to look up one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Longer texts, in characters, are not cached.
LONGEST = 1_000


def remembered(most: int, longest: int = LONGEST) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Decorate a function of one text: its results for texts of at most ``longest`` characters are cached.

    With ``most`` results, the cache is emptied before the next.
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        return _Remembered(function, most, longest).__getitem__

    return decorate


class _Remembered(dict[str, T]):
    """The results of a function by text."""

    def __init__(self, function: Callable[[str], T], most: int, longest: int) -> None:
        super().__init__()
        self._function, self._most, self._longest = function, most, longest

    def __missing__(self, text: str) -> T:
        found = self._function(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = found
        return found
