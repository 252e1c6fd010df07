"""Read many web archives: WARC files in, a file of rows for each of them out.

IN are WARC files, folders, patterns, or lists of names as Common Crawl has them (.paths, .paths.gz or .txt: a name a
line, in --root). OUT is a folder, where a.warc.gz becomes a.parquet, with the rows of `semtext batch`. With --workers
N, N archives are read at a time, each in a process of its own. An archive whose file is there is not read again: the
same command goes on where an interrupted run has stopped, in the middle of an archive, too.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.bulk.warc import ArchiveFilter
from scrapy_semtext.cli.archives import archives_of, read_archive, stem_of
from scrapy_semtext.cli.batch import Report, add_row_options, check
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing
from scrapy_semtext.cli.models import add_model_arguments
from scrapy_semtext.cli.values import positive
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

#: The endings of files by format; lines and CSV are compressed.
_ENDINGS = {"parquet": ".parquet", "jsonl": ".jsonl.gz", "csv": ".csv.gz"}

#: The file in OUT that says how the others were made, and arguments that have no influence on them.
_RUN = "semtext-warc.json"
_WITHOUT_INFLUENCE = ("run", "prog", "workers", "output", "input", "root", "batch_size")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("input", nargs="+", metavar="IN", help="WARC files, folders, patterns or lists of names")
    parser.add_argument("output", metavar="OUT", help="the folder of the results")
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help="where the names of lists are")
    parser.add_argument("--to", choices=tuple(_ENDINGS), default="parquet", help="the format of OUT (%(default)s)")
    records = parser.add_argument_group("records that are pages")
    records.add_argument(
        "--status", action="append", metavar="S", help="a status or its first digits; may be given several times (2)"
    )
    records.add_argument(
        "--type", action="append", metavar="T", help="a media type; may be given several times (HTML and XHTML)"
    )
    records.add_argument("--least", type=positive, default=1, metavar="BYTES", help="the shortest body (%(default)s)")
    records.add_argument("--most", type=positive, metavar="BYTES", help="the longest body (default: any)")
    records.add_argument("--no-truncated", action="store_true", help="leave out what the crawler has cut off")
    add_row_options(parser)
    parser.add_argument(
        "--batch-size", type=positive, default=16, metavar="PAGES", help="pages at a time (%(default)s)"
    )
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="archives at a time (%(default)s)")
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    began = time.monotonic()
    folder = Path(arguments.output)
    jobs = [_job(arguments, path, folder) for path in archives_of(arguments.input, arguments.root)]
    check(jobs[0])
    _prepare(folder, arguments)
    left = [job for job in jobs if not Path(job.output).exists()]
    total, failed = _read_all(left, arguments)
    earlier = f" ({len(jobs) - len(left)} of them by an earlier run)" if len(left) < len(jobs) else ""
    sys.stderr.write(
        f"{len(jobs) - failed} of {len(jobs)} archives{earlier}: {total} in {time.monotonic() - began:.1f} seconds\n"
    )
    return int(failed > 0 or total.is_failure(strict=False))


def _read_all(jobs: Sequence[Namespace], arguments: argparse.Namespace) -> tuple[Report, int]:
    """Read archives; return what became of their pages, and how many archives failed."""
    default = ArchiveFilter()
    wanted = ArchiveFilter(
        tuple(arguments.status or default.statuses),
        tuple(map(str.lower, arguments.type or default.types)),
        arguments.least,
        arguments.most,
        not arguments.no_truncated,
    )
    total, failed = Report(), 0
    threads = ThreadPoolExecutor(arguments.workers)  # each waits for a process
    try:
        running = [threads.submit(read_archive, job, wanted) for job in jobs]
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
    output = str(folder / (stem_of(path) + _ENDINGS[arguments.to]))
    own = {"input": [str(path)], "output": output, "resume": True, "restart": False, "site_templates": False}
    return Namespace(**{**vars(arguments), **own, "workers": 1})


def _prepare(folder: Path, arguments: argparse.Namespace) -> None:
    """Make the folder; raise CommandError for one with other files, and for one that was made with other options."""
    run: dict[str, Any] = {"version": __version__}
    run |= {name: str(value) for name, value in vars(arguments).items() if name not in _WITHOUT_INFLUENCE}
    path = folder / _RUN
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} is not empty, and not of `semtext warc`; name another folder.")
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(str(path)) as file:
            file.write(f"{json.dumps(run, indent=1)}\n".encode())
        return
    before = json.loads(path.read_text("utf-8"))
    if changed := [name for name in {**before, **run} if before.get(name) != run.get(name)]:
        name = changed[0]
        raise CommandError(
            f"{folder} was made with {name} = {before.get(name)!r}, now it is {run.get(name)!r}: go on with the same"
            " options, or name another folder."
        )
