"""The command ``semtext``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from scrapy_semtext import __version__
from scrapy_semtext.cli.commands import COMMANDS
from scrapy_semtext.cli.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Sequence

_FAILED, _INTERRUPTED = 1, 130  # argparse itself exits with 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (those of the process by default) and return its exit status."""
    chosen = build_parser().parse_args(arguments)
    try:
        status: int = chosen.run(chosen)
    except BrokenPipeError:  # whoever read the output has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it ends
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (CommandError, OSError) as error:
        sys.stderr.write(f"semtext {chosen.command}: {_message(error)}\n")
        return _FAILED
    return status


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line, with a parser for each command."""
    parser = argparse.ArgumentParser(
        prog="semtext", description="Clean main text of web pages, by semantic classification of text blocks."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        doc = (command.__doc__ or "").strip()
        own = commands.add_parser(name, help=doc.partition("\n")[0], description=doc)
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    return parser


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
