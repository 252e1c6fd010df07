"""Print how well a model reads pages whose main text is known: word precision, recall and F1 by page type."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy_semtext.clicommands.models import add_model_arguments, load_extractor
from scrapy_semtext.clicommands.trainings import add_data_argument, training_errors, write_table

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.datasets import Side


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument(
        "--all-domains",
        action="store_true",
        help="use every page, not only those of the domains that were kept out of the training of the model",
    )
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    extractor = load_extractor(arguments)
    with training_errors():
        from scrapy_semtext.labellers import training_of
        from scrapy_semtext.training.evaluate import evaluate

        side: Side | None = None if arguments.all_domains else "test"
        split = training_of(arguments.labeller, arguments.bundle).get("split", {})
        groups = evaluate(
            arguments.data,
            extractor,
            side=side,
            test_share=split.get("test_share", 0.2),
            test_fold=split.get("test_fold", 0),
            progress=sys.stderr.isatty(),
        )
    write_table(groups)
    return 0
