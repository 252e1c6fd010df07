"""Settings of the Python process that make extraction cheaper: garbage collection, thread switches, memory.

They apply to the whole process. The environment variable ``SEMTEXT_PROCESS_TUNING=0`` turns all of them off, in a crawl
and elsewhere; the Scrapy setting of the same name does so for a crawl and its worker processes.

Threads that are replaced after a certain amount of pages, because parsers keep data as long as a thread lives. libxml2
keeps each name of a tag or an attribute, in a dictionary that lxml has for each thread. Pages may have any number of
names that no other page has: 4,000 of them take 0.4 MB. The dictionary is freed once the thread has ended and all trees
parsed in it, which other threads may still use, are gone.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

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


T = TypeVar("T")

#: The size of pages, in bytes or characters, after which threads are replaced. Pages of only names would take about
#: seven times as much.
MOST = 20_000_000


class RenewedThreads:
    """A ThreadPoolExecutor whose threads are replaced after pages of :data:`MOST` bytes.

    Free memory is then returned to the system. Running and waiting calls are finished by the threads that they were
    submitted to, alongside the new ones.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._lock = Lock()
        self._given = 0
        self._pool = self._new_pool()

    def submit(self, size: int, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call a function in one of the threads; it parses pages of ``size`` bytes. Raises RuntimeError if closed."""
        with self._lock:
            if self._given > MOST:
                self._pool.shutdown(wait=False)
                self._pool, self._given = self._new_pool(), 0
                self._pool.submit(release_free_memory)
            future = self._pool.submit(function, *arguments)
            self._given += size
            return future

    def close(self) -> None:
        """Wait for all calls of the last threads, then end them."""
        self._given = 0
        self._pool.shutdown()

    def _new_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="semtext")
