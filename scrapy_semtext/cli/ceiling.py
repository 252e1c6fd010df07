"""Print what no labelling of the blocks can beat: the word F1 of blocks labelled from the truth itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli.trainings import add_data_argument, training_errors, write_table

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with training_errors():
        from scrapy_semtext.training.ceiling import ceiling

        groups = ceiling(arguments.data, progress=sys.stderr.isatty())
    write_table(groups)
    return 0
