"""CPU time a page by stage, relative to the lxml parse of the same pages in the same run; pages a second."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from research.benchmark.pages import WARM_UP, page_of_size
from research.benchmark.stopwatch import STAGES, Stopwatch
from scrapy_semtext.cli.doctor.checks import parse_alone, seconds_of, size_in_bytes
from scrapy_semtext.extractor import Source
from scrapy_semtext.integration.processes import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from research.peers import Read
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.integration.batches import PageReader
    from scrapy_semtext.integration.processes import Setup

_MIN_SIZES = 2  # for an exponent

#: Smaller pages, in bytes, are measured but not fitted: the constant cost of a page would make the exponent small.
FIT_FROM = 50_000


@dataclass(slots=True)
class Costs:
    """Milliseconds of CPU a page: ``parse_ms`` by lxml alone, ``stages`` by stage, ``peers`` by name.

    ``stages`` are those of the first reading of each page: most of its words and class names are new to the caches.
    ``again`` are the stages when the same pages are read a second time. ``bytes`` is the mean size of a page,
    ``failed`` the number of pages that could not be read.
    """

    pages: int
    bytes: float
    parse_ms: float
    stages: dict[str, float]
    again: dict[str, float] = field(default_factory=dict)
    peers: dict[str, float] = field(default_factory=dict)
    failed: int = 0

    @property
    def total_ms(self) -> float:
        """All stages of the first reading."""
        return sum(self.stages.values())

    @property
    def again_ms(self) -> float:
        """All stages of the second reading."""
        return sum(self.again.values())


@dataclass(slots=True)
class Growth:
    """Milliseconds of CPU for one page of each size, and the exponents: time grows with size to this power.

    Exponents are fitted to the sizes of FIT_FROM bytes and more; None for fewer than two such sizes.
    """

    bytes: list[int]
    stages: dict[str, list[float]]
    parse_ms: list[float]
    exponents: dict[str, float | None]


def costs(extractor: Extractor, pages: Sequence[Source], batch_size: int, peers: Mapping[str, Read]) -> Costs:
    """Measure the pages in batches: for each batch lxml alone, this package twice, and the peers.

    A page built into the package is read before, so that what is loaded once does not count.
    """
    first, again = Stopwatch(), Stopwatch()
    parse, failed = 0.0, 0
    peer_seconds = dict.fromkeys(peers, 0.0)
    _warm_up(extractor, peers)
    for batch in batches_of(pages, batch_size):
        parse += sum(seconds_of(parse_alone, page.html) for page in batch)
        for watch in (first, again):
            with watch.installed(), watch.whole():
                results = extractor.read_many(batch)
        failed += sum(isinstance(result, Exception) for result in results)
        for name, peer in peers.items():
            peer_seconds[name] += sum(seconds_of(_attempt, peer, page.html, page.url) for page in batch)
    each = 1000 / len(pages)
    return Costs(
        pages=len(pages),
        bytes=sum(size_in_bytes(page.html) for page in pages) / len(pages),
        parse_ms=parse * each,
        stages={stage: first.seconds[stage] * each for stage in STAGES},
        again={stage: again.seconds[stage] * each for stage in STAGES},
        peers={name: seconds * each for name, seconds in peer_seconds.items()},
        failed=failed,
    )


def throughput(extractor: Extractor, pages: Sequence[Source], sizes: Iterable[int]) -> dict[int, float]:
    """Pages a second of CPU, by batch size."""
    return {
        size: len(pages) / sum(seconds_of(extractor.read_many, batch) for batch in batches_of(pages, size))
        for size in sizes
    }


def growth(extractor: Extractor, pages: Sequence[Source], sizes: Sequence[int]) -> Growth:
    """Read one page of each size, in bytes, composed of the given pages."""
    times: dict[str, list[float]] = {stage: [] for stage in STAGES}
    bytes_, parse = [], []
    for size in sizes:
        html = page_of_size(pages, size)
        watch = Stopwatch()
        parse.append(1000 * seconds_of(parse_alone, html))
        with watch.installed(), watch.whole():
            extractor.read_many([Source(html)])
        bytes_.append(size_in_bytes(html))
        for stage in STAGES:
            times[stage].append(1000 * watch.seconds[stage])
    total = [sum(values) for values in zip(*times.values(), strict=True)]
    curves = {"lxml parse": parse, **times, "all": total}
    fitted = [place for place, size in enumerate(bytes_) if size >= FIT_FROM]
    exponents = {
        name: exponent([bytes_[place] for place in fitted], [values[place] for place in fitted])
        for name, values in curves.items()
    }
    return Growth(bytes_, times, parse, exponents)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The slope of the least-squares line through the logarithms; None for less than two sizes."""
    if len(sizes) < _MIN_SIZES or min(times) <= 0:
        return None
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


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


def batches_of(pages: Sequence[Source], size: int) -> list[Sequence[Source]]:
    """Divide the pages into batches; the last may be smaller."""
    return [pages[begin : begin + size] for begin in range(0, len(pages), size)]


def _warm_up(extractor: Extractor, peers: Mapping[str, Read]) -> None:
    """Load what is loaded once: models, modules, and extruct for markup."""
    import_module("scrapy_semtext.output.schema")
    extractor.read_many([Source(WARM_UP)])
    parse_alone(WARM_UP)
    for peer in peers.values():
        _attempt(peer, WARM_UP, None)


def _attempt(peer: Read, html: str, url: str | None) -> None:
    """Call a peer. A page that it fails on counts with the time until it fails."""
    with suppress(Exception):
        peer(html, url)


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
