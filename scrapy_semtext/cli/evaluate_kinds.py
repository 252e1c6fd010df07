"""Print how well kinds of page and overviews are told, by models that saw no page of the domains they judge.

TextSweeper's rule for overviews, which needs no training, is measured beside the model on the same pages.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.trainings import add_data_argument, training_errors

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
        help="a bundle for each fold of the domains, to judge all pages; the shipped one judges those it kept out",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with training_errors():
        from scrapy_semtext.inference.storage import SHIPPED
        from scrapy_semtext.training.kind_evaluation import judged_pages, kind_tables

        judged = judged_pages(arguments.data, arguments.bundles or [SHIPPED], progress=sys.stderr.isatty())
    sys.stdout.write(kind_tables(judged))
    return 0
