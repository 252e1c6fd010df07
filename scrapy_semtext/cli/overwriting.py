"""Refuses to write to a file that is read: for every command, before it runs."""

from __future__ import annotations

import glob
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.part import files_beside

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

#: The arguments that name what commands read, and what they write. (Numbers and folders among them are ignored.)
INPUTS = ("input", "page", "pages", "data", "labels", "sites", "bundle", "bundles", "urls_file")
OUTPUTS = ("output", "out", "json", "rules")


def refuse_overwriting(arguments: argparse.Namespace) -> None:
    """Raise CommandError if an output is one of the inputs: by its name, a link, or the redirection of a shell."""
    inputs = {(found.st_dev, found.st_ino): name for name, found in _files(arguments, INPUTS)}
    outputs = [*_files(arguments, OUTPUTS), *_beside(arguments), *_stream("standard output", 1)]
    for name, found in outputs:
        if (found.st_dev, found.st_ino) in inputs:
            raise CommandError(
                f"{name} is also read, as {inputs[found.st_dev, found.st_ino]}; write the result to another file."
            )


def _beside(arguments: argparse.Namespace) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files that a run that can be resumed writes beside its output, with their state."""
    if hasattr(arguments, "resume"):
        paths = files_beside(Path(os.path.realpath(arguments.output)))
        yield from ((str(path), path.stat()) for path in paths if path.is_file())


def _files(arguments: argparse.Namespace, names: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the ordinary files that arguments name, with their state."""
    for name in names:
        value = getattr(arguments, name, None)
        for each in value if isinstance(value, list | tuple) else [value]:
            if each == "-" and names is INPUTS:
                yield from _stream("standard input", 0)
            elif isinstance(each, str | Path):
                files = _expanded(str(each)) if names is INPUTS else [str(each)]
                yield from ((path, os.stat(path)) for path in files if Path(path).is_file())  # noqa: PTH116


def _expanded(name: str) -> list[str]:
    """The files that a name stands for: itself, those of a folder, or those that a pattern matches."""
    path = Path(name)
    if path.is_dir():
        return [str(file) for file in path.rglob("*")]
    return [name] if path.exists() else glob.glob(name, recursive=True)  # noqa: PTH207


def _stream(name: str, number: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield a standard stream if it is redirected to an ordinary file."""
    sys.stdout.flush()
    try:
        found = os.fstat(number)
    except OSError:  # closed
        return
    if stat.S_ISREG(found.st_mode):
        yield name, found
