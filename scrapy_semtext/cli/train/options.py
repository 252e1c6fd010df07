"""The options of the commands that train gradient-boosted trees."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.annotated_pages import add_data_argument, add_seed_and_licence

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.boosting import TreeTrainingJob


def add_split_arguments(
    parser: argparse.ArgumentParser, *, test_share: float | None = 0.2, default: str = "%(default)s"
) -> None:
    """Declare which domains are held out for tests; ``default`` is what the help says of ``test_share``."""
    parser.add_argument(
        "--test-share", type=float, default=test_share, help=f"share of the domains held out for tests ({default})"
    )
    parser.add_argument(
        "--test-fold",
        type=int,
        default=0,
        metavar="K",
        help="which fold of that size is held out, from 0 (%(default)s)",
    )


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a training of trees."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the bundle")
    add_split_arguments(parser)
    add_seed_and_licence(parser)


def tree_job(arguments: argparse.Namespace) -> TreeTrainingJob:
    """The job that the arguments of `add_tree_arguments` describe."""
    from scrapy_semtext.training.boosting import TreeTrainingJob

    return TreeTrainingJob(
        tuple(arguments.data),
        arguments.out,
        arguments.seed,
        arguments.any_licence,
        arguments.test_share,
        arguments.test_fold,
    )


def write_record(record: dict[str, Any]) -> None:
    """Print the training record as JSON."""
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")
