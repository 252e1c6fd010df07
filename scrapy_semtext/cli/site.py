"""Remove the content that pages of a site share from a complete set of pages.

IN has the formats of `semtext batch`. It is read twice: to learn what the pages of each site share, and to clean them.
OUT has a line of JSON for each page, in the same order, with the keys id, url, title, description, headings,
breadcrumbs, lists and main_text, or an error for a page that failed. Files whose names end in .gz or .xz are
compressed; - is standard output. OUT is created once it is complete.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from functools import partial
from itertools import tee
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing
from scrapy_semtext.cli.models import add_model_arguments, load_extractor, positive
from scrapy_semtext.cli.outputs import counted
from scrapy_semtext.cli.page_files import PageFiles, Row, add_input_options, add_inputs, error_row
from scrapy_semtext.cli.row_files import as_line, row_format
from scrapy_semtext.site.bounds import SITE_KINDS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from scrapy_semtext.site.deboiler import Deboiler, SourcePage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_inputs(parser)
    parser.add_argument("output", metavar="OUT", help="JSON lines, plain, .gz or .xz; - for standard output")
    add_input_options(parser)
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes (%(default)s)")
    parser.add_argument(
        "--by", choices=SITE_KINDS, default="host", help="whether a site is a host or a registered domain (%(default)s)"
    )
    parser.add_argument(
        "--no-model", action="store_true", help="keep all text that is not shared, like deboiler, without labels"
    )
    add_model_arguments(parser, markup=False)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.site.deboiler import Deboiler

    pages = PageFiles(arguments.input, arguments.html_key, arguments.form, limits=arguments.limits)
    if pages.size is None:
        raise CommandError("IN is read twice, so it has to be files, not a pipe.")
    if row_format(arguments.output, None) != "jsonl":
        raise CommandError(f"OUT is written as JSON lines, but {arguments.output} has another extension.")
    began = time.monotonic()
    arguments.no_pairs = arguments.no_sections = arguments.no_kinds = arguments.no_markup = True  # not needed
    load = None if arguments.no_model else partial(load_extractor, arguments)
    with Deboiler(load, workers=arguments.workers, by=arguments.by) as deboiler, replacing(arguments.output) as file:
        deboiler.fit(_source(row) for row in pages if row.error is None)
        count = errors = 0
        for result in _cleaned(deboiler, pages):
            file.write(as_line(result))
            count += 1
            errors += "error" in result
    sites, duplicates = deboiler.stats["sites"], deboiler.stats["duplicates"]
    sys.stderr.write(
        f"{counted(count, 'page')} of {counted(sites, 'site')}, {duplicates} of them duplicates,"
        f" {errors} with an error, in {time.monotonic() - began:.1f} seconds\n"
    )
    return int(0 < errors == count)


def _cleaned(deboiler: Deboiler, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield a row of OUT for each of IN, in order."""
    sources, rows = tee(rows)  # transform() reads ahead by a few chunks of pages
    results = deboiler.transform(_source(row) for row in sources if row.error is None)
    for row in rows:
        result = row.error if row.error is not None else next(results)
        if isinstance(result, str):
            yield error_row(row, result)
        elif isinstance(result, Exception):
            yield error_row(row, f"{type(result).__name__}: {result}")
        else:
            yield {"id": row.id, **asdict(result)}


def _source(row: Row) -> SourcePage:
    from scrapy_semtext.site.deboiler import SourcePage

    return SourcePage(row.html, row.url)
