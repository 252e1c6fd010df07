"""Train the model of page kinds (article, listing, product...), and write it to a bundle.

It learns from pages whose page_type is one of these kinds. The domains held out are those of `semtext train labels`
with the same --test-share and --test-fold. Needs the extra scrapy-semtext[train].
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
        from scrapy_semtext.training.kind_fit import train_kinds

        record = train_kinds(tree_job(arguments), progress=sys.stderr.isatty())
    write_record(record)
    return 0
