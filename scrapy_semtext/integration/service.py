"""Processes the pages of a crawl in batches of concurrent responses, in threads besides the event loop."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.processes import (
    PageReader,
    Setup,
    SetupError,
    UnsupportedRulesError,
    WorkerPool,
    loaded,
    read_sources,
    wanted_level,
)
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.models.storage import BundleError
from scrapy_semtext.results import OF_EXTRAS
from scrapy_semtext.utils.extras import MissingExtraError
from scrapy_semtext.utils.process_tuning import RenewedThreads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from scrapy.statscollectors import StatsCollector

    from scrapy_semtext.extractor import Options, Source
    from scrapy_semtext.integration.settings import SemtextSettings
    from scrapy_semtext.page import Page

_T = TypeVar("_T")

#: The maximum size of a batch in bytes, which bounds the memory for the trees of its pages. A batch of a single page
#: may be larger.
BATCH_BYTES = 2_000_000

#: How long, in seconds, a page waits for others of its batch.
BATCH_WAIT = 0.01

#: How often, in seconds, to check whether an open batch is full.
_POLL_INTERVAL = 0.002

#: The pause, in seconds, between delivering two pages of a batch, at most half of the processing time of one.
_PAGE_INTERVAL = 0.004

_STOPPED = "the crawl was stopped before the page was read"


@dataclass(eq=False, slots=True)
class _Job:
    make_source: Callable[[], Source]
    size: int
    done: Deferred[Page | Exception] = field(default_factory=Deferred)
    arrived: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class _Batch:
    """A result for each job, the number of pages passed to the extractor, and the thread's wall time in seconds."""

    results: Sequence[Page | Exception]
    read: int = 0
    seconds: float = 0.0


