"""Train the models that tell titles, prose and miscellany apart, and put them into a bundle.

Titles are learned from the heading tags of pages, which are hidden from the models on a copy of each page. Which lines
are main content is told from the pages' true text (docs/sections.md). Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.clicommands.train_pairs import add_pair_arguments
from scrapy_semtext.clicommands.trainings import add_data_argument, training_errors

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the bundle")
    parser.add_argument("--test-share", type=float, default=0.2, help="of the domains, kept for tests (%(default)s)")
    parser.add_argument("--test-fold", type=int, default=0, help="which fold is kept (%(default)s)")
    add_pair_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with training_errors():
        from scrapy_semtext.training.section_run import SectionPlan, train_sections

        plan = SectionPlan(
            tuple(arguments.data),
            arguments.out,
            arguments.seed,
            arguments.any_licence,
            arguments.test_share,
            arguments.test_fold,
        )
        record = train_sections(plan, progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
