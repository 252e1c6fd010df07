"""Fit the trees that judge blocks by the structure of the page, and put them into a bundle.

They are averaged with the network's judgement wherever the bundle has them. The domains that are kept out are those
that `semtext train` keeps out with the same --test-share and --test-fold. Needs the extra scrapy-semtext[train].
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
        from scrapy_semtext.training.structure_run import train_structure

        record = train_structure(tree_plan(arguments), progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
