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
from pathlib import Path
from typing import TYPE_CHECKING

from research.benchmark.common import number_list, read_sample, write_report
from research.benchmark.interleaved import InterleavedBenchmark, interleaved
from research.benchmark.measure import costs, growth
from research.benchmark.memory import peak_memory
from research.benchmark.report import Report
from research.benchmark.startup import startup
from research.peers import PEERS
from scrapy_semtext.cli.models import add_model_arguments, add_result_arguments, load_extractor
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.cli.train import reported_errors

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from scrapy_semtext.extractor import Source

_GROWTH_SIZES = (10_000, 50_000, 200_000, 1_000_000, 5_000_000, 20_000_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    _add_page_arguments(parser)
    parser.add_argument(
        "--sizes", type=number_list, default=_GROWTH_SIZES, metavar="N,N", help="bytes of pages for growth; empty: none"
    )
    parser.add_argument("--no-startup", action="store_true", help="do not measure the start-up of an interpreter")
    parser.add_argument("--peers", action="store_true", help="also measure those of research.peers that are installed")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="compare with the package in FOLDER only")
    parser.add_argument(
        "--rounds", type=int, default=6, metavar="N", help="with --against: readings of all pages (%(default)s)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON; - for standard output")
    add_model_arguments(parser)
    add_result_arguments(parser)


def _add_page_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", metavar="DATA", help="JSON lines with url and html, plain, .gz or .xz")
    parser.add_argument(
        "--pages", type=int, default=200, metavar="N", help="number of pages, evenly spaced (200); 0: all"
    )
    parser.add_argument("--max-bytes", type=int, metavar="N", help="only pages of less than N bytes")
    parser.add_argument(
        "--unseen", action="store_true", help="only pages of domains that were held out of the model's training"
    )
    parser.add_argument("--batch-size", type=int, default=16, metavar="PAGES", help="pages at a time (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    is_wanted = _is_unseen(arguments) if arguments.unseen else None
    pages = read_sample(arguments.data, arguments.max_bytes, arguments.pages or None, is_wanted)
    if arguments.against is not None:
        write_report(_compare(arguments, pages), arguments.json)
        return 0
    write_report(_measure(arguments, pages), arguments.json)
    return 0


def _is_unseen(arguments: argparse.Namespace) -> Callable[[Source], bool]:
    """Whether a page has an address whose domain was held out of the training of the model."""
    with reported_errors():
        from scrapy_semtext.train.datasets import registered_domain
        from scrapy_semtext.train.evaluate import kept_out

        (fold,) = kept_out(arguments.bundle, arguments.labeler)
    return lambda page: page.url is not None and fold.keeps_out(registered_domain(page.url))


def _compare(arguments: argparse.Namespace, pages: Sequence[Source]) -> InterleavedBenchmark:
    if not (arguments.against / "scrapy_semtext").is_dir():
        install = f"pip install --no-deps --target {arguments.against} CHECKOUT"
        raise CommandError(f"{arguments.against} has no package scrapy_semtext. Run: {install}")
    if arguments.rounds < 1:
        raise CommandError("--rounds must be at least 1")
    return interleaved(arguments.against, pages, arguments.batch_size, arguments.rounds)


def _measure(arguments: argparse.Namespace, pages: Sequence[Source]) -> Report:
    installed = {name: peer.load() for name, peer in PEERS.items() if arguments.peers and peer.version() is not None}
    extractor = load_extractor(arguments)
    gc.collect()
    gc.freeze()  # as a crawl and `semtext batch` do
    page_costs = costs(extractor, pages, arguments.batch_size, installed)
    report = Report(page_costs, peak_memory(), arguments.batch_size, arguments.unseen)
    if arguments.sizes:
        try:
            report.growth = growth(extractor, pages, arguments.sizes)
        except ValueError as error:
            raise CommandError(f"{error} Leave the growth out with --sizes ''.") from error
    if not arguments.no_startup:
        report.startup = startup(arguments.bundle)
    return report
