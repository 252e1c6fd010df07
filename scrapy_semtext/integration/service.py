"""One extractor for a crawl: reads pages in batches gathered from concurrent responses, off the event loop."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.utils.asyncio import is_asyncio_available, sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_semtext.integration.batches import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from scrapy.statscollectors import StatsCollector

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.batches import PageReader
    from scrapy_semtext.page import Page

_T = TypeVar("_T")

#: A batch takes no further page once its pages have this many bytes: the trees of many huge pages at once would need
#: more memory than most machines have. A single page may be larger.
BATCH_BYTES = 2_000_000

#: How often, in seconds, a batch that waits for company looks whether it is full.
_LOOK_AGAIN = 0.002

#: How long, in seconds, the event loop has for itself between two pages of a batch, but never more than half of the
#: time that it took to read a page of it.
_BETWEEN = 0.004

_STOPPED = "the crawl was stopped before the page was read"


@dataclass(eq=False, slots=True)
class _Job:
    make_source: Callable[[], Source]
    size: int
    done: Deferred[Page | Exception] = field(default_factory=Deferred)
    arrived: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class _Batch:
    """What came of a batch: a result for each job, how many reached the extractor, and the thread's seconds."""

    results: Sequence[Page | Exception]
    read: int = 0
    seconds: float = 0.0


