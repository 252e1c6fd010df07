"""Train the section models (title, prose, miscellany), and write them to a bundle.

Titles are learned from the heading tags of pages, which are hidden from the models on a copy of each page; main content
from the pages' true text (docs/research/sections.md). Needs the extra scrapy-semtext[train].
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
        from scrapy_semtext.training.section_fit import train_sections

        record = train_sections(tree_job(arguments), progress=sys.stderr.isatty())
    write_record(record)
    return 0
