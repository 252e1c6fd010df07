"""Runs the crawls that are compared, one after the other, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from research.benchmark.server import site
from research.benchmark.stopwatch import size_in_bytes
from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.extractor import Source

_ON = {"ADDONS": {"scrapy_semtext.Addon": 300}, "SEMTEXT_ENABLED": True}


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to crawl: ``settings`` for Scrapy; ``concurrency`` is the number of requests at a time."""

    name: str
    concurrency: int
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CrawlCost:
    """The measurements of one crawl.

    ``seconds`` from the first request to the last item, with the CPU time ``cpu_ms`` of the crawl's own process and
    ``loop_cpu_ms`` of the thread that the event loop runs in, of which ``callback_cpu_ms`` is spent in callbacks.
    ``stall_*_ms`` are delays of the event loop.
    ``wait_max_ms`` is the longest time that a page was queued, None without the plugin. ``peak_bytes`` is the peak of
    memory of the crawl's process, ``worker_peak_bytes`` that of its largest worker process, None if there is none
    and on systems that do not report it.
    """

    name: str
    run: int
    pages: int
    concurrency: int
    seconds: float
    cpu_ms: float
    loop_cpu_ms: float
    callback_cpu_ms: float
    stall_p50_ms: float
    stall_p99_ms: float
    stall_max_ms: float
    wait_max_ms: float | None
    peak_bytes: int | None
    worker_peak_bytes: int | None

    @property
    def pages_a_second(self) -> float:
        """Pages a second of wall time."""
        return self.pages / self.seconds


def variants(concurrency: int, processes: Sequence[int], settings: Mapping[str, Any]) -> list[Variant]:
    """Return the crawls to compare: plugin off, on, with worker processes, one request at a time."""
    given = {**_ON, **settings}
    found = [Variant("plugin off", concurrency, {}), Variant("plugin on", concurrency, given)]
    for count in processes:
        name = f"{count} process{'es' if count > 1 else ''}"
        found.append(Variant(name, concurrency, {**given, "SEMTEXT_PROCESSES": count}))
    return [*found, Variant("on, one by one", 1, given)]


def crawls(pages: Sequence[Source], compared: Sequence[Variant], runs: int, *, parses: bool) -> Iterator[CrawlCost]:
    """Crawl the pages in each way, ``runs`` times in turn; raise CommandError for a crawl that loses a page.

    With ``parses``, callbacks use the page.
    """
    with TemporaryDirectory(prefix="semtext-crawl-") as name:
        folder = Path(name)
        for number, page in enumerate(pages):
            (folder / str(number)).write_bytes(page.html.encode("utf-8", "replace"))
        with site(folder) as address:
            urls = [f"{address}{number}" for number in range(len(pages))]
            for run in range(1, runs + 1):
                for variant in compared:
                    yield _crawl(variant, run, urls, parses=parses)


def mean_size(pages: Sequence[Source]) -> float:
    """Return the mean size of a page in bytes."""
    return sum(size_in_bytes(page.html) for page in pages) / len(pages)


def cores() -> int:
    """Return how many cores this process, and so the crawl, may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _crawl(variant: Variant, run: int, urls: list[str], *, parses: bool) -> CrawlCost:
    at_once = {"CONCURRENT_REQUESTS": variant.concurrency, "CONCURRENT_REQUESTS_PER_DOMAIN": variant.concurrency}
    given = {"urls": urls, "parses": parses, "settings": {**at_once, **variant.settings}}
    done = subprocess.run(
        [sys.executable, "-m", "research.benchmark.trial"],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"The crawl {variant.name!r} failed; its error is shown above.")
    found = json.loads(done.stdout.splitlines()[-1])
    items, filled = found.pop("items"), found.pop("filled")
    if items != len(urls) or (filled is not None and filled != items):
        counts = f"{items} items" if filled is None else f"{items} items, {filled} of them filled,"
        raise CommandError(f"The crawl {variant.name!r} gave {counts} of {len(urls)} pages.")
    return CrawlCost(name=variant.name, run=run, pages=len(urls), concurrency=variant.concurrency, **found)
