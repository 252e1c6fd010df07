"""Train a labeler on pages whose main text is known, and write it to a bundle.

The labeler "semtext" consists of word vectors and a network; an interrupted training is resumed from its --work folder.
With --from, the network of a bundle is trained further on your own pages, which may be few and may be files of `semtext
label`. "web2text" is written to a bundle next to it. Requires the extra scrapy-semtext[train].
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.models.config import CONFIGS
from scrapy_semtext.models.storage import SHIPPED

if TYPE_CHECKING:
    from scrapy_semtext.train.network import TrainingJob


# Modules of the extra "train".
_EXTRA = frozenset(("fasttext", "lightgbm", "tldextract", "torch"))

#: The argparse arguments of ``--any-licence``.
ANY_LICENCE: dict[str, Any] = {
    "action": "store_true",
    "help": "also train on pages whose licence does not allow distributing models trained on them",
}


#: The argparse arguments of the options that select the domains held out for tests.
SPLIT: dict[str, dict[str, Any]] = {
    "--test-share": {
        "type": float,
        "default": 0.2,
        "help": "share of the domains held out for tests (%(default)s)",
    },
    "--test-fold": {
        "type": int,
        "default": 0,
        "metavar": "K",
        "help": "the fold of that size that is held out, from 0 (%(default)s)",
    },
}


class DataCommand:
    """A command that runs ``work(arguments, progress=...)`` on annotated pages; its help is ``text``.

    ``options`` are its options with their argparse arguments; ``add`` declares more of them.
    """

    def __init__(
        self,
        work: Callable[..., None],
        text: str,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        add: Callable[[argparse.ArgumentParser], None] | None = None,
    ) -> None:
        self.__doc__ = text
        self._work = work
        self._options = options or {}
        self._add = add

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""
        about = "annotated pages: JSON lines (plain, .gz or .xz) with the keys id, url, html and text"
        parser.add_argument("data", nargs="+", type=Path, metavar="DATA", help=about)
        for name, values in self._options.items():
            parser.add_argument(name, **values)
        if self._add is not None:
            self._add(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command."""
        with reported_errors():
            self._work(arguments, progress=sys.stderr.isatty())
        return 0


@contextmanager
def reported_errors() -> Iterator[None]:
    """Raise CommandError for a missing extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name in _EXTRA:
            raise CommandError(f"{error.name} is not installed. Run: pip install 'scrapy-semtext[train]'") from error
        raise


def write_record(record: dict[str, Any]) -> None:
    """Print the training record as JSON."""
    sys.stdout.write(f"{json.dumps(record, indent=2)}\n")


def write_table(groups: Mapping[str, Mapping[str, Any]]) -> None:
    """Print scores by group of pages, shares in percent."""
    columns = [name for name in next(iter(groups.values()), {}) if name not in ("pages", "errors")]
    width = max(15, *map(len, groups), 0)
    lines = [f"{'':{width}}{'pages':>7}" + "".join(f"{name:>11}" for name in columns)]
    lines += [
        f"{group:{width}}{row['pages']:7}" + "".join(f"{100 * row[name]:11.1f}" for name in columns)
        for group, row in groups.items()
    ]
    if errors := groups.get("all", {}).get("errors"):
        lines.append(f"counted as empty, because they could not be read: {counted(errors, 'page')}")
    sys.stdout.write("\n".join(lines) + "\n")


_Job = TypeVar("_Job", bound="TrainingJob")


def _add_label_options(parser: argparse.ArgumentParser) -> None:
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


def _train_labels(arguments: argparse.Namespace, *, progress: bool) -> None:
    _check(arguments)
    record = _trained(arguments, progress=progress)
    write_record(record)
    if arguments.start is not None:
        sys.stderr.write(_comparison(record))


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


def _trained(arguments: argparse.Namespace, *, progress: bool) -> dict[str, Any]:
    """Train the labeler, and return the training record."""
    from scrapy_semtext.train.network import VALID_SHARE, TrainingJob, train_bundle

    if arguments.labeler == "web2text":
        from scrapy_semtext.train.web2text import train_web2text

        return train_web2text(_job(arguments, TrainingJob), progress=progress)
    if arguments.start is not None:
        from scrapy_semtext.train.network import ContinuedJob, continue_training

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


def _head(place: str, text: str) -> DataCommand:
    """Return the command that trains a head of trees: ``place``, "module:attribute" of `scrapy_semtext.train`."""

    def work(arguments: argparse.Namespace, *, progress: bool) -> None:  # noqa: ARG001  it shows itself on a terminal
        from scrapy_semtext.train.datasets import Job
        from scrapy_semtext.train.fit import train

        module, _, attribute = place.partition(":")
        split = {name: getattr(arguments, name) for name in ("any_licence", "test_share", "test_fold")}
        job = Job(tuple(arguments.data), arguments.out, **split)
        write_record(train(getattr(import_module(f"scrapy_semtext.train.{module}"), attribute), job))

    out: dict[str, Any] = {"type": Path, "required": True, "metavar": "DIR", "help": "the folder of the bundle"}
    options = {"--out": out, **SPLIT, "--any-licence": ANY_LICENCE}
    return DataCommand(work, f"{text} Needs the extra scrapy-semtext[train].", options)


#: The commands by NAME.
COMMANDS = {
    "labels": DataCommand(_train_labels, __doc__ or "", add=_add_label_options),
    "structure": _head(
        "structure:HEAD",
        """Train the structure trees, and write them to a bundle.

They label blocks by the structure of the page. The labeler "semtext" averages them with the network. The domains held
out are those of `semtext dev train labels` with the same --test-share and --test-fold.""",
    ),
    "sections": _head(
        "sections:HEAD",
        """Train the section models (title, prose, miscellany), and write them to a bundle.

Titles are learned from the heading tags of pages, which are hidden from the models on a copy of each page; main content
from the pages' true text (research/notes/sections.md).""",
    ),
    "kinds": _head(
        "kinds:HEAD",
        """Train the model of page kinds (article, listing, product...), and write it to a bundle.

It learns from pages whose page_type is one of these kinds. The domains held out are those of `semtext dev train labels`
with the same --test-share and --test-fold.""",
    ),
    "pairs": _head(
        "pairs:HEAD",
        """Train the models of question-answer pairs, and write them to a bundle.

Needs pages with known posts, FAQ pages with known pairs, and pages with neither (docs/training.md). Of the domains held
out for tests, only pages with neither are left out.""",
    ),
    "threads": _head(
        "pairs:THREADS",
        """Train the models of threads only, and write them to a bundle. Those of questions, comments and FAQs stay.

Needs the pages that `semtext dev train pairs` needs.""",
    ),
    "faq": _head(
        "pairs:FAQ",
        """Train the model of question lists (FAQs) only, and write it to a bundle, whose other pair models stay.

Needs FAQ pages with known pairs, and pages with none (docs/training.md).""",
    ),
    "records": _head(
        "records:HEAD",
        """Train the record models, which find the items of listings and collections, and write them to a bundle.

They learn from pages whose set states the title and URL of each record (docs/training.md).""",
    ),
}
