"""Measure the classification of page kinds, and of overviews, on domains that were held out of training.

TextSweeper's rule for overviews, which needs no training, is measured on the same pages.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, reported_errors

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument(
        "--bundles",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="a bundle for each fold of the domains, to use all pages (default: the shipped bundle, on its own fold)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors():
        from scrapy_semtext.inference.storage import SHIPPED
        from scrapy_semtext.training.kind_evaluation import kind_tables, predict_kinds

        predictions = predict_kinds(arguments.data, arguments.bundles or [SHIPPED], progress=sys.stderr.isatty())
    sys.stdout.write(kind_tables(predictions))
    return 0
