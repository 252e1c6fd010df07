"""Process many web archives: WARC files in, a file of rows for each of them out.

IN are WARC files, folders, patterns, or lists of names as published by Common Crawl (.paths, .paths.gz or .txt: one
name per line, in --root). OUT is a folder, where a.warc.gz becomes a.parquet, with the rows of `semtext batch`. With
--workers N, N archives are processed at a time, each in a separate process. An archive whose file exists is not
processed again: run the same command again to continue an interrupted run, even in the middle of an archive.
"""

from __future__ import annotations

import glob
import json
import multiprocessing
import signal
import sys
import time
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from scrapy_semtext.bulk.warc import ArchiveFilter
from scrapy_semtext.cli.batch import Report, check, convert
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing
from scrapy_semtext.cli.models import add_model_arguments, add_result_arguments, add_row_options, positive
from scrapy_semtext.cli.page_files import UNREADABLE, PageFiles, decompressed
from scrapy_semtext.cli.part import description_of, files_beside, require_same
from scrapy_semtext.cli.row_files import add_output_arguments

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

#: The file name extensions by format, except for JSON lines; JSON lines and CSV are compressed.
_ENDINGS = {
    **dict.fromkeys(("parquet", "qa", "chunks"), ".parquet"),
    "csv": ".csv.gz",
    "faqpage": ".json.gz",
    "markdown-folder": "",
}

#: The extensions of lists of names, and of web archives.
_LISTS = (".paths", ".paths.gz", ".txt")
_ARCHIVES = (".warc", ".warc.gz")

#: The maximum size of a list: bytes of a line, lines, and bytes. A list of Common Crawl has 100,000 lines, of 14 MB.
_LONGEST_NAME, _MOST_NAMES, _LONGEST_LIST = 4096, 1_000_000, 128 << 20

#: The exit codes of processes that were killed or crashed, as returned by multiprocessing; not of Ctrl-C.
_DEATHS = tuple(-each for each in signal.Signals if each is not signal.SIGINT)

#: The file in OUT that describes how the others were made, and arguments that do not affect them.
_RUN = "semtext-warc.json"
_WITHOUT_INFLUENCE = ("workers", "output", "input", "root")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("input", nargs="+", metavar="IN", help="WARC files, folders, patterns or lists of names")
    parser.add_argument("output", metavar="OUT", help="the folder of the results")
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help="the folder of the names in lists")
    add_output_arguments(parser, "parquet")
    records = parser.add_argument_group("selection of records")
    records.add_argument("--most", type=positive, metavar="BYTES", help="the longest body (default: any)")
    records.add_argument("--no-truncated", action="store_true", help="skip records that the crawler has truncated")
    add_row_options(parser)
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="archives at a time (%(default)s)")
    add_model_arguments(parser)
    add_result_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    began = time.monotonic()
    folder = Path(arguments.output)
    jobs = [_job(arguments, path, folder) for path in _archives_of(arguments.input, arguments.root)]
    for job in jobs:
        check(job)
    _prepare(folder, arguments)
    left = [job for job in jobs if not Path(job.output).exists() or files_beside(Path(job.output))[0].exists()]
    total, failed = _read_all(left, arguments)
    earlier = f" ({len(jobs) - len(left)} of them by an earlier run)" if len(left) < len(jobs) else ""
    sys.stderr.write(
        f"{len(jobs) - failed} of {len(jobs)} archives{earlier}: {total} in {time.monotonic() - began:.1f} seconds\n"
    )
    return int(failed > 0 or total.is_failure(strict=False))


def _read_all(jobs: Sequence[Namespace], arguments: argparse.Namespace) -> tuple[Report, int]:
    """Process archives; return the counts of their pages, and the number of archives that failed."""
    wanted = ArchiveFilter(least=1, most=arguments.most, truncated=not arguments.no_truncated)
    total, failed = Report(), 0
    threads = ThreadPoolExecutor(arguments.workers)  # each waits for a process
    try:
        running = [threads.submit(_read_archive, job, wanted) for job in jobs]
        with tqdm(total=len(jobs), unit=" archives", disable=None) as bar:
            for each in as_completed(running):
                try:
                    total.add(each.result())
                except CommandError as error:
                    failed += 1
                    bar.write(f"{arguments.prog}: {error}", sys.stderr)
                bar.set_postfix_str(f"{total.pages} pages, {total.errors} errors", refresh=False)
                bar.update()
    finally:
        threads.shutdown(cancel_futures=True)
    return total, failed


