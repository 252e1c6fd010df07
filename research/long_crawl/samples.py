"""What a crawl needs at a moment, as Linux tells it, and what of that grows."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MB = 1_000_000

#: Pages after which nothing may grow any more.
WARM_UP = 2_000


@dataclass(slots=True)
class Sample:
    """The state of a crawl: memory in MB; ``rate`` (items a second) and ``stall_p99_ms`` since the sample before."""

    seconds: float
    items: int
    memory: float
    worker_memory: float  # of all workers
    workers: int
    descriptors: int
    threads: int
    rate: float
    stall_p99_ms: float


def memory(pid: int | str = "self") -> float:
    """The resident memory of a process in MB; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE / _MB
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def children(besides: Collection[int]) -> list[int]:
    """The processes that this one has started, except for some."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return [pid for pid in found if pid not in besides]


def descriptors() -> int:
    """The number of open file descriptors."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def threads() -> int:
    """The number of running threads that Python knows."""
    return threading.active_count()


def growth(samples: Sequence[Sample], name: str, parts: int = 10) -> list[float]:
    """Means of a value over equal parts of the crawl after its first 2,000 pages."""
    values = [getattr(sample, name) for sample in samples if sample.items >= WARM_UP]
    parts = min(parts, len(values))
    return [mean(values[len(values) * part // parts : len(values) * (part + 1) // parts]) for part in range(parts)]
