"""Measure the records of listings and collections, in five folds by domain: each page by models fitted without its own.

True records are the links of a page whose text is a line of its true main text. A record is right if the words of its
title and its address are. "gated" is the F1 of pages that have to be told as overviews first.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, reported_errors, write_table

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--pages", type=Path, metavar="FILE", help="ids of the pages with known records (default: all)")
    parser.add_argument(
        "--bundles",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="a bundle for each fold, whose models of page kinds tell overviews (default: the shipped bundle)",
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors():
        from scrapy_semtext.training.record_fit import evaluate_records

        rows = evaluate_records(
            arguments.data, arguments.pages, arguments.bundles, arguments.seed, progress=sys.stderr.isatty()
        )
    write_table(rows)
    return 0
