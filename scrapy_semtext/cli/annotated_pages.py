"""Common parts of the commands that use annotated pages: the argument DATA, errors, and output."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.outputs import counted

# Modules of the extra "train".
_EXTRA = frozenset(("fasttext", "lightgbm", "tldextract", "torch"))

#: The argparse arguments of ``--any-licence``.
ANY_LICENCE: dict[str, Any] = {
    "action": "store_true",
    "help": "also train on pages whose licence does not allow distributing models trained on them",
}


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Declare DATA, the files of annotated pages."""
    parser.add_argument(
        "data",
        nargs="+",
        type=Path,
        metavar="DATA",
        help="annotated pages: JSON lines (plain, .gz or .xz) with the keys id, url, html and text",
    )


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
        add_data_argument(parser)
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
    """Turn errors that the user can fix into CommandError: a missing extra, unusable data or bundles."""
    from scrapy_semtext.inference.storage import BundleError
    from scrapy_semtext.training.datasets import UserError
    from scrapy_semtext.utils.extras import MissingExtraError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name in _EXTRA:
            raise CommandError(f"{error.name} is not installed. Run: pip install 'scrapy-semtext[train]'") from error
        raise
    except (UserError, BundleError, MissingExtraError) as error:
        raise CommandError(str(error)) from error


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
