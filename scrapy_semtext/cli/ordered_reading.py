"""Batches of pages, read in worker processes, in their order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.bulk.results import sources_of
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.integration.batches import read_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from scrapy_semtext.cli.page_files import Row
    from scrapy_semtext.integration.processes.messages import Setup
    from scrapy_semtext.integration.processes.pool import WorkerPool
    from scrapy_semtext.page import Page

#: How many batches wait for each process, or for those before them.
_PENDING = 2


class Batch(NamedTuple):
    """Pages that are read together; the results of the first ``skip`` are not needed."""

    rows: list[Row]
    skip: int = 0


#: A batch with a result for each of its sources.
Read = tuple[Batch, "list[Page | Exception]"]


@contextmanager
def read_batches(setup: Setup, workers: int, batches: Iterable[Batch]) -> Iterator[Iterator[Read]]:
    """Give an iterator over batches and their results, read in ``workers`` processes.

    Memory is bounded by a few batches for each process. Raises CommandError if the processes cannot load the model.
    """
    from scrapy_semtext.integration.processes.pool import WorkerPool

    try:
        pool = WorkerPool(setup, workers)
    except ValueError as error:  # a broken bundle, for example
        raise CommandError(str(error)) from error
    threads = ThreadPoolExecutor(workers)  # each waits for one process
    try:
        yield _ordered(pool, threads, batches, _PENDING * workers)
    finally:
        threads.shutdown(cancel_futures=True)
        pool.close()


def _ordered(pool: WorkerPool, threads: ThreadPoolExecutor, batches: Iterable[Batch], most: int) -> Iterator[Read]:
    pending: deque[tuple[Batch, Future[list[Page | Exception]]]] = deque()
    for batch in batches:
        pending.append((batch, threads.submit(read_sources, pool, sources_of(batch.rows))))
        if len(pending) > most:
            first, result = pending.popleft()
            yield first, result.result()
    while pending:
        first, result = pending.popleft()
        yield first, result.result()
