"""Settings of the garbage collector, of thread switching and of malloc that suit crawls in which pages are read."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Switch interval of Python's threads in seconds. With the default of 5 ms the event loop waits so long for the GIL,
#: while another thread reads pages, after each system call: once for each chunk of each response.
_SWITCH_INTERVAL = 0.0005

#: Parameters of glibc's mallopt in bytes: how much free memory at the end of the heap is returned to the system, and
#: the size from which an array gets a mapping of its own.
_MALLOC_OPTIONS = ((-1, 2 << 20), (-3, 2 << 20))  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_USER_VARIABLES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


@cache
def freeze_gc() -> None:
    """Exclude all objects that exist now, such as models and libraries, from garbage collection, once a process.

    They live as long as the process. Each full collection would traverse them, and holds the GIL meanwhile, so that the
    event loop is blocked whichever thread collects.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable GC while a batch of pages is processed, in all threads.

    Processing creates many small objects that live until the page is done, hardly any of them in cycles. Traversing
    them repeatedly takes half of the segmentation time of a page of 20 MB. GC runs between batches, since the crawl
    has garbage of its own and batches may follow each other without a pause.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def set_switch_interval() -> None:
    """Set the switch interval of this process to half a millisecond, unless it is shorter already."""
    sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_INTERVAL))


def trim_malloc() -> bool:
    """Make glibc return free memory to the system; return whether that was done.

    By default both thresholds grow with the largest array that was freed, and up to 64 MB are kept for the next batch
    (mallopt(3)). Nothing is done if the user has set one of glibc's malloc variables in the environment, or with
    another C library.
    """
    if platform.libc_ver()[0] != "glibc" or any(name in os.environ for name in _USER_VARIABLES):
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all(mallopt(parameter, value) for parameter, value in _MALLOC_OPTIONS)
