"""Measure main texts and readers' comments on pages whose comments are known (``extra.comments``, a text).

Printed are the word F1 of the main text, word precision, recall and F1 of the comments, and the share of pages on which
comments are found, for pages with comments and without.
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
    parser.add_argument("--bundle", type=Path, metavar="DIR", help="a bundle of your own")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors():
        from scrapy_semtext.training.evaluate import evaluate_comments

        rows = evaluate_comments(arguments.data, arguments.bundle, progress=sys.stderr.isatty())
    write_table(rows)
    return 0