class Service:
    """Reads pages for a crawl in threads of its own: one, or with worker processes one for each of them.

    While a thread is free a page is read at once, together with those that came in the same turn of the event loop.
    While all are busy pages gather: the next batch takes up to ``batch_size`` of them, and if they are fewer it gives
    further ones until its oldest page has waited ``batch_wait`` seconds in all. Where several threads are free they
    share what waits.

    ``reader`` is called from ``threads`` threads. Works on asyncio and on any Twisted reactor. All methods are to be
    called from the event loop's thread, which is also the only one that touches ``stats``.
    """

    def __init__(
        self, reader: PageReader, stats: StatsCollector, *, batch_size: int, batch_wait: float, threads: int = 1
    ) -> None:
        self._reader = reader
        self._stats = stats
        self._batch_size = batch_size
        self._batch_wait = batch_wait
        self._waiting: deque[_Job] = deque()
        self._runner: Deferred[None] | None = None
        self._changed: Deferred[None] | None = None
        self._free = threads
        self._under_way = 0  # batches, until all their pages are handed out
        self._closed = False
        # Not the pool that asyncio or Twisted share with everybody: others would wait there for pages to be read, and
        # the libraries that multiply matrices keep memory for each thread that ever called them.
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="semtext")

    async def read(self, make_source: Callable[[], Source], size: int) -> Page | Exception:
        """Return the page that ``make_source`` describes, or the exception that reading it raised.

        ``make_source`` is called in the thread, so that it may decode the page there; an exception that it raises is
        the result. ``size`` is the page's length in bytes.
        """
        if self._closed:
            return RuntimeError("the crawl is over: no more pages are read")
        job = _Job(make_source, size)
        self._waiting.append(job)
        if self._runner is None:
            self._runner = deferred_from_coro(self._run())
        elif self._free:
            self._tell()
        return await maybe_deferred_to_future(job.done)

    async def warm_up(self, source: Source) -> None:
        """Read a page for nothing, so that what loads at its first use is there before the crawl begins."""
        await self._in_thread(_read_batch, self._reader, [lambda: source])

    async def close(self) -> None:
        """Read the pages that still wait, then end the threads."""
        self._closed = True
        if self._runner is not None:
            await maybe_deferred_to_future(self._runner)
        self._pool.shutdown()

    async def _run(self) -> None:
        """Read batch after batch until nothing waits."""
        try:
            await sleep(0)
            while self._waiting or self._under_way:
                if self._waiting and self._free:
                    self._begin_batch()
                    continue
                free = self._free
                await self._change()
                await (self._gather() if self._free > free else sleep(0))
        finally:
            self._runner = None
            while self._waiting:  # only where the loop itself was stopped
                self._waiting.popleft().done.callback(RuntimeError(_STOPPED))

    def _begin_batch(self) -> None:
        jobs = self._take_batch()
        self._free -= 1
        self._under_way += 1
        self._stats.max_value("semtext/wait_max", time.monotonic() - jobs[0].arrived)
        deferred_from_coro(self._run_batch(jobs))

    def _take_batch(self) -> list[_Job]:
        batch: list[_Job] = []
        size = 0
        share = -(-len(self._waiting) // self._free)
        while self._waiting and len(batch) < min(share, self._batch_size):
            size += self._waiting[0].size
            if batch and size > BATCH_BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch

    async def _change(self) -> None:
        """Wait until a batch is read, or a page comes while a thread is free."""
        self._changed = Deferred()
        await maybe_deferred_to_future(self._changed)

    def _tell(self) -> None:
        changed, self._changed = self._changed, None
        if changed is not None:
            changed.callback(None)

    async def _gather(self) -> None:
        """Give further pages the time to join those that wait."""
        while 0 < len(self._waiting) < self._batch_size:
            left = self._waiting[0].arrived + self._batch_wait - time.monotonic()
            if left <= 0:
                break
            await sleep(min(left, _LOOK_AGAIN))

    async def _run_batch(self, jobs: list[_Job]) -> None:
        batch = _Batch([RuntimeError(_STOPPED)] * len(jobs))
        try:
            batch = await self._in_thread(_read_batch, self._reader, [job.make_source for job in jobs])
        except Exception as error:  # noqa: BLE001  it is the result of each page
            batch.results = [error] * len(jobs)
        finally:
            self._count(batch)
            self._free += 1
            self._tell()  # the next batch is not to wait
            try:
                await _hand_out(jobs, batch.results, min(_BETWEEN, batch.seconds / len(jobs) / 2))
            finally:
                self._under_way -= 1
                self._tell()

    def _count(self, batch: _Batch) -> None:
        self._stats.inc_value("semtext/seconds", batch.seconds)  # type: ignore[arg-type]  # a sum of floats
        if batch.read:
            self._stats.inc_value("semtext/batches")
            self._stats.max_value("semtext/batch_size_max", batch.read)

    async def _in_thread(self, function: Callable[..., _T], *args: Any) -> _T:
        future = self._pool.submit(function, *args)
        if is_asyncio_available():
            return await asyncio.wrap_future(future)
        return await _deferred(future)


async def _hand_out(jobs: Sequence[_Job], results: Sequence[Page | Exception], between: float) -> None:
    """Give each job its result, with ``between`` seconds for whatever else the event loop has to do.

    Otherwise a batch would bring as many callbacks of the spider one upon the other.
    """
    pairs = deque(zip(jobs, results, strict=True))
    try:
        while pairs:
            job, result = pairs.popleft()
            job.done.callback(result)
            if pairs:
                await sleep(between)
    finally:
        for job, result in pairs:  # only where the loop itself was stopped
            job.done.callback(result)


def _deferred(future: Future[_T]) -> Deferred[_T]:
    """Return a Deferred that fires in the reactor's thread with what a future of another thread comes to."""
    from twisted.internet import reactor  # only here: a module that imports the reactor installs one

    deferred: Deferred[_T] = Deferred()

    def settle() -> None:
        error = future.exception()
        if error is None:
            deferred.callback(future.result())
        else:
            deferred.errback(error)

    future.add_done_callback(lambda _: reactor.callFromThread(settle))
    return deferred


def _read_batch(reader: PageReader, makers: Sequence[Callable[[], Source]]) -> _Batch:
    """Make and read the sources of a batch; each result is a page or an exception. Runs in the service's thread."""
    start = time.perf_counter()
    made = [_attempt(make_source) for make_source in makers]
    sources = [source for source in made if not isinstance(source, Exception)]
    pages = iter(read_sources(reader, sources))
    results = [source if isinstance(source, Exception) else next(pages) for source in made]
    return _Batch(results, len(sources), time.perf_counter() - start)


def _attempt(make_source: Callable[[], Source]) -> Source | Exception:
    try:
        return make_source()
    except Exception as error:  # noqa: BLE001  it is the result of this page
        return error
