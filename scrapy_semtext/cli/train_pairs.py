"""Train the models that read question-answer pairs from the structure of pages, and put them into a bundle.

Needs pages with known posts, FAQ pages with known pairs, and pages that have neither (docs/training.md); of the domains
kept for tests only those that have neither are left out. Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli.trainings import add_tree_arguments, training_errors, tree_plan

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_tree_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with training_errors():
        from scrapy_semtext.training.pair_run import train_pairs

        record = train_pairs(tree_plan(arguments), progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
