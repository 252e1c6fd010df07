"""Remove from a complete set of pages what the pages of each site share: JSON lines in, JSON lines out.

IN is read twice: to learn what the pages of each site share, and to clean them. Each line is an object with the keys
id, url and html. OUT has a line for each, in the same order, with the keys id, url, title, description, headings,
breadcrumbs, lists and main_text, or an error for a page that failed. Files whose names end in .gz or .xz are
compressed; - is standard output. OUT is created when it is complete.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from functools import partial
from itertools import tee
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.batch import read_rows
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import LineReader, replacing
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.values import positive
from scrapy_semtext.site.bounds import SITE_KINDS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from scrapy_semtext.cli.batch import Row
    from scrapy_semtext.site.deboiler import Deboiler, SourcePage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("input", metavar="IN", help="JSON lines, plain, .gz or .xz; a file, as it is read twice")
    parser.add_argument("output", metavar="OUT", help="JSON lines, plain, .gz or .xz; - for standard output")
    parser.add_argument("--html-key", default="html", metavar="KEY", help="the key that holds the page (%(default)s)")
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes (%(default)s)")
    parser.add_argument(
        "--by", choices=SITE_KINDS, default="host", help="what a site is: a host, or a registered domain (%(default)s)"
    )
    parser.add_argument(
        "--no-model", action="store_true", help="keep all text that is not shared, as deboiler does, without labels"
    )
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.site.deboiler import Deboiler

    if arguments.input == "-":
        raise CommandError("IN is read twice, so it has to be a file.")
    began = time.monotonic()
    arguments.no_pairs = arguments.no_markup = True  # neither is asked for
    load = None if arguments.no_model else partial(load_extractor, arguments)
    with Deboiler(load, workers=arguments.workers, by=arguments.by) as deboiler, replacing(arguments.output) as file:
        with closing(LineReader(arguments.input)) as reader:
            rows = read_rows(reader, arguments.html_key)
            deboiler.fit(_source(row) for row in rows if row.error is None)
        pages = errors = 0
        with closing(LineReader(arguments.input)) as reader:
            for result in _cleaned(deboiler, read_rows(reader, arguments.html_key)):
                file.write(f"{json.dumps(result, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace"))
                pages += 1
                errors += "error" in result
    sites, duplicates = deboiler.stats["sites"], deboiler.stats["duplicates"]
    sys.stderr.write(
        f"{pages} pages of {sites} sites, {duplicates} of them duplicates, {errors} with an error, in"
        f" {time.monotonic() - began:.1f} seconds\n"
    )
    return 0


def _cleaned(deboiler: Deboiler, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield a row of OUT for each of IN, in order."""
    sources, rows = tee(rows)  # transform() reads ahead by a few chunks of pages
    results = deboiler.transform(_source(row) for row in sources if row.error is None)
    for row in rows:
        result = row.error if row.error is not None else next(results)
        if isinstance(result, str):
            yield {"id": row.id, "url": row.url, "line": row.number, "error": result}
        elif isinstance(result, Exception):
            message = f"{type(result).__name__}: {result}"
            yield {"id": row.id, "url": row.url, "line": row.number, "error": message}
        else:
            yield {"id": row.id, **result.to_dict()}


def _source(row: Row) -> SourcePage:
    from scrapy_semtext.site.deboiler import SourcePage

    return SourcePage(row.html, row.url)
