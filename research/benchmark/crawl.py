"""Measure the cost of the plugin in a crawl of real pages over loopback.

DATA are JSON lines with the keys url and html, as for `semtext batch`. One process serves the pages on 127.0.0.1, and
others crawl them, one after the other: with the plugin off, on, with worker processes, and with the plugin on and one
request at a time. Printed are pages a second, CPU time a
page of the crawl's process, delays of the event loop (median, 99th percentile, longest), the longest time that a page
waited before it was read, and the peak memory.
"""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from research.benchmark.common import number_list, read_sample, write_report
from research.benchmark.trials import cores, crawls, mean_size, variants
from scrapy_semtext.cli.models import positive
from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from research.benchmark.trials import CrawlCost

_MEGA = 1e6
_HEADS = ("run", "pages/s", "CPU ms", "loop ms", "callback ms", "p50", "p99", "max ms", "wait ms", "MB", "worker MB")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("data", nargs="+", metavar="DATA", help="JSON lines with url and html, plain, .gz or .xz")
    parser.add_argument("--pages", type=int, default=300, metavar="N", help="number of pages, evenly spaced (300)")
    parser.add_argument("--max-bytes", type=int, metavar="N", help="only pages of less than N bytes")
    parser.add_argument("--concurrency", type=positive, default=16, metavar="N", help="requests at a time (16)")
    help_text = "worker processes to try (1,2); empty: none"
    parser.add_argument("--processes", type=number_list, default=(1, 2), metavar="N,N", help=help_text)
    parser.add_argument("--bare", action="store_true", help="callbacks that extract nothing themselves")
    parser.add_argument("--runs", type=positive, default=1, metavar="N", help="repeat all crawls N times (%(default)s)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting for the crawls with the plugin on"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON; - for standard output")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    settings = dict(_setting(text) for text in arguments.set)
    pages = read_sample(arguments.data, arguments.max_bytes, arguments.pages or None)
    tried = variants(arguments.concurrency, arguments.processes, settings)
    results = list(crawls(pages, tried, arguments.runs, parses=not arguments.bare))
    write_report(CrawlReport(len(pages), mean_size(pages), arguments.concurrency, cores(), results), arguments.json)
    return 0


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError(f"--set takes NAME=VALUE, not {text!r}.")
    return name, value


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """All crawls of one call; ``bytes`` is the mean size of a page."""

    pages: int
    bytes: float
    concurrency: int
    cores: int
    crawls: Sequence[CrawlCost]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with a description of the machine."""
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        rows = [{**asdict(crawl), "pages_a_second": crawl.pages_a_second} for crawl in self.crawls]
        return {"machine": machine, **asdict(self), "crawls": rows}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table."""
        size = f"{self.pages} pages of {self.bytes / 1000:.1f} KB"
        yield f"{size}, {self.concurrency} requests at a time, on {self.cores} core{'s' if self.cores > 1 else ''}"
        yield f"{'':16}{'':4}{'':8}{'':8}{'':9}{'':13}{'event loop late by':>24}"
        yield f"{'':16}{_HEADS[0]:>4}" + "".join(f"{head:>{_width(head)}}" for head in _HEADS[1:])
        for crawl in self.crawls:
            yield f"{crawl.name:16}{crawl.run:4}" + "".join(
                f"{cell:>{_width(head)}}" for head, cell in zip(_HEADS[1:], _cells(crawl), strict=True)
            )


def _width(head: str) -> int:
    return max(8, len(head) + 2)


def _cells(crawl: CrawlCost) -> list[str]:
    return [
        f"{crawl.pages_a_second:.1f}",
        f"{crawl.cpu_ms / crawl.pages:.1f}",
        f"{crawl.loop_cpu_ms / crawl.pages:.1f}",
        f"{crawl.callback_cpu_ms / crawl.pages:.2f}",
        f"{crawl.stall_p50_ms:.1f}",
        f"{crawl.stall_p99_ms:.1f}",
        f"{crawl.stall_max_ms:.0f}",
        "-" if crawl.wait_max_ms is None else f"{crawl.wait_max_ms:.1f}",
        "-" if crawl.peak_bytes is None else f"{crawl.peak_bytes / _MEGA:.0f}",
        "-" if crawl.worker_peak_bytes is None else f"{crawl.worker_peak_bytes / _MEGA:.0f}",
    ]
