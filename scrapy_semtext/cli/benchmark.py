"""Measure what pages cost: CPU time by stage, beside a plain parse of the same pages by lxml.

DATA are JSON lines with the keys url and html, as for `semtext batch`. Printed are milliseconds of CPU a page by stage
and in parses, the peak of memory, pages a second by batch size, threads and worker processes, what it takes until the
first page is read, and how the time grows with the size of a page (pages of each size are built of the given ones),
with the power fitted by least squares. Times are those of the process, so that other work on the machine matters
little, but for threads and processes, which are measured by the clock on the wall. With --against nothing of this is
measured, but how much less or more this package costs than another state of it: both read each batch in turns. FOLDER
is what that was installed to, by "pip install --no-deps --target FOLDER CHECKOUT".
"""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.measuring import check_plot, numbers, pages_of, write_report
from scrapy_semtext.cli.models import add_model_arguments, load_extractor, setup_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy_semtext.benchmark.interleaved import InterleavedBenchmark
    from scrapy_semtext.benchmark.report import Report
    from scrapy_semtext.extractor import Source

_COUNTS = (1, 2)
_BATCH_SIZES = (1, 4, 16, 64)
_GROWTH_SIZES = (10_000, 50_000, 200_000, 1_000_000, 5_000_000, 20_000_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("data", nargs="+", metavar="DATA", help="JSON lines with url and html, plain, .gz or .xz")
    parser.add_argument(
        "--pages", type=int, default=200, metavar="N", help="pages to measure, evenly taken (200); 0: all"
    )
    parser.add_argument("--max-bytes", type=int, metavar="N", help="only pages of less than N bytes")
    parser.add_argument("--batch-size", type=int, default=16, metavar="PAGES", help="pages at a time (%(default)s)")
    parser.add_argument(
        "--batch-sizes", type=numbers, default=_BATCH_SIZES, metavar="N,N", help="sizes to compare; empty: none"
    )
    parser.add_argument(
        "--sizes", type=numbers, default=_GROWTH_SIZES, metavar="N,N", help="bytes of pages for growth; empty: none"
    )
    parser.add_argument(
        "--fit-from", type=int, default=50_000, metavar="N", help="bytes from which on the growth is fitted (50000)"
    )
    parser.add_argument(
        "--threads", type=numbers, default=_COUNTS, metavar="N,N", help="threads to compare (1,2); empty: none"
    )
    parser.add_argument(
        "--processes", type=numbers, default=_COUNTS, metavar="N,N", help="processes to compare (1,2); empty: none"
    )
    parser.add_argument("--no-startup", action="store_true", help="do not measure what a fresh interpreter needs")
    parser.add_argument("--peers", action="store_true", help="measure other extractors, if installed, as well")
    parser.add_argument(
        "--against", type=Path, metavar="FOLDER", help="compare with the package in FOLDER, and nothing else"
    )
    parser.add_argument(
        "--rounds", type=int, default=6, metavar="N", help="how often all pages are read for that (%(default)s)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON; - for standard output")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a picture (needs matplotlib)")
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.plot is not None:
        check_plot(arguments.plot)
    pages = pages_of(arguments.data, arguments.max_bytes, arguments.pages or None)
    if arguments.against is not None:
        write_report(_compared(arguments, pages), arguments.json)
        return 0
    report = _measured(arguments, pages)
    write_report(report, arguments.json)
    if arguments.plot is not None:
        from scrapy_semtext.benchmark.plot import save_plot

        save_plot(report, arguments.plot)
    return 0


def _compared(arguments: argparse.Namespace, pages: Sequence[Source]) -> InterleavedBenchmark:
    from scrapy_semtext.benchmark.interleaved import ReaderError, interleaved

    if not (arguments.against / "scrapy_semtext").is_dir():
        install = f"pip install --no-deps --target {arguments.against} CHECKOUT"
        raise CommandError(f"{arguments.against} holds no package scrapy_semtext. Run: {install}")
    if arguments.rounds < 1:
        raise CommandError("--rounds must be at least 1")
    try:
        return interleaved(arguments.against, pages, arguments.batch_size, arguments.rounds)
    except ReaderError as error:
        raise CommandError(f"{error}.") from error


def _measured(arguments: argparse.Namespace, pages: Sequence[Source]) -> Report:
    from scrapy_semtext.benchmark.measure import batches_of, costs, growth, peak_memory, throughput
    from scrapy_semtext.benchmark.parallel import by_processes, by_threads
    from scrapy_semtext.benchmark.peers import installed_peers
    from scrapy_semtext.benchmark.report import Report
    from scrapy_semtext.benchmark.startup import startup

    extractor = load_extractor(arguments)
    gc.collect()
    gc.freeze()  # as a crawl does and `semtext batch`
    spent = costs(extractor, pages, arguments.batch_size, installed_peers() if arguments.peers else {})
    report = Report(spent, peak_memory(), arguments.batch_size)
    report.throughput = throughput(extractor, pages, arguments.batch_sizes)
    if arguments.sizes:
        try:
            report.growth = growth(extractor, pages, arguments.sizes, arguments.fit_from)
        except ValueError as error:
            raise CommandError(f"{error} Leave the growth out with --sizes ''.") from error
    batches = batches_of(pages, arguments.batch_size)
    report.threads = by_threads(partial(load_extractor, arguments), batches, arguments.threads)
    report.processes = by_processes(setup_of(arguments), batches, arguments.processes)
    if not arguments.no_startup:
        report.startup = startup(arguments.bundle)
    return report
