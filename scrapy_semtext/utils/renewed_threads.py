"""Threads that are replaced after a certain amount of pages, because parsers keep data as long as a thread lives.

libxml2 keeps each name of a tag or an attribute, in a dictionary that lxml has for each thread. Pages may have any
number of names that no other page has: 4,000 of them take 0.4 MB. The dictionary is freed once the thread has ended and
all trees parsed in it, which other threads may still use, are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

from scrapy_semtext.utils.process_tuning import release_free_memory

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
