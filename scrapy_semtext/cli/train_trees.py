"""The commands ``semtext train NAME`` for the parts of a bundle that are gradient-boosted trees."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from scrapy_semtext.cli.annotated_pages import ANY_LICENCE, SPLIT, DataCommand, write_record

_OUT: dict[str, Any] = {"type": Path, "required": True, "metavar": "DIR", "help": "the folder of the bundle"}
_IDS: dict[str, Any] = {"type": Path, "metavar": "FILE", "help": "ids of the pages to learn from (default: all)"}


def _training(train: str, text: str, **options: dict[str, Any]) -> DataCommand:
    """A command that trains by ``train``, "module:function" of `scrapy_semtext.training`."""

    def work(arguments: argparse.Namespace, *, progress: bool) -> None:
        from scrapy_semtext.training.boosting import TreeTrainingJob

        module, _, name = train.partition(":")
        function = getattr(import_module(f"scrapy_semtext.training.{module}"), name)
        job = TreeTrainingJob(
            tuple(arguments.data),
            arguments.out,
            any_licence=arguments.any_licence,
            test_share=arguments.test_share,
            test_fold=arguments.test_fold,
        )
        own = [getattr(arguments, name) for name in options]
        write_record(function(job, *own, progress=progress))

    declared = {f"--{name}": values for name, values in options.items()}
    needs = f"{text} Needs the extra scrapy-semtext[train]."
    return DataCommand(work, needs, {"--out": _OUT, **SPLIT, "--any-licence": ANY_LICENCE, **declared})


#: The commands by NAME.
COMMANDS = {
    "structure": _training(
        "structure_fit:train_structure",
        """Train the structure trees, and write them to a bundle.

They label blocks by the structure of the page. The labeler "semtext" averages them with the network. The domains held
out are those of `semtext train labels` with the same --test-share and --test-fold.""",
    ),
    "sections": _training(
        "section_fit:train_sections",
        """Train the section models (title, prose, miscellany), and write them to a bundle.

Titles are learned from the heading tags of pages, which are hidden from the models on a copy of each page; main content
from the pages' true text (research/notes/sections.md).""",
    ),
    "kinds": _training(
        "kind_fit:train_kinds",
        """Train the model of page kinds (article, listing, product...), and write it to a bundle.

It learns from pages whose page_type is one of these kinds. The domains held out are those of `semtext train labels`
with the same --test-share and --test-fold.""",
    ),
    "pairs": _training(
        "pair_run:train_pairs",
        """Train the models of question-answer pairs, and write them to a bundle.

Needs pages with known posts, FAQ pages with known pairs, and pages with neither (docs/training.md). Of the domains held
out for tests, only pages with neither are left out.""",
    ),
    "faq": _training(
        "pair_run:train_faq",
        """Train the model of question lists (FAQs) alone, and write it to a bundle, whose other pair models stay.

Needs FAQ pages with known pairs, and pages with none (docs/training.md).""",
    ),
    "records": _training(
        "record_fit:train_records",
        """Train the record models, which find the items of listings and collections, and write them to a bundle.

They learn from pages of type listing or collection whose true text has a list of titles that are links of the page.""",
        pages=_IDS,
    ),
}
