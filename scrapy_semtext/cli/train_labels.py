"""Train a labeler on pages whose main text is known, and write it to a bundle.

The labeler "semtext" consists of word vectors and a network; an interrupted training is resumed from its --work folder.
With --from, the network of a bundle is trained further on your own pages, which may be few and may be files of `semtext
label`. "web2text" is written to a bundle next to it. Requires the extra scrapy-semtext[train].
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_semtext.cli.annotated_pages import (
    ANY_LICENCE,
    SPLIT,
    add_data_argument,
    reported_errors,
    write_record,
)
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.outputs import counted
from scrapy_semtext.inference.config import CONFIGS
from scrapy_semtext.inference.storage import SHIPPED

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.training.run import TrainingJob

_Job = TypeVar("_Job", bound="TrainingJob")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write the bundle to")
    parser.add_argument(
        "--labeler", choices=("semtext", "web2text"), default="semtext", help="what to train (%(default)s)"
    )
    semtext = parser.add_argument_group("options of the labeler semtext")
    semtext.add_argument("--work", type=Path, metavar="DIR", help="the folder for checkpoints (required)")
    semtext.add_argument(
        "--from",
        dest="start",
        type=lambda name: SHIPPED if name == "shipped" else Path(name),
        metavar="BUNDLE",
        help="train the network of this bundle further (shipped: the shipped one), also on pages without a licence",
    )
    semtext.add_argument("--config", choices=sorted(CONFIGS), help="configuration of the network (compact)")
    semtext.add_argument("--epochs", type=int, help="maximum number of epochs (default: that of the configuration)")
    parser.add_argument("--device", default="cpu", help="cpu (the default), cuda, or another name of a torch device")
    parser.add_argument("--workers", type=int, default=1, help="processes that prepare pages (%(default)s)")
    parser.add_argument("--test-share", type=float, help="share of the domains held out for tests (0.2; with --from 0)")
    parser.add_argument("--test-fold", **SPLIT["--test-fold"])
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    parser.add_argument("--any-licence", **ANY_LICENCE)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check(arguments)
    with reported_errors():
        record = _train(arguments, progress=sys.stderr.isatty())
    write_record(record)
    if arguments.start is not None:
        sys.stderr.write(_comparison(record))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    own = {f"--{name}": getattr(arguments, name) for name in ("work", "config", "epochs")}
    own["--from"] = arguments.start
    if arguments.labeler == "web2text":
        if any(value is not None for value in own.values()):
            names = ", ".join(own)
            raise CommandError(f"{names} are options of the labeler semtext, not of web2text.")
    elif arguments.work is None:
        raise CommandError("--work is missing: the folder for checkpoints.")
    elif arguments.start is not None and arguments.config is not None:
        raise CommandError("--config cannot be used with --from: the configuration is that of the bundle.")


def _train(arguments: argparse.Namespace, *, progress: bool) -> dict[str, Any]:
    from scrapy_semtext.training.run import VALID_SHARE, TrainingJob, train_bundle

    if arguments.labeler == "web2text":
        from scrapy_semtext.training.web2text import train_web2text

        return train_web2text(_job(arguments, TrainingJob), progress=progress)
    if arguments.start is not None:
        from scrapy_semtext.training.run import ContinuedJob, continue_training

        split = {"valid_share": VALID_SHARE} if arguments.test_share else {}
        return continue_training(_job(arguments, ContinuedJob, start=arguments.start, **split), progress=progress)
    return train_bundle(_job(arguments, TrainingJob), progress=progress)


def _job(arguments: argparse.Namespace, kind: type[_Job], **values: Any) -> _Job:
    """Return the job that the arguments describe; missing arguments get its defaults."""
    names = ("config", "test_share", "epochs")
    values |= {name: value for name in names if (value := getattr(arguments, name)) is not None}
    if arguments.any_licence:
        values["any_licence"] = True
    return kind(
        data=tuple(arguments.data),
        out=arguments.out,
        work=arguments.work or arguments.out,
        seed=arguments.seed,
        device=arguments.device,
        test_fold=arguments.test_fold,
        workers=arguments.workers,
        **values,
    )


def _comparison(record: dict[str, Any]) -> str:
    """Return a line about the effect of the training."""
    pages, epoch = sum(record["pages"]["validation"].values()), record["best_epoch"]
    scores = f"word F1 {record['start_word_f1']:.4f} -> {record['validation_word_f1']:.4f}"
    what = f"after epoch {epoch}" if epoch else "no epoch was better than the initial network, which is kept"
    undone = "".join(f"; left out {counted(count, 'page')}: {reason}" for reason, count in record["left_out"].items())
    return f"{scores} on {counted(pages, 'validation page')} ({what}){undone}\n"
