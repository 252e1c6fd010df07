"""Train the record models, which find the items of listings and collections, and write them to a bundle.

They learn from pages of type listing or collection whose true text has a list of titles that are links of the page.
Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import reported_errors
from scrapy_semtext.cli.train.options import add_tree_arguments, tree_job, write_record

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_tree_arguments(parser)
    parser.add_argument("--pages", type=Path, metavar="FILE", help="ids of the pages to learn from (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors():
        from scrapy_semtext.training.record_fit import train_records

        record = train_records(tree_job(arguments), arguments.pages, progress=sys.stderr.isatty())
    write_record(record)
    return 0
