"""CPU time a page by stage, relative to the lxml parse of the same pages in the same run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from research.benchmark.pages import WARM_UP, page_of_size
from research.benchmark.stopwatch import STAGES, Stopwatch, parse_alone, seconds_of, size_in_bytes
from scrapy_semtext.extractor import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from research.peers import Read
    from scrapy_semtext.extractor import Extractor


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
    """Milliseconds of CPU for one page of each size: all stages by name, and lxml alone."""

    bytes: list[int]
    stages: dict[str, list[float]]
    parse_ms: list[float]


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
    return Growth(bytes_, times, parse)


def batches_of(pages: Sequence[Source], size: int) -> list[Sequence[Source]]:
    """Divide the pages into batches; the last may be smaller."""
    return [pages[begin : begin + size] for begin in range(0, len(pages), size)]


def _warm_up(extractor: Extractor, peers: Mapping[str, Read]) -> None:
    """Load what is loaded once: models and modules."""
    extractor.read_many([Source(WARM_UP)])
    parse_alone(WARM_UP)
    for peer in peers.values():
        _attempt(peer, WARM_UP, None)


def _attempt(peer: Read, html: str, url: str | None) -> None:
    """Call a peer. A page that it fails on counts with the time until it fails."""
    with suppress(Exception):
        peer(html, url)
