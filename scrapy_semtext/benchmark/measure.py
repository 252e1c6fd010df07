"""CPU time a page by stage, relative to the lxml parse of the same pages in the same run."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from scrapy_semtext.benchmark.pages import WARM_UP, page_of_size, size_in_bytes
from scrapy_semtext.benchmark.stopwatch import STAGES, Stopwatch
from scrapy_semtext.extractor import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.training.peers import Read

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

    Exponents are fitted to the sizes of ``fit_from`` bytes and more; None for fewer than two such sizes.
    """

    bytes: list[int]
    stages: dict[str, list[float]]
    parse_ms: list[float]
    exponents: dict[str, float | None]
    fit_from: int = FIT_FROM


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


def growth(extractor: Extractor, pages: Sequence[Source], sizes: Sequence[int], fit_from: int = FIT_FROM) -> Growth:
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
    fitted = [place for place, size in enumerate(bytes_) if size >= fit_from]
    exponents = {
        name: exponent([bytes_[place] for place in fitted], [values[place] for place in fitted])
        for name, values in curves.items()
    }
    return Growth(bytes_, times, parse, exponents, fit_from)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The slope of the least-squares line through the logarithms; None for less than two sizes."""
    if len(sizes) < _MIN_SIZES or min(times) <= 0:
        return None
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def parse_alone(html: str) -> Any:
    """Parse a page by lxml: the unit of costs."""
    return etree.fromstring(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def seconds_of(function: Callable[..., Any], *arguments: Any) -> float:
    """The CPU seconds of a call."""
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


def peak_memory() -> int | None:
    """The peak memory of this process in bytes; None where it is unknown (Windows)."""
    # On Linux, ru_maxrss includes the memory of the parent process at the time of the fork.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return _max_rss("RUSAGE_SELF")


def peak_memory_of_children() -> int | None:
    """The largest peak memory of the ended child processes in bytes; 0 if there was none, None where it is unknown."""
    return _max_rss("RUSAGE_CHILDREN")


def _max_rss(who: str) -> int | None:
    try:
        import resource
    except ModuleNotFoundError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(int(getattr(resource, who))).ru_maxrss * unit


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
