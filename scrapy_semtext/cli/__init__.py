"""The command ``semtext``.

Its commands are modules or objects with ``add_arguments(parser)`` and ``run(arguments) -> exit status``; their
docstrings are their help. Heavy packages (torch, LightGBM, Scrapy) are imported by ``run``, so that ``--help`` and
usage errors are fast.
"""

from __future__ import annotations

import argparse
import glob
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from scrapy_semtext.cli import batch, crawl, doctor, evaluate, extract, label, mcp, train, tune, view
from scrapy_semtext.cli.part import files_beside
from scrapy_semtext.cli.terminal import CommandError, harmless_streams
from scrapy_semtext.limits import LimitError
from scrapy_semtext.utils import UserError
from scrapy_semtext.utils.version import __version__

#: The arguments that name the files that commands read, and those that they write. (Numbers and folders are ignored.)
INPUTS = ("input", "page", "pages", "data", "labels", "sites", "bundle", "bundles", "urls_file")
OUTPUTS = ("output", "out", "json", "rules")

_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130  # argparse itself exits with 2

#: What to use instead of former commands.
_FORMER = {"rule": "`semtext tune LABELS -o DIR`, which corrects more, or write selectors yourself (docs/sites.md)"}


def refuse_overwriting(arguments: argparse.Namespace) -> None:
    """Raise CommandError if an output is one of the inputs, by name or as a link."""
    inputs = [Path(path) for name in _names(arguments, INPUTS) for path in _expanded(name)]
    outputs = [Path(name) for name in _names(arguments, OUTPUTS)]
    if hasattr(arguments, "resume"):
        outputs += files_beside(Path(os.path.realpath(arguments.output)))
    for output in filter(Path.is_file, outputs):
        if read := next((path for path in inputs if path.is_file() and path.samefile(output)), None):
            raise CommandError(f"{output} is also read, as {read}; write the result to another file.")


def _names(arguments: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Return the files that arguments of these names are or list."""
    values = (getattr(arguments, name, None) for name in names)
    each = chain.from_iterable(value if isinstance(value, list | tuple) else [value] for value in values)
    return [str(value) for value in each if isinstance(value, str | Path)]


def _expanded(name: str) -> list[str]:
    """Return the files that a name refers to: itself, those of a folder, or those that a pattern matches."""
    path = Path(name)
    if path.is_dir():
        return [str(file) for file in path.rglob("*")]
    return [name] if path.exists() else glob.glob(name, recursive=True)  # noqa: PTH207


@dataclass(frozen=True)
class CommandGroup:
    """Commands that share their first word."""

    help: str
    commands: dict[str, Any]


#: The commands by name, in the order of the help.
COMMANDS: dict[str, Any] = {
    "extract": extract,
    "batch": batch,
    "crawl": crawl,
    "view": view,
    "label": label,
    "tune": tune,
    "mcp": mcp,
    "doctor": doctor,
    "dev": CommandGroup(
        "Train models, and measure how good results are.",
        {
            "train": CommandGroup("Train a model and write it to a bundle.", train.COMMANDS),
            "evaluate": evaluate.COMMAND,
        },
    ),
}


@harmless_streams()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (those of the process by default) and return its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in _FORMER:
        sys.stderr.write(f"semtext {words[0]} was removed: use {_FORMER[words[0]]}\n")
        return _USAGE
    parser = build_parser()
    if not words:
        parser.print_help(sys.stderr)
        return _USAGE
    chosen = parser.parse_args(words)
    try:
        refuse_overwriting(chosen)
        status: int = chosen.run(chosen)
    except BrokenPipeError:  # the reader closed the pipe early, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python reports an error at exit
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (UserError, LimitError, OSError) as error:
        sys.stderr.write(f"{chosen.prog}: {_message(error)}\n")
        return _FAILED
    return status


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, with a subparser for each command."""
    parser = argparse.ArgumentParser(
        prog="semtext", description="Clean main text of web pages, by semantic classification of text blocks."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_commands(parser, COMMANDS)
    return parser


def _add_commands(parser: argparse.ArgumentParser, commands: Mapping[str, Any]) -> None:
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in commands.items():
        if isinstance(command, CommandGroup):
            group = parsers.add_parser(name, help=command.help)
            group.description = command.help
            _add_commands(group, command.commands)
        else:
            doc = (command.__doc__ or "").strip()
            own = parsers.add_parser(name, help=doc.partition("\n")[0], description=doc)
            command.add_arguments(own)
            own.set_defaults(run=command.run, prog=own.prog)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