def _job(arguments: argparse.Namespace, path: Path, folder: Path) -> Namespace:
    """Return the arguments of `semtext batch` for an archive."""
    output = str(folder / (_stem_of(path) + _ENDINGS.get(arguments.to, ".jsonl.gz")))
    own = {"input": [str(path)], "output": output, "resume": True, "restart": False, "site_templates": False}
    return Namespace(**{**vars(arguments), **own, "workers": 1})


def _prepare(folder: Path, arguments: argparse.Namespace) -> None:
    """Create the folder; raise CommandError if it has other files or was made with other options."""
    run = description_of(arguments, _WITHOUT_INFLUENCE)
    path = folder / _RUN
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} is not empty, and was not written by `semtext warc`; name another folder.")
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(str(path)) as file:
            file.write(f"{json.dumps(run, indent=1)}\n".encode())
        return
    before = json.loads(path.read_text("utf-8"))
    require_same(folder, before, run, "continue with the same options, or name another folder.")


def _archives_of(names: Sequence[str], root: Path) -> list[Path]:
    """Return the archives that names refer to: files, patterns, folders, and lists of names in ``root``.

    Raises CommandError for missing archives, and for two archives with the same name.
    """
    found = [path for name in names for path in _archives(name, root)]
    if missing := [path for path in found if not path.is_file()]:
        raise CommandError(f"{missing[0]} does not exist{f', nor do {len(missing) - 1} others' * (len(missing) > 1)}.")
    by_stem: dict[str, Path] = {}
    for path in found:
        if (other := by_stem.setdefault(_stem_of(path), path)) is not path:
            raise CommandError(f"{other} and {path} would become the same file: process them into different folders.")
    return found


def _archives(name: str, root: Path) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        found = sorted(each for each in path.rglob("*") if each.name.lower().endswith(_ARCHIVES))
    elif name.lower().endswith(_LISTS) and path.is_file():
        found = [root / each for each in _names_in(path)]
    elif not path.exists() and glob.has_magic(name):
        found = [Path(each) for each in sorted(glob.glob(name, recursive=True))]  # noqa: PTH207
    else:
        found = [path]
    if not found:
        raise CommandError(f"{name} stands for no archive.")
    return found


def _names_in(path: Path) -> Iterator[str]:
    """Yield the names in a list, which may be compressed; raise CommandError for what cannot be one."""
    length = 0
    with path.open("rb") as file:
        try:
            lines = decompressed(file, str(path))
            for number, line in enumerate(iter(partial(lines.readline, _LONGEST_NAME), b""), 1):
                length += len(line)
                if len(line) == _LONGEST_NAME or number > _MOST_NAMES or length > _LONGEST_LIST:
                    raise CommandError(
                        f"{path} is not a list of archives: line {number} is longer than {_LONGEST_NAME:,} bytes, or"
                        f" the list is longer than {_MOST_NAMES:,} lines or {_LONGEST_LIST >> 20} MiB."
                    )
                if name := line.decode().strip():
                    yield name
        except (*UNREADABLE, UnicodeDecodeError) as error:
            raise CommandError(f"{path} cannot be read to its end: {error}") from error


def _stem_of(path: Path) -> str:
    """Return the name of an archive without its extensions."""
    return path.name.removesuffix(".gz").removesuffix(".warc")


def _read_archive(arguments: Namespace, wanted: ArchiveFilter) -> Report:
    """Process the archive ``arguments.input`` in a separate process; the arguments are those of `semtext batch`.

    If the process dies, for example because a page crashes a library, another one continues, in which such a page is an
    error. Raises CommandError for an archive that cannot be read to the end, and if the second process dies as well.
    """
    for workers in (1, 2):  # with more than one, pages are processed in separate processes
        again = copy(arguments)
        again.workers = workers
        result = _result_of(again, wanted)
        if isinstance(result, Report):
            return result
        if result is not None:
            raise CommandError(result)
    raise CommandError(f"{arguments.input[0]}: the process that reads it died. Is there enough memory?")


def _result_of(arguments: Namespace, wanted: ArchiveFilter) -> Report | str | None:
    """Return the result for an archive: a report, the message of a CommandError, or None if the process died."""
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


def _read(arguments: Namespace, wanted: ArchiveFilter, answer: Connection) -> None:
    try:
        pages = PageFiles(arguments.input, "", "warc", wanted, arguments.limits, arguments.root)
        answer.send(convert(arguments, pages, show_progress=False))
    except (CommandError, OSError) as error:
        answer.send(f"{arguments.input[0]}: {error}" if isinstance(error, OSError) else str(error))
    except KeyboardInterrupt:  # finished rows are kept
        sys.exit(130)
