"""The command ``semtext dev evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.cli.train import DataCommand, write_table

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


def _evaluate(arguments: argparse.Namespace, *, progress: bool) -> None:
    from scrapy_semtext.train.datasets import read_measured
    from scrapy_semtext.train.evaluate import evaluate, kept_out

    arguments.no_pairs = arguments.no_sections = arguments.no_kinds = True  # not measured; posts are read for comments
    extractor = load_extractor(arguments)
    folds = () if arguments.all_domains else kept_out(arguments.bundle, arguments.labeler)
    groups = evaluate(arguments.data, extractor, folds=folds, by=arguments.by, progress=progress)
    if not groups:
        reason = "it has no pages (those of `semtext label` have to be marked as done)."
        if next(read_measured(arguments.data), None) is not None:
            reason = "all its domains may have been used to train the model; --all-domains measures it nevertheless."
        raise CommandError(f"Nothing of {', '.join(map(str, arguments.data))} was measured: {reason}")
    write_table(groups)


COMMAND = DataCommand(
    _evaluate,
    """Measure the main text on annotated pages: word precision, recall and F1 by page type or language.

By default it measures the model on the domains that were held out of its training.""",
    PAGE_OPTIONS,
    add_model_arguments,
)
