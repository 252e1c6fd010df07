"""What reading pages, and a crawl in whose process they are read, ask of Python's interpreter."""

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

#: How long, in seconds, a thread of Python may go on while another one waits. The default is 5 ms, and the event loop
#: has to wait so long behind a thread that reads a page whenever it has asked the system for anything: once for each
#: part of each response.
_TURN = 0.0005

#: Free memory at the end of the heap, in bytes, from which on glibc gives it back to the system, and the size from
#: which on it asks the system for each array by itself; with their codes in <malloc.h>.
_GIVE_BACK = ((-1, 2 << 20), (-3, 2 << 20))  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_OF_USERS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


@cache
def freeze_gc() -> None:
    """Tell the garbage collector, once a process, not to look through what is loaded by now, the model and libraries.

    Otherwise it would do so again and again, and whoever collects keeps the event loop from turning, in whatever thread
    it is. What is loaded by now would live on anyway.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keep the garbage collector from running while a batch of pages is read, in this thread or another.

    Reading makes many small objects that live until the page is read, hardly any of them in cycles. The collector would
    go through all that there are again and again, which on a page of 20 MB is half of the time that segmenting takes.
    It runs between the batches: a crawl has garbage of its own, and pages may be read without a pause.
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
    """Have the threads of this process take turns of half a millisecond, or shorter ones if they do already."""
    sys.setswitchinterval(min(sys.getswitchinterval(), _TURN))


def trim_malloc() -> bool:
    """Tell glibc to give memory that is free back to the system; return whether that was done.

    By itself it lets both limits grow with the largest array that was ever freed, and keeps up to 64 MB for the next
    batch of pages (mallopt(3)). What the user has set in the environment stays; other C libraries than glibc are left
    alone.
    """
    if platform.libc_ver()[0] != "glibc" or any(name in os.environ for name in _OF_USERS):
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all(mallopt(parameter, value) for parameter, value in _GIVE_BACK)
