"""The peak memory of a process. A module of its own, so that what is measured loads nothing else."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path


def peak_memory() -> int | None:
    """The peak memory of this process in bytes; None where it is unknown (Windows)."""
    # On Linux, ru_maxrss includes the memory of the parent process at the time of the fork.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return _max_rss("RUSAGE_SELF")


def peak_memory_of_children() -> int | None:
    """The largest peak memory of the ended child processes in bytes; 0 if there was none, None where it is unknown."""
    return _max_rss("RUSAGE_CHILDREN")


def _max_rss(who: str) -> int | None:
    try:
        import resource
    except ModuleNotFoundError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(int(getattr(resource, who))).ru_maxrss * unit
