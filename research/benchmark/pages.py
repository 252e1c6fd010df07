"""The pages that are measured: samples, pages of any size composed of real ones, and a page to warm up with."""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.inputs import PageFiles, replacing
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.extractor import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_BODY = re.compile(r"<body\b[^>]*>(.*)</body\s*>", re.IGNORECASE | re.DOTALL)

#: Read before measuring. It has a little of everything: an article, a list, a question, and schema.org markup.
WARM_UP = """<!DOCTYPE html>
<html lang="en"><head><title>How long does bread keep?</title><meta name="description" content="On keeping bread.">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": [
{"@type": "Question", "name": "Can bread be frozen?", "acceptedAnswer": {"@type": "Answer", "text": "Yes."}}]}</script>
</head><body><nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/bread">Bread</a></li></ul></nav>
<main><h1>How long does bread keep?</h1><p class="byline">By A. Baker, 3 May 2024</p>
<p>A loaf of rye keeps for a week in a cupboard, a white one for two days, and both for three months in a freezer.</p>
<ul><li>Let it cool first.</li><li>Do not put it in a fridge, where it goes stale sooner.</li></ul>
<h2>Can bread be frozen?</h2><p>Yes. Slice it, freeze it in a closed bag, and toast the slices while still frozen.</p>
<table><tr><th>Loaf</th><th>Days</th></tr><tr><td>Rye</td><td>7</td></tr></table></main>
<footer><p>Copyright. All rights reserved. <a href="/privacy">Privacy</a></p></footer></body></html>
"""


def add_page_arguments(parser: argparse.ArgumentParser, pages: int) -> None:
    """Declare the arguments that name pages and the report; ``pages`` is their number by default."""
    parser.add_argument("data", nargs="+", metavar="DATA", help="JSON lines with url and html, plain, .gz or .xz")
    parser.add_argument(
        "--pages", type=int, default=pages, metavar="N", help="number of pages, evenly spaced (%(default)s); 0: all"
    )
    parser.add_argument("--max-bytes", type=int, metavar="N", help="only pages of less than N bytes")
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON; - for standard output")


def number_list(text: str) -> tuple[int, ...]:
    """Integers of at least 1, separated by commas; an empty text is an empty list."""
    try:
        numbers = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,4,16") from error
    if any(number < 1 for number in numbers):
        raise argparse.ArgumentTypeError("numbers must be at least 1")
    return numbers


def read_sample(arguments: argparse.Namespace, is_wanted: Callable[[Source], bool] = lambda _: True) -> list[Source]:
    """Read the pages that the arguments name, evenly spaced. Raises CommandError if there is none."""
    pages = [page for name in arguments.data for page in _read(name, arguments.max_bytes) if is_wanted(page)]
    if not pages:
        raise CommandError(f"There is no page to measure in {', '.join(arguments.data)}.")
    count = min(arguments.pages or len(pages), len(pages))
    return [pages[place * len(pages) // count] for place in range(count)]


def _read(name: str, max_bytes: int | None) -> Iterator[Source]:
    for row in PageFiles([name]):
        if row.error is not None:
            raise CommandError(f"{name}, line {row.number}: {row.error}")
        if max_bytes is None or size_in_bytes(row.html) < max_bytes:
            yield Source(row.html, row.url)


def write_report(report: dict[str, Any], lines: Iterable[str], name: str | None) -> None:
    """Print the lines, and write the report as JSON to the file ``name``; "-" prints the JSON instead."""
    if name != "-":
        sys.stdout.write("\n".join(lines) + "\n")
    if name is not None:
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        with replacing(name) as file:
            file.write((json.dumps({"machine": machine, **report}, indent=2) + "\n").encode())


def size_in_bytes(html: str) -> int:
    """Return the size of a page in UTF-8."""
    return len(html.encode("utf-8", "replace"))


def mean_size(pages: Sequence[Source]) -> float:
    """Return the mean size of a page in bytes."""
    return sum(size_in_bytes(page.html) for page in pages) / len(pages)


def page_of_size(pages: Sequence[Source], size: int) -> str:
    """One page of at least ``size`` bytes whose body repeats the bodies of the pages.

    It is cut between two tags, so it is only slightly longer. Raises CommandError if no page has a body.
    """
    bodies = [match[1] for page in pages if (match := _BODY.search(page.html))]
    if not any(bodies):
        raise CommandError("No page of the data has a body to compose larger pages of. Leave them out by --sizes ''.")
    whole, length = "".join(bodies), sum(map(size_in_bytes, bodies))
    whole *= size // length + 1
    end = whole.find("<", len(whole.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")))
    return f"<html><head><title>Page</title></head><body>{whole[:end] if end >= 0 else whole}</body></html>"
