"""Pages are processed in bounded batches, in one thread, and each caller gets the result of its own page."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from event_loop import get_crawler, run_async
from scrapy.statscollectors import StatsCollector

from scrapy_semtext import Page, Source
from scrapy_semtext.integration import service as service_module
from scrapy_semtext.integration.service import BATCH_BYTES, Service

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence


#: A time in seconds that no test takes.
LONG = 3600.0


class Reader:
    """Returns each source's text, after some seconds or when released, and records batches and threads."""

    def __init__(self, seconds: float = 0.0, released: threading.Event | None = None) -> None:
        self.seconds = seconds
        self.released = released
        self.batches: list[int] = []
        self.threads: set[threading.Thread] = set()

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        self.batches.append(len(sources))
        self.threads.add(threading.current_thread())
        time.sleep(self.seconds)
        assert self.released is None or self.released.wait(timeout=10)
        return [Page(main_text=source.html) for source in sources]


def serve(
    reader: Any, use: Callable[[Service], Awaitable[Any]], size: int = 4, wait: float = 0.01, threads: int = 1
) -> Any:
    """Run ``use`` with a service, close it, and return what it returned."""
    stats = get_crawler(settings={"STATS_CLASS": StatsCollector}).stats

    async def run() -> Any:
        service = Service(reader, stats, batch_size=size, batch_wait=wait, threads=threads)
        try:
            return await use(service)
        finally:
            await service.close()

    return run_async(run())


def read_all(count: int, size: int = 100) -> Callable[[Service], Awaitable[list[Page | Exception]]]:
    async def use(service: Service) -> list[Page | Exception]:
        return await asyncio.gather(*(service.read(lambda n=n: Source(str(n)), size) for n in range(count)))  # type: ignore[misc]

    return use


async def until(condition: Callable[[], object]) -> None:
    async def poll() -> None:
        while not condition():  # noqa: ASYNC110  a thread changes it
            await asyncio.sleep(0.001)

    await asyncio.wait_for(poll(), timeout=10)


def texts(results: Sequence[Page | Exception]) -> list[str]:
    return [result.main_text if isinstance(result, Page) else repr(result) for result in results]


@pytest.mark.smoke
def test_concurrent_pages_share_batches_of_bounded_size_and_come_back_to_their_askers() -> None:
    reader = Reader()
    assert texts(serve(reader, read_all(10))) == [str(n) for n in range(10)]
    assert reader.batches == [4, 4, 2]


class Clock:
    """Replaces the module time: a monotonic clock that a test can advance."""

    perf_counter = staticmethod(time.perf_counter)

    def __init__(self) -> None:
        self.offset = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.offset


def test_a_batch_is_open_until_its_first_page_has_waited_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(service_module, "time", clock)
    reader = Reader(released=(released := threading.Event()))

    async def use(service: Service) -> None:
        def ask() -> asyncio.Future[Page | Exception]:
            return asyncio.ensure_future(service.read(lambda: Source("page"), 5))

        first = ask()
        await until(lambda: reader.batches)
        second = ask()  # while the first is read
        await asyncio.sleep(0)
        released.set()
        await first
        await asyncio.sleep(0.01)
        assert reader.batches == [1], "the second page waits for others"
        third = ask()
        await asyncio.sleep(0.01)
        assert reader.batches == [1]
        clock.offset = LONG
        await asyncio.gather(second, third)
        await ask()  # when all is over

    serve(reader, use, wait=LONG)
    assert reader.batches == [1, 2, 1]


def test_huge_pages_do_not_share_a_batch() -> None:
    reader = Reader()
    serve(reader, read_all(3, size=BATCH_BYTES // 2 + 1))
    assert reader.batches == [1, 1, 1]
    serve(reader, read_all(4, size=BATCH_BYTES // 2))
    assert reader.batches[3:] == [2, 2]


def test_a_page_whose_source_cannot_be_made_does_not_cost_the_others() -> None:
    def broken() -> Source:
        raise LookupError("no such encoding")

    async def use(service: Service) -> list[Page | Exception]:
        return list(await asyncio.gather(service.read(broken, 1), service.read(lambda: Source("fine"), 1)))

    reader = Reader()
    error, page = serve(reader, use)
    assert isinstance(error, LookupError)
    assert texts([page]) == ["fine"]
    assert reader.batches == [1]


class Picky(Reader):
    """Fails as a whole if "2" is among the sources, like a model that runs out of memory."""

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        if any(source.html == "2" for source in sources):
            raise MemoryError("out of memory")
        return super().read_many(sources)


def test_a_batch_that_fails_is_read_page_by_page() -> None:
    assert texts(serve(Picky(), read_all(4))) == ["0", "1", "MemoryError('out of memory')", "3"]


class Short(Reader):
    def read_many(self, sources: Sequence[Source]) -> list[Any]:
        return [None] if len(sources) == 1 else []


def test_an_extractor_that_breaks_its_contract_is_named() -> None:
    for error in serve(Short(), read_all(2)):
        assert isinstance(error, TypeError)
        assert str(error) == "Short.read_many returned 1 results (['NoneType']) for 1 sources"


def test_closing_reads_what_waits_and_refuses_what_comes() -> None:
    async def use(service: Service) -> list[Page | Exception]:
        reading = asyncio.ensure_future(read_all(6)(service))
        await asyncio.sleep(0.005)
        await service.close()
        return [*await reading, await service.read(lambda: Source("late"), 1)]

    *pages, refused = serve(Reader(0.01), use)
    assert texts(pages) == [str(n) for n in range(6)]
    assert "the crawl has ended" in str(refused)


def test_a_loop_that_is_stopped_leaves_nobody_waiting() -> None:
    async def use(service: Service) -> list[Any]:
        asked = [asyncio.ensure_future(service.read(lambda: Source("page"), 1)) for _ in range(6)]
        await asyncio.sleep(0.02)
        for task in asyncio.all_tasks() - {asyncio.current_task(), *asked}:
            task.cancel()
        return await asyncio.wait_for(asyncio.gather(*asked), timeout=5)

    results = serve(Reader(0.1), use, size=2)
    assert len(results) == 6
    assert all("stopped" in str(result) for result in results)


class Parallel(Reader):
    """Waits in each call until as many others are running, or gives up."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.barrier = threading.Barrier(threads, timeout=5)

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        self.barrier.wait()
        return super().read_many(sources)


def test_threads_that_are_free_share_what_waits() -> None:
    reader = Parallel(3)
    assert texts(serve(reader, read_all(6), size=16, threads=3)) == [str(n) for n in range(6)]
    assert reader.batches == [2, 2, 2]
    assert len(reader.threads) == 3
    assert not any(thread.is_alive() for thread in reader.threads)


def test_a_free_thread_reads_what_comes_while_another_is_busy() -> None:
    reader = Parallel(2)

    async def use(service: Service) -> None:
        first = asyncio.ensure_future(service.read(lambda: Source("first"), 5))
        await asyncio.sleep(0.02)
        await service.read(lambda: Source("second"), 5)  # the first ends only when this one has begun
        await first

    serve(reader, use, wait=10.0, threads=2)
    assert reader.batches == [1, 1]
