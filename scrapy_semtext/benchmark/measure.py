"""CPU time of pages by stage, beside the plain parse of the same pages in the same run."""

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

from scrapy_semtext.benchmark.pages import bytes_of, page_of_size
from scrapy_semtext.benchmark.stopwatch import STAGES, Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_semtext.benchmark.peers import Peer
    from scrapy_semtext.extractor import Extractor, Source

_LEAST_SIZES = 2  # for an exponent

#: Smaller pages, in bytes, are measured but not fitted: what a page costs whatever its size would make the power small.
FIT_FROM = 50_000


@dataclass(slots=True)
class Costs:
    """Milliseconds of CPU a page: ``parse_ms`` by lxml alone, ``stages`` by stage, ``peers`` by name.

    ``bytes`` is the mean size of a page, ``failed`` how many pages could not be read.
    """

    pages: int
    bytes: float
    parse_ms: float
    stages: dict[str, float]
    peers: dict[str, float] = field(default_factory=dict)
    failed: int = 0

    @property
    def total_ms(self) -> float:
        """All stages together."""
        return sum(self.stages.values())


@dataclass(slots=True)
class Growth:
    """Milliseconds of CPU for one page of each size, and the exponents: time grows with size to this power.

    The powers are fitted to the sizes of ``fit_from`` bytes and more; None where those are fewer than two.
    """

    bytes: list[int]
    stages: dict[str, list[float]]
    parse_ms: list[float]
    exponents: dict[str, float | None]
    fit_from: int = FIT_FROM


def costs(extractor: Extractor, pages: Sequence[Source], batch_size: int, peers: Mapping[str, Peer]) -> Costs:
    """Read the pages in batches, and let lxml and the peers have the pages of each batch right behind."""
    watch = Stopwatch()
    parse, failed = 0.0, 0
    others = dict.fromkeys(peers, 0.0)
    _warm(extractor, pages[:1], peers)
    for batch in batches_of(pages, batch_size):
        parse += sum(seconds_of(parse_alone, page.html) for page in batch)
        with watch.installed(), watch.whole():
            results = extractor.read_many(batch)
        failed += sum(isinstance(result, Exception) for result in results)
        for name, peer in peers.items():
            others[name] += sum(seconds_of(peer, page.html, page.url) for page in batch)
    each = 1000 / len(pages)
    return Costs(
        pages=len(pages),
        bytes=sum(bytes_of(page.html) for page in pages) / len(pages),
        parse_ms=parse * each,
        stages={stage: watch.seconds[stage] * each for stage in STAGES},
        peers={name: seconds * each for name, seconds in others.items()},
        failed=failed,
    )


def throughput(extractor: Extractor, pages: Sequence[Source], sizes: Iterable[int]) -> dict[int, float]:
    """Pages a second of CPU, by batch size."""
    return {
        size: len(pages) / sum(seconds_of(extractor.read_many, batch) for batch in batches_of(pages, size))
        for size in sizes
    }


def growth(extractor: Extractor, pages: Sequence[Source], sizes: Sequence[int], fit_from: int = FIT_FROM) -> Growth:
    """Read a page of each size, made of the given ones."""
    from scrapy_semtext.extractor import Source

    found: dict[str, list[float]] = {stage: [] for stage in STAGES}
    bytes_, parse = [], []
    for size in sizes:
        html = page_of_size(pages, size)
        watch = Stopwatch()
        parse.append(1000 * seconds_of(parse_alone, html))
        with watch.installed(), watch.whole():
            extractor.read_many([Source(html)])
        bytes_.append(bytes_of(html))
        for stage in STAGES:
            found[stage].append(1000 * watch.seconds[stage])
    total = [sum(values) for values in zip(*found.values(), strict=True)]
    curves = {"lxml parse": parse, **found, "all": total}
    fitted = [place for place, size in enumerate(bytes_) if size >= fit_from]
    powers = {
        name: exponent([bytes_[place] for place in fitted], [values[place] for place in fitted])
        for name, values in curves.items()
    }
    return Growth(bytes_, found, parse, powers, fit_from)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The slope of the line through the logarithms that has the least squares; None where there is none to fit."""
    if len(sizes) < _LEAST_SIZES or min(times) <= 0:
        return None
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def parse_alone(html: str) -> Any:
    """Parse a page by lxml: the unit in which costs are given."""
    return etree.fromstring(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def seconds_of(function: Callable[..., Any], *arguments: Any) -> float:
    """The CPU seconds of a call."""
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


def peak_memory() -> int | None:
    """The most memory that this process has held, in bytes; None on systems that do not say (Windows)."""
    # Linux counts to ru_maxrss what the process that started this one held then.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return _most_memory("RUSAGE_SELF")


def peak_memory_of_children() -> int | None:
    """The most memory that any process held that this one has started and seen end, in bytes; 0 if there was none."""
    return _most_memory("RUSAGE_CHILDREN")


def _most_memory(whose: str) -> int | None:
    try:
        import resource
    except ModuleNotFoundError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(int(getattr(resource, whose))).ru_maxrss * unit


def batches_of(pages: Sequence[Source], size: int) -> list[Sequence[Source]]:
    """Cut the pages into batches of a size; the last may be smaller."""
    return [pages[begin : begin + size] for begin in range(0, len(pages), size)]


def _warm(extractor: Extractor, pages: Sequence[Source], peers: Mapping[str, Peer]) -> None:
    """Load what is loaded once, for it is no part of what a page costs: models, and extruct for markup."""
    import_module("scrapy_semtext.output.schema")
    for page in pages:
        extractor.read_many([page])
        parse_alone(page.html)
        for peer in peers.values():
            peer(page.html, page.url)