class Service:
    """Processes pages for a crawl in separate threads: one, or one for each worker process.

    If a thread is free, a page is processed at once, with those of the same iteration of the event loop. Otherwise
    pages are queued. The next batch has up to ``batch_size`` of them; if there are fewer, it is kept open until its
    first page has waited ``batch_wait`` seconds. Free threads share the queue evenly.

    ``reader`` is called from ``threads`` threads. Works with asyncio and with any Twisted reactor. Methods must be
    called from the event loop's thread, which is the only one that uses ``stats``.
    """

    def __init__(
        self,
        reader: PageReader,
        stats: StatsCollector,
        *,
        batch_size: int,
        batch_wait: float = BATCH_WAIT,
        threads: int = 1,
    ) -> None:
        self._reader = reader
        self._stats = stats
        self._batch_size = batch_size
        self._batch_wait = batch_wait
        self._queue: deque[_Job] = deque()
        self._queued_bytes = 0
        self._runner: Deferred[None] | None = None
        self._changed: Deferred[None] | None = None
        self._free_threads = threads
        self._open_batches = 0  # batches with pages still to be delivered
        self._closed = False
        # Not the default pool of asyncio or Twisted: other tasks would wait there for pages, and linear algebra
        # libraries would keep buffers for each of many threads.
        self._threads = RenewedThreads(threads)

    async def read(self, make_source: Callable[[], Source], size: int) -> Page | Exception:
        """Return the page of a source, or the exception that creating or reading it raised.

        ``make_source`` is called in the thread, so that a page is decoded and parsed there. ``size`` is in bytes.
        """
        if self._closed:
            return RuntimeError("the crawl has ended, so no more pages are read")
        job = _Job(make_source, size)
        self._queue.append(job)
        self._queued_bytes += size
        self._stats.max_value("semtext/queue_max", len(self._queue))
        self._stats.max_value("semtext/queue_bytes_max", self._queued_bytes)
        if self._runner is None:
            self._runner = deferred_from_coro(self._run())
        elif self._free_threads:
            self._notify()
        return await maybe_deferred_to_future(job.done)

    async def warm_up(self, source: Source) -> None:
        """Process a page and discard it, so that what is loaded on first use is loaded before the crawl starts."""
        await self._read_in_thread([lambda: source], len(source.html))

    async def close(self) -> None:
        """Process the queued pages, then end the threads."""
        self._closed = True
        if self._runner is not None:
            await maybe_deferred_to_future(self._runner)
        self._threads.close()

    async def _run(self) -> None:
        """Process batches until the queue is empty."""
        try:
            await sleep(0)
            while self._queue or self._open_batches:
                if self._queue and self._free_threads:
                    jobs = self._take_batch()
                    self._free_threads -= 1
                    self._open_batches += 1
                    self._stats.max_value("semtext/wait_max", time.monotonic() - jobs[0].arrived)
                    deferred_from_coro(self._run_batch(jobs))
                    continue
                free = self._free_threads
                self._changed = Deferred()  # fires when a batch is finished, or a page is queued while a thread is free
                await maybe_deferred_to_future(self._changed)
                await (self._fill_batch() if self._free_threads > free else sleep(0))
        finally:
            self._runner = None
            while self._queue:  # only if the loop was stopped
                self._queue.popleft().done.callback(RuntimeError(_STOPPED))

    def _take_batch(self) -> list[_Job]:
        batch: list[_Job] = []
        size = 0
        share = -(-len(self._queue) // self._free_threads)
        while self._queue and len(batch) < min(share, self._batch_size):
            size += self._queue[0].size
            if batch and size > BATCH_BYTES:
                break
            batch.append(self._queue.popleft())
        self._queued_bytes -= sum(job.size for job in batch)
        return batch

    def _notify(self) -> None:
        changed, self._changed = self._changed, None
        if changed is not None:
            changed.callback(None)

    async def _fill_batch(self) -> None:
        """Wait until a batch is full or its first page has waited long enough."""
        while 0 < len(self._queue) < self._batch_size:
            left = self._queue[0].arrived + self._batch_wait - time.monotonic()
            if left <= 0:
                break
            await sleep(min(left, _POLL_INTERVAL))

    async def _run_batch(self, jobs: list[_Job]) -> None:
        batch = _Batch([RuntimeError(_STOPPED)] * len(jobs))
        try:
            batch = await self._read_in_thread([job.make_source for job in jobs], sum(job.size for job in jobs))
        except Exception as error:  # noqa: BLE001  becomes the result of each page
            batch.results = [error] * len(jobs)
        finally:
            self._count(batch)
            self._free_threads += 1
            self._notify()  # the next batch need not wait
            try:
                await _hand_out(jobs, batch.results, min(_PAGE_INTERVAL, batch.seconds / len(jobs) / 2))
            finally:
                self._open_batches -= 1
                self._notify()

    def _count(self, batch: _Batch) -> None:
        self._stats.inc_value("semtext/seconds", batch.seconds)  # type: ignore[arg-type]  # a sum of floats
        if batch.read:
            self._stats.inc_value("semtext/batches")
            self._stats.max_value("semtext/batch_size_max", batch.read)

    async def _read_in_thread(self, factories: Sequence[Callable[[], Source]], size: int) -> _Batch:
        future = self._threads.submit(size, _read_batch, self._reader, factories)
        if is_asyncio_available():
            return await asyncio.wrap_future(future)
        return await _deferred(future)


async def _hand_out(jobs: Sequence[_Job], results: Sequence[Page | Exception], interval: float) -> None:
    """Set the result of each job, with pauses of ``interval`` seconds.

    Otherwise the spider's callbacks for all pages of a batch would run in one iteration of the event loop.
    """
    pairs = deque(zip(jobs, results, strict=True))
    try:
        while pairs:
            job, result = pairs.popleft()
            job.done.callback(result)
            if pairs:
                await sleep(interval)
    finally:
        for job, result in pairs:  # only if the loop was stopped
            job.done.callback(result)


def _deferred(future: Future[_T]) -> Deferred[_T]:
    """Return a Deferred that fires in the reactor's thread with the result of another thread's future."""
    from twisted.internet import reactor  # not at module level, since the import installs a reactor

    deferred: Deferred[_T] = Deferred()

    def settle() -> None:
        error = future.exception()
        if error is None:
            deferred.callback(future.result())
        else:
            deferred.errback(error)

    future.add_done_callback(lambda _: reactor.callFromThread(settle))
    return deferred


def _read_batch(reader: PageReader, factories: Sequence[Callable[[], Source]]) -> _Batch:
    """Create and process the sources of a batch; runs in the service's thread."""
    start = time.perf_counter()
    attempts = [_attempt(make_source) for make_source in factories]
    sources = [source for source in attempts if not isinstance(source, Exception)]
    pages = iter(read_sources(reader, sources))
    results = [source if isinstance(source, Exception) else next(pages) for source in attempts]
    return _Batch(results, len(sources), time.perf_counter() - start)


def _attempt(make_source: Callable[[], Source]) -> Source | Exception:
    try:
        return make_source()
    except Exception as error:  # noqa: BLE001  becomes the page's result
        return error


def load_reader(settings: SemtextSettings, options: Options) -> PageReader:
    """Load the class named by SEMTEXT_EXTRACTOR, here or in SEMTEXT_PROCESSES workers.

    Raises SettingsError for invalid settings, BundleError if the shipped model cannot be loaded.
    """
    kind = _extractor_class(settings)
    arguments = {"bundle": settings.bundle, "device": settings.device}
    try:
        level, tuning = wanted_level(), settings.process_tuning
        setup = Setup(kind, arguments, options, level, tuning, settings.sites, settings.limits)
        return WorkerPool(setup, settings.processes) if settings.processes else loaded(setup)
    except MissingExtraError as error:
        raise SettingsError(f"{_reason_for_metadata(settings)}, but {error}") from error
    except UnsupportedRulesError as error:
        raise SettingsError(f"SEMTEXT_SITES is set, but {error}") from error
    except SetupError as error:
        raise SettingsError(f"SEMTEXT_PROCESSES is {settings.processes}, but {error}") from error
    except BundleError as error:
        if not (chosen := _named_settings(arguments)):
            raise
        raise SettingsError(f"{chosen}, but: {error}") from error


def _named_settings(arguments: dict[str, Any]) -> str:
    """Return a text that names the settings of a model that are not the default."""
    chosen = {name: value for name, value in arguments.items() if value and (name, value) != ("device", "auto")}
    return " and ".join(f"SEMTEXT_{name.upper()} is {value!r}" for name, value in chosen.items())


def _extractor_class(settings: SemtextSettings) -> Any:
    try:
        kind = load_object(settings.extractor)
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise SettingsError(f"SEMTEXT_EXTRACTOR is {settings.extractor!r}, which cannot be loaded: {error}") from error
    if not callable(getattr(kind, "load", None)):
        raise SettingsError(f"SEMTEXT_EXTRACTOR is {settings.extractor!r}, which has no class method load()")
    return kind


def _reason_for_metadata(settings: SemtextSettings) -> str:
    for option in ("metadata", "details"):
        if settings.options.get(option):
            return f"{option} in SEMTEXT_OPTIONS is True"
    return f"SEMTEXT_FIELDS has {', '.join(name for name in OF_EXTRAS['metadata'] if name in settings.fields)}"
