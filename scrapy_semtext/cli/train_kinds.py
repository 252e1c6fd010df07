"""Fit the model that tells articles, listings, products and other kinds of page, and put it into a bundle.

It learns from the pages whose page_type is one of these kinds. The domains that are kept out are those that `semtext
train` keeps out with the same --test-share and --test-fold. Needs the extra scrapy-semtext[train].
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
        from scrapy_semtext.training.kind_run import train_kinds

        record = train_kinds(tree_plan(arguments), progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
