"""Throughput of several threads of one process, and of several processes."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from scrapy_semtext.integration.processes.pool import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.batches import PageReader
    from scrapy_semtext.integration.processes.messages import Setup


def by_threads(
    load: Callable[[], PageReader], batches: Sequence[Sequence[Source]], counts: Sequence[int]
) -> dict[int, float]:
    """Pages a second of wall time by number of threads, each with its own extractor."""
    readers = [load() for _ in range(max(counts, default=0))]
    return {count: _rate(readers[:count], batches) for count in counts}


def by_processes(setup: Setup, batches: Sequence[Sequence[Source]], counts: Sequence[int]) -> dict[int, float]:
    """Pages a second of wall time by number of worker processes, as in a crawl with SEMTEXT_PROCESSES."""
    rates: dict[int, float] = {}
    for count in counts:
        pool = WorkerPool(setup, count)
        try:
            rates[count] = _rate([pool] * count, batches)
        finally:
            pool.close()
    return rates


def _rate(readers: Sequence[PageReader], batches: Sequence[Sequence[Source]]) -> float:
    """Divide the batches among the readers, each in its own thread; return pages a second."""
    shares = [batches[place :: len(readers)] for place in range(len(readers))]
    with ThreadPoolExecutor(len(readers)) as threads:
        began = time.perf_counter()
        for _ in threads.map(_read_all, readers, shares):
            pass
        return sum(map(len, batches)) / (time.perf_counter() - began)


def _read_all(reader: PageReader, batches: Sequence[Sequence[Source]]) -> None:
    for batch in batches:
        reader.read_many(batch)
