"""Measure the cost of pages: CPU time by stage, relative to the lxml parse of the same pages.

DATA are JSON lines with the keys url and html, as for `semtext batch`. The headline is "first reading": each page is
read once, as in a crawl, by a process that has read only a built-in page before. Its words and class names are new, and
caches are cold. "read again" is the steady state, the second reading of the same pages. --unseen leaves out the pages
of domains that the model was trained on. --peers measures other extractors on the same pages.

Also printed are the peak memory, the start-up time of a fresh interpreter, and the growth of the time with the size of
a page (pages of each size are composed of the given ones). Times are CPU times of the process, which depend little
on the load of the machine.

With --against only another version of this package is compared: both read each batch in turn. FOLDER is where that was
installed by "pip install --no-deps --target FOLDER CHECKOUT".
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.benchmark.interleaved import compare
from research.benchmark.memory import peak_memory
from research.benchmark.pages import (
    WARM_UP,
    add_page_arguments,
    mean_size,
    number_list,
    page_of_size,
    read_sample,
    size_in_bytes,
    write_report,
)
from research.benchmark.stopwatch import STAGES, Stopwatch, parse_alone, seconds_of
from research.peers import PEERS
from scrapy_semtext.cli.models import add_model_arguments, add_result_arguments, load_extractor
from scrapy_semtext.cli.train import reported_errors
from scrapy_semtext.extractor import Source
from scrapy_semtext.utils.extensions import missing_extensions

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from research.peers import Read
    from scrapy_semtext.extractor import Extractor

_GROWTH_SIZES = (10_000, 50_000, 200_000, 1_000_000, 5_000_000, 20_000_000)
_MEGA = 1e6
#: Prints the CPU milliseconds of each step, and the peak memory, as JSON.
_STARTUP = """
import importlib, json, sys, time
import scrapy
began, times = 0.0, {}
def done(step):
    global began
    times[step], began = 1000 * (time.process_time() - began), time.process_time()
done("import scrapy")
importlib.import_module("scrapy_semtext")
done("import scrapy_semtext beyond that")
from scrapy_semtext.extractor import Extractor
extractor = Extractor.load(json.loads(sys.argv[1]), "cpu")
done("load the bundle")
page = "<html><body><h1>Bread</h1><p>Take flour, water and salt, and wait for a long time.</p></body></html>"
extractor.read(page)
done("first page")
extractor.read(page)
done("second page")
from research.benchmark.memory import peak_memory
print(json.dumps([times, peak_memory()]))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_page_arguments(parser, 200)
    parser.add_argument(
        "--unseen", action="store_true", help="only pages of domains that were held out of the model's training"
    )
    parser.add_argument("--batch-size", type=int, default=16, metavar="PAGES", help="pages at a time (%(default)s)")
    parser.add_argument(
        "--sizes", type=number_list, default=_GROWTH_SIZES, metavar="N,N", help="bytes of pages for growth; empty: none"
    )
    parser.add_argument("--no-startup", action="store_true", help="do not measure the start-up of an interpreter")
    parser.add_argument("--peers", action="store_true", help="also measure those of research.peers that are installed")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="compare with the package in FOLDER only")
    parser.add_argument(
        "--rounds", type=int, default=6, metavar="N", help="with --against: readings of all pages (%(default)s)"
    )
    add_model_arguments(parser)
    add_result_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    pages = read_sample(arguments, _is_unseen(arguments)) if arguments.unseen else read_sample(arguments)
    batches = [pages[begin : begin + arguments.batch_size] for begin in range(0, len(pages), arguments.batch_size)]
    if arguments.against is not None:
        report, lines = compare(arguments.against, batches, arguments.rounds)
        write_report(report, lines, arguments.json)
        return 0
    peers = {name: peer.load() for name, peer in PEERS.items() if arguments.peers and peer.version() is not None}
    extractor = load_extractor(arguments)
    gc.collect()
    gc.freeze()  # as a crawl and `semtext batch` do
    measured = costs(extractor, batches, peers)
    memory = peak_memory()
    growth = _growth(extractor, pages, arguments.sizes) if arguments.sizes else None
    startup = None if arguments.no_startup else _startup(arguments.bundle)
    report = {
        "not_compiled": missing_extensions(),
        "unseen": arguments.unseen,
        "batch_size": arguments.batch_size,
        "costs": asdict(measured),
        "peak_bytes": memory,
        "startup": startup,
        "growth": growth,
    }
    write_report(report, _lines(report, measured), arguments.json)
    return 0


def _is_unseen(arguments: argparse.Namespace) -> Callable[[Source], bool]:
    """Whether a page has an address whose domain was held out of the training of the model."""
    with reported_errors():
        from scrapy_semtext.train.datasets import registered_domain
        from scrapy_semtext.train.evaluate import kept_out

        (fold,) = kept_out(arguments.bundle, arguments.labeler)
    return lambda page: page.url is not None and fold.keeps_out(registered_domain(page.url))


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
    again: dict[str, float]
    peers: dict[str, float]
    failed: int


