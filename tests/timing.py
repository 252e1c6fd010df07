"""CPU time of a call, and its growth with the input."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from scrapy_semtext.utils.process_tuning import gc_paused

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


def cpu_seconds(function: Callable[[_T], object], argument: _T) -> float:
    """Return the CPU time of one call without GC, which is disabled while a batch is processed."""
    with gc_paused():
        start = time.process_time()
        function(argument)
        return time.process_time() - start


def growth(function: Callable[[_T], object], small: Callable[[], _T], large: Callable[[], _T]) -> float:
    """Return the ratio of the CPU times for the large and the small input, each the best of several calls.

    ``small`` and ``large`` create the inputs, a new one for each call. Times under 2 ms count as 2 ms.
    """
    cpu_seconds(function, small())  # loads and caches what is needed once
    base = min(cpu_seconds(function, small()) for _ in range(4))
    return min(cpu_seconds(function, large()) for _ in range(2)) / max(base, 0.002)
