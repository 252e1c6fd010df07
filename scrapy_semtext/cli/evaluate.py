"""The commands ``semtext dev evaluate NAME``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.annotated_pages import ANY_LICENCE, DataCommand, write_table
from scrapy_semtext.cli.models import add_model_arguments, load_extractor

if TYPE_CHECKING:
    import argparse

#: The options that choose and group pages.
PAGE_OPTIONS: dict[str, dict[str, Any]] = {
    "--all-domains": {
        "action": "store_true",
        "help": "use every page, not only those of the domains that were held out of the training of the model",
    },
    "--by": {
        "choices": ("type", "lang"),
        "default": "type",
        "help": "group pages by page type or by the language of their text (%(default)s)",
    },
}

_BUNDLE: dict[str, Any] = {"type": Path, "metavar": "DIR", "help": "a bundle of your own"}
_BUNDLES: dict[str, Any] = {"nargs": "+", "type": Path, "metavar": "DIR"}


def _text(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.training.evaluate import evaluate
    from scrapy_semtext.training.folds import kept_out

    arguments.no_pairs = arguments.no_sections = arguments.no_kinds = True  # the main text does not depend on them
    extractor = load_extractor(arguments)
    folds = () if arguments.all_domains else kept_out(arguments.bundle, arguments.labeler)
    write_table(evaluate(arguments.data, extractor, folds=folds, by=arguments.by, progress=progress))


def _comments(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.training.evaluate import evaluate_comments

    write_table(evaluate_comments(arguments.data, arguments.bundle, progress=progress))


def _kinds(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.inference.storage import SHIPPED
    from scrapy_semtext.training.kind_fit import kind_tables, predict_kinds

    sys.stdout.write(kind_tables(predict_kinds(arguments.data, arguments.bundles or [SHIPPED], progress=progress)))


def _records(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.training.record_fit import evaluate_records

    write_table(evaluate_records(arguments.data, arguments.pages, arguments.bundles, progress=progress))


def _pairs(arguments: argparse.Namespace, *, progress: bool) -> None:
    with arguments.out.open("w", encoding="utf-8") as out:
        from scrapy_semtext.training.pair_run import out_of_fold_pairs
        from scrapy_semtext.training.pair_scoring import PairReport

        report = PairReport()
        for page, pairs in out_of_fold_pairs(arguments.data, any_licence=arguments.any_licence, progress=progress):
            row = {name: getattr(page, name) for name in ("id", "dataset", "kind", "engine", "url")}
            out.write(json.dumps({**row, "qa_pairs": [asdict(pair) for pair in pairs]}, ensure_ascii=False) + "\n")
            report.add(page, pairs)
    for title, rows in report.tables():
        sys.stdout.write(f"{title}\n")
        write_table(rows)


#: The commands by NAME.
COMMANDS = {
    "text": DataCommand(
        _text,
        """Measure the main text on annotated pages: word precision, recall and F1 by page type or language.

By default it measures the model on the domains that were held out of its training.""",
        PAGE_OPTIONS,
        add_model_arguments,
    ),
    "pairs": DataCommand(
        _pairs,
        """Measure question-answer pairs by models trained without the forum engine and the site of each page.

Every page is read, without schema.org markup, by models trained on the pages of other engines, and so are variants of
the threads. The pairs are written as JSON lines with the page's id and engine. Printed are precision, recall and F1 of
the pairs by kind of page, for pages whose pairs are known; the share of the other pages on which pairs are found; the
share of threads, and of their variants, whose question is right; and the F1 of the answers in trees of replies, each
with what it answers.""",
        {
            "--out": {"type": Path, "required": True, "metavar": "FILE", "help": "the JSON lines to write"},
            "--any-licence": ANY_LICENCE,
        },
    ),
    "comments": DataCommand(
        _comments,
        """Measure main texts and readers' comments on pages whose comments are known (``extra.comments``, a text).

Printed are the word F1 of the main text, word precision, recall and F1 of the comments, and the share of pages on which
comments are found, for pages with comments and without.""",
        {"--bundle": _BUNDLE},
    ),
    "kinds": DataCommand(
        _kinds,
        """Measure the classification of page kinds, and of overviews, on domains that were held out of training.

TextSweeper's rule for overviews, which needs no training, is measured on the same pages.""",
        {
            "--bundles": {
                **_BUNDLES,
                "help": "a bundle for each fold of the domains, to use all pages (default: the shipped bundle, on its"
                " own fold)",
            }
        },
    ),
    "records": DataCommand(
        _records,
        """Measure records of listings, in five folds by domain: each page by models fitted without its own.

True records are the links of a page whose text is a line of its true main text. A record is right if the words of its
title and its address are. "gated" is the F1 of pages that have to be told as overviews first.""",
        {
            "--pages": {"type": Path, "metavar": "FILE", "help": "ids of the pages with known records (default: all)"},
            "--bundles": {
                **_BUNDLES,
                "help": "a bundle for each fold, whose models of page kinds tell overviews (default: the shipped"
                " bundle)",
            },
        },
    ),
}
