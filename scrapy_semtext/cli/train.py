"""Train a labeller on pages whose main text is known, and write it to a bundle.

The labeller "semtext" is word vectors and a network; its training goes on from its --work folder where it was
interrupted. "web2text" is put into a bundle beside it. Needs the extra scrapy-semtext[train].
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.trainings import add_data_argument, training_errors
from scrapy_semtext.inference.config import CONFIGS

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write the bundle to")
    parser.add_argument("--labeller", choices=("semtext", "web2text"), default="semtext", help="(%(default)s)")
    semtext = parser.add_argument_group("semtext alone")
    semtext.add_argument("--work", type=Path, metavar="DIR", help="the folder for checkpoints (needed)")
    semtext.add_argument("--config", choices=sorted(CONFIGS), help="(compact)")
    semtext.add_argument("--epochs", type=int, help="at most so many (default: the configuration's)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--device", default="cpu", help="cpu (the default), cuda, or another of torch's names")
    parser.add_argument("--workers", type=int, default=1, help="processes that prepare pages (%(default)s)")
    parser.add_argument(
        "--any-licence",
        action="store_true",
        help="also use pages whose licence does not allow weights trained on them to be given away",
    )
    parser.add_argument("--test-share", type=float, default=0.2, help="of the domains, kept for tests (%(default)s)")
    parser.add_argument(
        "--test-fold", type=int, default=0, help="which fold of that size is kept for tests (%(default)s)"
    )
    parser.add_argument("--valid-share", type=float, default=0.08, help="of the domains, to stop by (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    is_web2text = arguments.labeller == "web2text"
    if is_web2text and any(value is not None for value in (arguments.work, arguments.config, arguments.epochs)):
        raise CommandError("--work, --config and --epochs are of the labeller semtext; web2text has none of them.")
    if not is_web2text and arguments.work is None:
        raise CommandError("--work is missing: the folder for checkpoints.")
    with training_errors():
        from scrapy_semtext.training.run import Plan, train_bundle
        from scrapy_semtext.training.web2text_run import train_web2text

        plan = Plan(
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
        train = train_web2text if is_web2text else train_bundle
        record = train(plan, progress=sys.stderr.isatty())
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
    return 0
