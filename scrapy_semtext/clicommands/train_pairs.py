"""Train the models that read question-answer pairs from the structure of pages, and put them into a bundle.

Needs pages with known posts, FAQ pages with known pairs, and pages that have neither (docs/training.md). Needs the
extra scrapy-semtext[train].
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.clicommands.trainings import add_data_argument, add_seed_and_licence, training_errors

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the bundle")
    add_seed_and_licence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with training_errors():
        from scrapy_semtext.training.pair_run import PairPlan, train_pairs

        plan = PairPlan(tuple(arguments.data), arguments.out, arguments.seed, arguments.any_licence)
        record = train_pairs(plan, progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
