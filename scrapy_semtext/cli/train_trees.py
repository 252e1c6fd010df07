"""The commands ``semtext train NAME`` for the parts of a bundle that are gradient-boosted trees."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import (
    ANY_LICENCE,
    add_data_argument,
    add_split_arguments,
    reported_errors,
    write_record,
)

if TYPE_CHECKING:
    import argparse


class TreeCommand:
    """Trains by ``train``, "module:function" of `scrapy_semtext.training`; ``text`` is what the command's help says.

    ``takes_ids``: whether the pages to learn from can be named.
    """

    def __init__(self, train: str, text: str, *, takes_ids: bool = False) -> None:
        self.__doc__ = f"{text} Needs the extra scrapy-semtext[train]."
        self._train = train
        self._takes_ids = takes_ids

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""
        add_data_argument(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the bundle")
        add_split_arguments(parser)
        parser.add_argument("--any-licence", **ANY_LICENCE)
        if self._takes_ids:
            parser.add_argument(
                "--pages", type=Path, metavar="FILE", help="ids of the pages to learn from (default: all)"
            )

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command."""
        with reported_errors():
            from scrapy_semtext.training.boosting import TreeTrainingJob

            module, _, function = self._train.partition(":")
            train = getattr(import_module(f"scrapy_semtext.training.{module}"), function)
            job = TreeTrainingJob(
                tuple(arguments.data),
                arguments.out,
                any_licence=arguments.any_licence,
                test_share=arguments.test_share,
                test_fold=arguments.test_fold,
            )
            ids = (arguments.pages,) if self._takes_ids else ()
            record = train(job, *ids, progress=sys.stderr.isatty())
        write_record(record)
        return 0


#: The commands by NAME.
COMMANDS = {
    "structure": TreeCommand(
        "structure_fit:train_structure",
        """Train the structure trees, and write them to a bundle.

They label blocks by the structure of the page. The labeller "semtext" averages them with the network. The domains held
out are those of `semtext train labels` with the same --test-share and --test-fold.""",
    ),
    "sections": TreeCommand(
        "section_fit:train_sections",
        """Train the section models (title, prose, miscellany), and write them to a bundle.

Titles are learned from the heading tags of pages, which are hidden from the models on a copy of each page; main content
from the pages' true text (docs/research/sections.md).""",
    ),
    "kinds": TreeCommand(
        "kind_fit:train_kinds",
        """Train the model of page kinds (article, listing, product...), and write it to a bundle.

It learns from pages whose page_type is one of these kinds. The domains held out are those of `semtext train labels`
with the same --test-share and --test-fold.""",
    ),
    "pairs": TreeCommand(
        "pair_run:train_pairs",
        """Train the models of question-answer pairs, and write them to a bundle.

Needs pages with known posts, FAQ pages with known pairs, and pages with neither (docs/training.md). Of the domains held
out for tests, only pages with neither are left out.""",
    ),
    "faq": TreeCommand(
        "pair_run:train_faq",
        """Train the model of question lists (FAQs) alone, and write it to a bundle, whose other pair models stay.

Needs FAQ pages with known pairs, and pages with none (docs/training.md).""",
    ),
    "records": TreeCommand(
        "record_fit:train_records",
        """Train the record models, which find the items of listings and collections, and write them to a bundle.

They learn from pages of type listing or collection whose true text has a list of titles that are links of the page.""",
        takes_ids=True,
    ),
}
