"""The commands ``semtext dev train NAME`` for the trees of a bundle, and for all of its parts."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from scrapy_semtext.cli.annotated_pages import ANY_LICENCE, SPLIT, DataCommand, write_record

_OUT: dict[str, Any] = {"type": Path, "required": True, "metavar": "DIR", "help": "the folder of the bundle"}
_IDS: dict[str, Any] = {"type": Path, "metavar": "FILE", "help": "ids of the pages to learn from (default: all)"}


def _train(train: str, arguments: argparse.Namespace, *own: Any, progress: bool) -> dict[str, Any]:
    """Run ``train``, "module:function" of `scrapy_semtext.training`, and return the training record."""
    from scrapy_semtext.training.boosting import TreeTrainingJob

    module, _, name = train.partition(":")
    job = TreeTrainingJob(
        tuple(arguments.data),
        arguments.out,
        any_licence=arguments.any_licence,
        test_share=arguments.test_share,
        test_fold=arguments.test_fold,
    )
    record: dict[str, Any] = getattr(import_module(f"scrapy_semtext.training.{module}"), name)(
        job, *own, progress=progress
    )
    return record


def _train_bundle(arguments: argparse.Namespace, *, progress: bool) -> None:
    """Train all parts; those without suitable pages are skipped, except the network."""
    from scrapy_semtext.training.datasets import TrainingError
    from scrapy_semtext.training.run import TrainingJob, train_bundle

    split = {name: getattr(arguments, name) for name in ("any_licence", "test_share", "test_fold")}
    job = TrainingJob(tuple(arguments.data), arguments.out, arguments.work, device=arguments.device, **split)
    records: dict[str, Any] = {"labels": train_bundle(job, progress=progress)}
    for name, (train, *own) in _PARTS.items():
        sys.stderr.write(f"{name}\n" if progress else "")
        try:
            records[name] = _train(train, arguments, *own, progress=progress)
        except TrainingError as error:
            records[name] = {"left_out": str(error)}
            sys.stderr.write(f"{name} left out: {error}\n")
    write_record(records)


def _training(train: str, text: str, **options: dict[str, Any]) -> DataCommand:
    """Return a command that runs ``train``, "module:function" of `scrapy_semtext.training`."""

    def work(arguments: argparse.Namespace, *, progress: bool) -> None:
        own = [getattr(arguments, name) for name in options]
        write_record(_train(train, arguments, *own, progress=progress))

    declared = {f"--{name}": values for name, values in options.items()}
    needs = f"{text} Needs the extra scrapy-semtext[train]."
    return DataCommand(work, needs, {"--out": _OUT, **SPLIT, "--any-licence": ANY_LICENCE, **declared})


#: The training function of each part after the network, with its other arguments, in order of their dependencies.
_PARTS: dict[str, tuple[Any, ...]] = {
    "kinds": ("kind_fit:train_kinds",),
    "pairs": ("pair_run:train_pairs",),  # learns from the kinds, and also trains the model of question lists
    "structure": ("structure_fit:train_structure",),  # learns from the posts that the pair models find
    "sections": ("section_fit:train_sections",),
    "records": ("record_fit:train_records", None),
}

#: The commands by NAME.
COMMANDS = {
    "bundle": DataCommand(
        _train_bundle,
        """Train all parts of a bundle in the right order: labels, kinds, pairs, structure, sections, records.

A part for which DATA has no suitable pages is left out, except the network (labels). Needs the extra
scrapy-semtext[train].""",
        {
            "--out": _OUT,
            "--work": {"type": Path, "required": True, "metavar": "DIR", "help": "the folder for checkpoints"},
            "--device": {"default": "cpu", "help": "device of the network: cpu (the default), cuda, ..."},
            **SPLIT,
            "--any-licence": ANY_LICENCE,
        },
    ),
    "structure": _training(
        "structure_fit:train_structure",
        """Train the structure trees, and write them to a bundle.

They label blocks by the structure of the page. The labeler "semtext" averages them with the network. The domains held
out are those of `semtext dev train labels` with the same --test-share and --test-fold.""",
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

It learns from pages whose page_type is one of these kinds. The domains held out are those of `semtext dev train labels`
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
        """Train the model of question lists (FAQs) only, and write it to a bundle, whose other pair models stay.

Needs FAQ pages with known pairs, and pages with none (docs/training.md).""",
    ),
    "records": _training(
        "record_fit:train_records",
        """Train the record models, which find the items of listings and collections, and write them to a bundle.

They learn from pages of type listing or collection whose true text has a list of titles that are links of the page.""",
        pages=_IDS,
    ),
}
