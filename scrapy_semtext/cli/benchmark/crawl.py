"""Measure the cost of the plugin in a crawl of real pages over loopback.

DATA are JSON lines with the keys url and html, as for `semtext batch`. One process serves the pages on 127.0.0.1, and
others crawl them, one after the other: with the plugin off, on, with worker processes, with trafilatura called in the
callback (if it is installed), and with the plugin on and one request at a time. Printed are pages a second, CPU time a
page of the crawl's process, delays of the event loop (median, 99th percentile, longest), the longest time that a page
waited before it was read, and the peak memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.benchmark.common import check_plot, read_sample, write_report
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.values import number_list, positive

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("data", nargs="+", metavar="DATA", help="JSON lines with url and html, plain, .gz or .xz")
    parser.add_argument("--pages", type=int, default=300, metavar="N", help="number of pages, evenly spaced (300)")
    parser.add_argument("--max-bytes", type=int, metavar="N", help="only pages of less than N bytes")
    parser.add_argument("--concurrency", type=positive, default=16, metavar="N", help="requests at a time (16)")
    parser.add_argument(
        "--processes",
        type=number_list,
        default=(1, 2),
        metavar="N,N",
        help="worker processes to try (1,2); empty: none",
    )
    parser.add_argument("--bare", action="store_true", help="callbacks that extract nothing themselves")
    parser.add_argument("--runs", type=positive, default=1, metavar="N", help="repeat all crawls N times (%(default)s)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting for the crawls with the plugin on"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON; - for standard output")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a picture (needs matplotlib)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.benchmark.crawl.report import CrawlReport, save_plot
    from scrapy_semtext.benchmark.crawl.trials import TrialError, cores, crawls, mean_size, variants

    if arguments.plot is not None:
        check_plot(arguments.plot)
    settings = dict(_setting(text) for text in arguments.set)
    pages = read_sample(arguments.data, arguments.max_bytes, arguments.pages or None)
    tried = variants(arguments.concurrency, arguments.processes, settings, bare=arguments.bare)
    try:
        results = list(crawls(pages, tried, arguments.runs))
    except TrialError as error:
        raise CommandError(str(error)) from error
    report = CrawlReport(len(pages), mean_size(pages), arguments.concurrency, cores(), results)
    write_report(report, arguments.json)
    if arguments.plot is not None:
        save_plot(report, arguments.plot)
    return 0


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CommandError(f"--set takes NAME=VALUE, not {text!r}.")
    return name, value
