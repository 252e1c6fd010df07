"""Measure the cost of the plugin in a crawl of real pages over loopback.

DATA are JSON lines with the keys url and html, as for `semtext batch`. One process serves the pages on 127.0.0.1, and
others crawl them, one after the other: with the plugin off, on, with worker processes, and with the plugin on and one
request at a time. Printed are pages a second, CPU time a page of the crawl's process, delays of the event loop (median,
99th percentile, longest), the longest time that a page waited before it was read, and the peak memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from research.benchmark.pages import add_page_arguments, mean_size, number_list, read_sample, write_report
from research.benchmark.server import site
from scrapy_semtext.cli.models import positive
from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.extractor import Source

_ON = {"ADDONS": {"scrapy_semtext.Addon": 300}, "SEMTEXT_ENABLED": True}
#: The columns of the table: what `research.benchmark.trial` measures, per page or in mega where named so, its head, and
#: its number of decimals.
_COLUMNS = (
    ("pages_a_second", "pages/s", 1), ("cpu_ms", "CPU ms", 1), ("loop_cpu_ms", "loop ms", 1),
    ("callback_cpu_ms", "callback ms", 2), ("stall_p50_ms", "p50", 1), ("stall_p99_ms", "p99", 1),
    ("stall_max_ms", "max ms", 0), ("wait_max_ms", "wait ms", 1), ("peak_bytes", "MB", 0),
    ("worker_peak_bytes", "worker MB", 0),
)  # fmt: skip


class Variant(NamedTuple):
    """A way to crawl: ``settings`` for Scrapy; ``concurrency`` is the number of requests at a time."""

    name: str
    concurrency: int
    settings: Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_page_arguments(parser, 300)
    parser.add_argument("--concurrency", type=positive, default=16, metavar="N", help="requests at a time (16)")
    help_text = "worker processes to try (1,2); empty: none"
    parser.add_argument("--processes", type=number_list, default=(1, 2), metavar="N,N", help=help_text)
    parser.add_argument("--bare", action="store_true", help="callbacks that extract nothing themselves")
    parser.add_argument("--runs", type=positive, default=1, metavar="N", help="repeat all crawls N times (%(default)s)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting for the crawls with the plugin on"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    settings = dict(_setting(text) for text in arguments.set)
    pages = read_sample(arguments)
    tried = variants(arguments.concurrency, arguments.processes, settings)
    report = {
        "pages": len(pages),
        "bytes": mean_size(pages),
        "concurrency": arguments.concurrency,
        "cores": cores(),
        "crawls": [*crawls(pages, tried, arguments.runs, parses=not arguments.bare)],
    }
    write_report(report, _lines(report), arguments.json)
    return 0


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError(f"--set takes NAME=VALUE, not {text!r}.")
    return name, value


def variants(concurrency: int, processes: Sequence[int], settings: Mapping[str, Any]) -> list[Variant]:
    """Return the crawls to compare: plugin off, on, with worker processes, one request at a time."""
    given = {**_ON, **settings}
    found = [Variant("plugin off", concurrency, {}), Variant("plugin on", concurrency, given)]
    for count in processes:
        name = f"{count} process{'es' if count > 1 else ''}"
        found.append(Variant(name, concurrency, {**given, "SEMTEXT_PROCESSES": count}))
    return [*found, Variant("on, one by one", 1, given)]


def cores() -> int:
    """Return how many cores this process, and so the crawl, may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crawls(
    pages: Sequence[Source], compared: Sequence[Variant], runs: int, *, parses: bool
) -> Iterator[dict[str, Any]]:
    """Crawl the pages in each way, ``runs`` times in turn, and yield what `research.benchmark.trial` measures.

    With ``parses``, callbacks use the page. Raises CommandError for a crawl that loses a page.
    """
    with TemporaryDirectory(prefix="semtext-crawl-") as name:
        folder = Path(name)
        for number, page in enumerate(pages):
            (folder / str(number)).write_bytes(page.html.encode("utf-8", "replace"))
        with site(folder) as address:
            urls = [f"{address}{number}" for number in range(len(pages))]
            for run in range(1, runs + 1):
                for variant in compared:
                    yield {"name": variant.name, "run": run, **_crawl(variant, urls, parses=parses)}


def _crawl(variant: Variant, urls: list[str], *, parses: bool) -> dict[str, Any]:
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
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    items, filled = found.pop("items"), found.pop("filled")
    if items != len(urls) or (filled is not None and filled != items):
        counts = f"{items} items" if filled is None else f"{items} items, {filled} of them filled,"
        raise CommandError(f"The crawl {variant.name!r} gave {counts} of {len(urls)} pages.")
    return {"pages": items, "concurrency": variant.concurrency, **found, "pages_a_second": items / found["seconds"]}


def _lines(report: dict[str, Any]) -> Iterator[str]:
    """The lines of the table."""
    many = "s" if report["cores"] > 1 else ""
    size = f"{report['pages']} pages of {report['bytes'] / 1000:.1f} KB"
    yield f"{size}, {report['concurrency']} requests at a time, on {report['cores']} core{many}"
    yield f"{'':20}{'':43}{'event loop late by':>24}"
    yield f"{'':16}{'run':>4}" + "".join(f"{head:>{_width(head)}}" for _, head, _ in _COLUMNS)
    for crawl in report["crawls"]:
        cells = (f"{_cell(crawl, name, decimals):>{_width(head)}}" for name, head, decimals in _COLUMNS)
        yield f"{crawl['name']:16}{crawl['run']:4}{''.join(cells)}"


def _cell(crawl: dict[str, Any], name: str, decimals: int) -> str:
    value = crawl[name]
    if value is None:
        return "-"
    divisor = crawl["pages"] if name.endswith("cpu_ms") else 1e6 if name.endswith("bytes") else 1
    return f"{value / divisor:.{decimals}f}"


def _width(head: str) -> int:
    return max(8, len(head) + 2)
