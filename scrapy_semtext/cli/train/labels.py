"""Train a labeller on pages whose main text is known, and write it to a bundle.

The labeller "semtext" consists of word vectors and a network; an interrupted training is resumed from its --work
folder. "web2text" is written to a bundle beside it. Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, add_seed_and_licence, reported_errors
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.train.options import add_split_arguments, write_record
from scrapy_semtext.inference.config import CONFIGS

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.run import TrainingJob


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write the bundle to")
    parser.add_argument(
        "--labeller", choices=("semtext", "web2text"), default="semtext", help="what to train (%(default)s)"
    )
    semtext = parser.add_argument_group("options of the labeller semtext")
    semtext.add_argument("--work", type=Path, metavar="DIR", help="the folder for checkpoints (required)")
    semtext.add_argument("--config", choices=sorted(CONFIGS), help="configuration of the network (compact)")
    semtext.add_argument("--epochs", type=int, help="maximum number of epochs (default: that of the configuration)")
    parser.add_argument("--device", default="cpu", help="cpu (the default), cuda, or another name of a torch device")
    parser.add_argument("--workers", type=int, default=1, help="processes that prepare pages (%(default)s)")
    add_split_arguments(parser)
    parser.add_argument(
        "--valid-share", type=float, default=0.08, help="share of the domains for early stopping (%(default)s)"
    )
    add_seed_and_licence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    is_web2text = arguments.labeller == "web2text"
    if is_web2text and any(value is not None for value in (arguments.work, arguments.config, arguments.epochs)):
        raise CommandError("--work, --config and --epochs are options of the labeller semtext, not of web2text.")
    if not is_web2text and arguments.work is None:
        raise CommandError("--work is missing: the folder for checkpoints.")
    with reported_errors():
        from scrapy_semtext.training.run import train_bundle
        from scrapy_semtext.training.web2text_run import train_web2text

        train = train_web2text if is_web2text else train_bundle
        record = train(_job(arguments), progress=sys.stderr.isatty())
    write_record(record)
    return 0


def _job(arguments: argparse.Namespace) -> TrainingJob:
    from scrapy_semtext.training.run import TrainingJob

    return TrainingJob(
        data=tuple(arguments.data),
        out=arguments.out,
        work=arguments.work or arguments.out,
        config=arguments.config or "compact",
        seed=arguments.seed,
        device=arguments.device,
        any_licence=arguments.any_licence,
        test_share=arguments.test_share,
        valid_share=arguments.valid_share,
        test_fold=arguments.test_fold,
        epochs=arguments.epochs,
        workers=arguments.workers,
    )
