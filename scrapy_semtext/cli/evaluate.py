"""The commands ``semtext dev evaluate NAME``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.annotated_pages import DataCommand, write_table
from scrapy_semtext.cli.models import add_model_arguments, load_extractor

if TYPE_CHECKING:
    import argparse

#: The options that select and group pages.
PAGE_OPTIONS: dict[str, dict[str, Any]] = {
    "--all-domains": {
        "action": "store_true",
        "help": "use all pages, not only those of domains held out of the training of the model",
    },
    "--by": {
        "choices": ("type", "lang"),
        "default": "type",
        "help": "group pages by page type or by the language of their text (%(default)s)",
    },
}


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


#: The commands by NAME.
COMMANDS = {
    "text": DataCommand(
        _text,
        """Measure the main text on annotated pages: word precision, recall and F1 by page type or language.

By default it measures the model on the domains that were held out of its training.""",
        PAGE_OPTIONS,
        add_model_arguments,
    ),
    "comments": DataCommand(
        _comments,
        """Measure main texts and readers' comments on pages whose comments are known (``extra.comments``, a text).

Printed are the word F1 of the main text, word precision, recall and F1 of the comments, and the share of pages on which
comments are found, for pages with comments and without.""",
        {"--bundle": {"type": Path, "metavar": "DIR", "help": "a bundle of your own"}},
    ),
    "kinds": DataCommand(
        _kinds,
        """Measure the classification of page kinds, and of overviews, on domains that were held out of training.

TextSweeper's rule for overviews, which needs no training, is measured on the same pages.""",
        {
            "--bundles": {
                "nargs": "+",
                "type": Path,
                "metavar": "DIR",
                "help": "a bundle for each fold of the domains, to use all pages (default: the shipped bundle, on its"
                " own fold)",
            }
        },
    ),
}
