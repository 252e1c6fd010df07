"""Train the models that tell titles, prose and miscellany apart, and put them into a bundle.

Titles are learned from the heading tags of pages, which are hidden from the models on a copy of each page. Which lines
are main content is told from the pages' true text (docs/sections.md). Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli.trainings import add_tree_arguments, training_errors, tree_plan

if TYPE_CHECKING:
    import argparse

add_arguments = add_tree_arguments


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with training_errors():
        from scrapy_semtext.training.section_run import train_sections

        record = train_sections(tree_plan(arguments), progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
