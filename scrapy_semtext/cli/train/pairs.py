"""Train the models of question-answer pairs, and write them to a bundle.

Needs pages with known posts, FAQ pages with known pairs, and pages with neither (docs/training.md). Of the domains held
out for tests, only pages with neither are left out. Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import reported_errors
from scrapy_semtext.cli.train.options import add_tree_arguments, tree_job, write_record

if TYPE_CHECKING:
    import argparse

add_arguments = add_tree_arguments


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors():
        from scrapy_semtext.training.pair_run import train_pairs

        record = train_pairs(tree_job(arguments), progress=sys.stderr.isatty())
    write_record(record)
    return 0
