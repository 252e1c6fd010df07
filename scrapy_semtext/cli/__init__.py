"""The command ``semtext``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.commands import COMMANDS, Group, resolve
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.overwriting import refuse_overwriting
from scrapy_semtext.limits import LimitError
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.cli.commands import Command

_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130  # argparse itself exits with 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (those of the process by default) and return its exit status."""
    words = resolve(sys.argv[1:] if arguments is None else arguments)
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
    except (CommandError, LimitError, OSError) as error:
        sys.stderr.write(f"{chosen.prog}: {_message(error)}\n")
        return _FAILED
    return status


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line, with a parser for each command."""
    parser = argparse.ArgumentParser(
        prog="semtext", description="Clean main text of web pages, by semantic classification of text blocks."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_commands(parser, COMMANDS, "COMMAND")
    return parser


def _add_commands(parser: argparse.ArgumentParser, commands: Mapping[str, Command | Group], metavar: str) -> None:
    parsers: Any = parser.add_subparsers(required=True, metavar=metavar)
    for name, command in commands.items():
        if isinstance(command, Group):
            description = f"{command.help} {_default_help(name, command.default)}"
            group = parsers.add_parser(name, help=command.help, description=description)
            _add_commands(group, command.commands, "NAME")
        else:
            doc = (command.__doc__ or "").strip()
            own = parsers.add_parser(name, help=doc.partition("\n")[0], description=doc)
            command.add_arguments(own)
            own.set_defaults(run=command.run, prog=own.prog)


def _default_help(group: str, default: str) -> str:
    """A sentence on the NAME that is used if none is given."""
    return f"Without NAME, `semtext {group} ...` is `semtext {group} {default} ...`."


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    # What a server or a file says must not move the cursor of a terminal.
    return "".join(each if each.isprintable() or each == "\n" else "?" for each in str(error) or type(error).__name__)
