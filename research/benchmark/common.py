"""What the two commands share: options, pages and reports."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from research.benchmark.pages import sample
from research.benchmark.stopwatch import size_in_bytes
from scrapy_semtext.cli.inputs import PageFiles, replacing
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.extractor import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from research.benchmark.crawl import CrawlReport
    from research.benchmark.interleaved import InterleavedBenchmark
    from research.benchmark.report import Report


def number_list(text: str) -> tuple[int, ...]:
    """Integers of at least 1, separated by commas; an empty text is an empty list."""
    try:
        numbers = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,4,16") from error
    if any(number < 1 for number in numbers):
        raise argparse.ArgumentTypeError("numbers must be at least 1")
    return numbers


def read_sample(
    names: Sequence[str], max_bytes: int | None, count: int | None, is_wanted: Callable[[Source], bool] | None = None
) -> list[Source]:
    """Read at most ``count`` evenly spaced pages of less than ``max_bytes``. Raises CommandError if there is none."""
    pages = [page for name in names for page in _read(name, max_bytes) if is_wanted is None or is_wanted(page)]
    if not pages:
        raise CommandError(f"There is no page to measure in {', '.join(names)}.")
    return sample(pages, count)


def write_report(report: Report | CrawlReport | InterleavedBenchmark, name: str | None) -> None:
    """Print a report, and write it as JSON to the file ``name``; "-" prints the JSON instead, None writes none."""
    if name != "-":
        sys.stdout.write("\n".join(report.lines()) + "\n")
    if name is not None:
        with replacing(name) as file:
            file.write((json.dumps(report.to_dict(), indent=2) + "\n").encode())


def _read(name: str, max_bytes: int | None) -> Iterator[Source]:
    for row in PageFiles([name]):
        if row.error is not None:
            raise CommandError(f"{name}, line {row.number}: {row.error}")
        if max_bytes is None or size_in_bytes(row.html) < max_bytes:
            yield Source(row.html, row.url)
