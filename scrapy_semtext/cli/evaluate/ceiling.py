"""Print the upper bound of any labelling of the blocks: the word F1 of blocks labelled from the true text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, reported_errors, write_table

if TYPE_CHECKING:
    import argparse

add_arguments = add_data_argument


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors():
        from scrapy_semtext.training.evaluate import ceiling

        groups = ceiling(arguments.data, progress=sys.stderr.isatty())
    write_table(groups)
    return 0
