"""Web archives by name, and the process that reads one."""

from __future__ import annotations

import glob
import gzip
import multiprocessing
import signal
import sys
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.batch import Report, convert
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.page_files import PageFiles

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from scrapy_semtext.bulk.warc import ArchiveFilter

#: The endings of names of lists, and of web archives.
_LISTS = (".paths", ".paths.gz", ".txt")
_ARCHIVES = (".warc", ".warc.gz")

#: The exit codes of processes that were killed or that crashed, as multiprocessing gives them; not of Ctrl-C.
_DEATHS = tuple(-each for each in signal.Signals if each is not signal.SIGINT)


def archives_of(names: Sequence[str], root: Path) -> list[Path]:
    """Return the archives that names stand for: files, patterns, folders, and lists of names in ``root``.

    Raises CommandError for what there is not, and for two archives of the same name.
    """
    found = [path for name in names for path in _archives(name, root)]
    if missing := [path for path in found if not path.is_file()]:
        raise CommandError(f"{missing[0]} is not there{f', nor are {len(missing) - 1} others' * (len(missing) > 1)}.")
    by_stem: dict[str, Path] = {}
    for path in found:
        if (other := by_stem.setdefault(stem_of(path), path)) is not path:
            raise CommandError(f"{other} and {path} would become the same file: read them into two folders.")
    return found


def _archives(name: str, root: Path) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        found = sorted(each for each in path.rglob("*") if each.name.lower().endswith(_ARCHIVES))
    elif name.lower().endswith(_LISTS) and path.is_file():
        data = path.read_bytes()
        text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode()
        found = [root / line.strip() for line in text.splitlines() if line.strip()]
    elif not path.exists() and glob.has_magic(name):
        found = [Path(each) for each in sorted(glob.glob(name, recursive=True))]  # noqa: PTH207
    else:
        found = [path]
    if not found:
        raise CommandError(f"{name} stands for no archive.")
    return found


def stem_of(path: Path) -> str:
    """Return the name of an archive without its endings."""
    return path.name.removesuffix(".gz").removesuffix(".warc")


def read_archive(arguments: argparse.Namespace, wanted: ArchiveFilter) -> Report:
    """Read the archive ``arguments.input`` in a process of its own; the arguments are those of `semtext batch`.

    If the process dies, as of a page that makes a library crash, another goes on, in which such a page is an error.
    Raises CommandError for an archive that cannot be read to its end, and if the second process dies as well.
    """
    for workers in (1, 2):  # more than one: pages are read in processes of their own
        again = copy(arguments)
        again.workers = workers
        result = _result_of(again, wanted)
        if isinstance(result, Report):
            return result
        if result is not None:
            raise CommandError(result)
    raise CommandError(f"{arguments.input[0]}: the process that reads it dies. Is there enough memory?")


def _result_of(arguments: argparse.Namespace, wanted: ArchiveFilter) -> Report | str | None:
    """Return what became of an archive: a report, the message of a CommandError, or None if the process died."""
    context = multiprocessing.get_context("spawn")  # a fork would copy locks of threads
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_read, args=(arguments, wanted, theirs))
    process.start()
    theirs.close()
    with ours:
        result: Report | str | None = None
        with suppress(EOFError):
            result = ours.recv()
    process.join()
    if result is None and process.exitcode not in _DEATHS:
        return f"{arguments.input[0]} was not read to its end."
    return result


def _read(arguments: argparse.Namespace, wanted: ArchiveFilter, answer: Connection) -> None:
    try:
        pages = PageFiles(arguments.input, form="warc", archived=wanted)
        answer.send(convert(arguments, pages, show_progress=False))
    except (CommandError, OSError) as error:
        answer.send(f"{arguments.input[0]}: {error}" if isinstance(error, OSError) else str(error))
    except KeyboardInterrupt:  # what is done is kept
        sys.exit(130)
