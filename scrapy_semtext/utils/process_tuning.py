"""Settings of the Python process that make extraction cheaper: garbage collection, thread switches, memory.

They apply to the whole process. The environment variable ``SEMTEXT_PROCESS_TUNING=0`` turns all of them off, in a crawl
and elsewhere; the Scrapy setting of the same name does so for a crawl and its worker processes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

#: How long, in seconds, a thread may run while another one waits. Python's default is 5 ms. While a thread processes
#: pages, the event loop waits this long after each system call, and there are several per response.
_SWITCH_INTERVAL = 0.0005

#: Parameters of mallopt, by their codes in <malloc.h>, in bytes: how much free memory glibc keeps at the end of the
#: heap, and the size from which it allocates with mmap.
_MALLOC_LIMITS = ((-1, 2 << 20), (-3, 2 << 20))  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_USER_LIMITS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")

_enabled = True


def enable_tuning(enabled: bool) -> None:
    """Enable or disable the functions of this module for the process. Changes already made are kept."""
    global _enabled  # noqa: PLW0603  process-wide, like everything it controls
    _enabled = enabled


def tuning_enabled() -> bool:
    """Return whether the functions of this module are enabled."""
    return _enabled and os.environ.get("SEMTEXT_PROCESS_TUNING") != "0"


def freeze_gc() -> None:
    """Exclude everything loaded so far (the model and libraries) from garbage collection, once per process.

    These objects live as long as the process. A collection that traverses them takes longer, and blocks the event loop
    whichever thread triggers it.
    """
    if tuning_enabled():
        _freeze_gc_once()


@cache
def _freeze_gc_once() -> None:
    gc.collect()
    gc.freeze()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable garbage collection, in all threads, while a batch of pages is processed.

    Extraction creates many small objects that live until the page is finished, hardly any of them in cycles.
    Collections would traverse them repeatedly: on a page of 20 MB this takes half of the time of segmentation. Garbage
    of the crawl is collected between batches.
    """
    if not gc.isenabled() or not tuning_enabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def set_switch_interval() -> None:
    """Lower the interpreter's thread switch interval to 0.5 ms, unless it is shorter already."""
    if tuning_enabled():
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_INTERVAL))


def trim_malloc() -> bool:
    """Make glibc return free memory to the system; return whether this was possible.

    By default glibc raises both limits with the largest block that was ever freed, and keeps up to 64 MB (mallopt(3)).
    Limits that the user has set in the environment are kept. Does nothing with other C libraries.
    """
    if not _may_tune_malloc():
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all(mallopt(parameter, value) for parameter, value in _MALLOC_LIMITS)


def release_free_memory() -> bool:
    """Make glibc return free memory between used memory, which large pages leave; return whether this was possible.

    This takes milliseconds. `trim_malloc` is about free memory at the end of the heap.
    """
    return _may_tune_malloc() and bool(ctypes.CDLL(None).malloc_trim(0))


def _may_tune_malloc() -> bool:
    is_set = any(name in os.environ for name in _USER_LIMITS)
    return tuning_enabled() and not is_set and platform.libc_ver()[0] == "glibc"