def costs(extractor: Extractor, batches: Sequence[Sequence[Source]], peers: Mapping[str, Read]) -> Costs:
    """Measure the pages: for each batch lxml alone, this package twice, and the peers.

    A page built into the package is read before, so that what is loaded once does not count.
    """
    first, again = Stopwatch(), Stopwatch()
    parse, failed = 0.0, 0
    peer_seconds = dict.fromkeys(peers, 0.0)
    extractor.read_many([Source(WARM_UP)])
    parse_alone(WARM_UP)
    for peer in peers.values():
        _attempt(peer, WARM_UP, None)
    for batch in batches:
        parse += sum(seconds_of(parse_alone, page.html) for page in batch)
        for watch in (first, again):
            with watch.installed(), watch.whole():
                results = extractor.read_many(batch)
        failed += sum(isinstance(result, Exception) for result in results)
        for name, peer in peers.items():
            peer_seconds[name] += sum(seconds_of(_attempt, peer, page.html, page.url) for page in batch)
    pages = [page for batch in batches for page in batch]
    each = 1000 / len(pages)
    return Costs(
        pages=len(pages),
        bytes=mean_size(pages),
        parse_ms=parse * each,
        stages={stage: first.seconds[stage] * each for stage in STAGES},
        again={stage: again.seconds[stage] * each for stage in STAGES},
        peers={name: seconds * each for name, seconds in peer_seconds.items()},
        failed=failed,
    )


def _attempt(peer: Read, html: str, url: str | None) -> None:
    """Call a peer. A page that it fails on counts with the time until it fails."""
    with suppress(Exception):
        peer(html, url)


def _growth(extractor: Extractor, pages: Sequence[Source], sizes: Sequence[int]) -> dict[str, list[float]]:
    """Milliseconds of CPU for one page of each size, by stage; the sizes themselves are ``bytes``."""
    times: dict[str, list[float]] = {name: [] for name in ("bytes", "lxml parse", *STAGES)}
    for size in sizes:
        html = page_of_size(pages, size)
        watch = Stopwatch()
        times["bytes"].append(size_in_bytes(html))
        times["lxml parse"].append(1000 * seconds_of(parse_alone, html))
        with watch.installed(), watch.whole():
            extractor.read_many([Source(html)])
        for stage in STAGES:
            times[stage].append(1000 * watch.seconds[stage])
    return times


def _startup(bundle: Path | None) -> tuple[dict[str, float], int | None]:
    """The CPU milliseconds of each step of a fresh interpreter, and its peak memory in bytes.

    Raises RuntimeError with the output of the interpreter if it fails.
    """
    where = json.dumps(None if bundle is None else str(bundle))
    done = subprocess.run([sys.executable, "-c", _STARTUP, where], capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    if done.returncode:
        raise RuntimeError(f"A fresh interpreter could not read a page:\n{done.stderr}")
    times, memory = json.loads(done.stdout.splitlines()[-1])
    return times, memory


def _lines(report: dict[str, Any], costs: Costs) -> Iterator[str]:
    """The report for people."""
    failed = f", {costs.failed} of them failed" if costs.failed else ""
    size = f"{costs.pages} {'unseen ' if report['unseen'] else ''}pages of {costs.bytes / 1000:.1f} KB{failed}"
    yield f"{size}, {report['batch_size']} at a time; CPU time a page"
    total, again = sum(costs.stages.values()), {**costs.again, "all": sum(costs.again.values())}
    multiples = {"first reading": total, "read again": again["all"], **costs.peers}
    yield "x lxml parse: " + ", ".join(f"{name} {ms / costs.parse_ms:.1f}" for name, ms in multiples.items())
    yield f"not compiled: {', '.join(report['not_compiled']) or 'nothing'}"
    yield f"{'':18}{'first reading':>18}{'read again':>18}"
    yield f"{'':18}{'ms':>9}{'x parse':>9}{'ms':>9}{'x parse':>9}"
    for name, ms in {"lxml parse": costs.parse_ms, **costs.stages, "all": total, **costs.peers}.items():
        row = f"{name:18}{ms:9.2f}{ms / costs.parse_ms:9.1f}"
        yield f"{row}{again[name]:9.2f}{again[name] / costs.parse_ms:9.1f}" if name in again else row
    if report["peak_bytes"] is not None:
        yield f"peak memory of the run: {report['peak_bytes'] / _MEGA:.0f} MB"
    if report["startup"] is not None:
        times, memory = report["startup"]
        yield "\nstart, in a fresh interpreter; CPU time"
        yield from (f"{name:34}{ms:9.1f} ms" for name, ms in times.items())
        if memory is not None:
            yield f"{'peak memory':34}{memory / _MEGA:9.0f} MB"
    if report["growth"] is not None:
        growth = dict(report["growth"])
        yield "\ngrowth: ms of CPU for one page of this size in KB"
        yield f"{'':12}" + "".join(f"{size / 1000:10.0f}" for size in growth.pop("bytes"))
        growth["all"] = [sum(values) for values in zip(*(growth[stage] for stage in STAGES), strict=True)]
        for name, values in growth.items():
            yield f"{name:12}" + "".join(f"{ms:10.1f}" for ms in values)
