"""Process many pages: JSON lines, HTML, CSV, Parquet or WARC files in; rows, pairs, chunks or conversations out.

IN are files, folders or patterns; - is standard input. Lines of JSON, and rows of CSV and Parquet, have a page in html
(see --html-key), and may have an id and a url. OUT has a row for each page, in the same order, with id, url, title,
main_text, qa_pairs, sections and page_kind, or an error for a page that failed; its format is chosen by its name. With
--to it contains pairs, chunks, conversations to train chat models, or Markdown. Files whose names end in .gz or .xz are
compressed; - is standard output. OUT is created once it is complete; until then, OUT.part has the finished rows, and
--resume continues from there.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tqdm import tqdm

from scrapy_semtext.bulk.row import Row as PageRow
from scrapy_semtext.bulk.row import batches_of, column_names, result_rows, sources_of
from scrapy_semtext.cli.inputs import PageFiles, add_input_options, add_inputs, is_special
from scrapy_semtext.cli.models import (
    add_model_arguments,
    add_result_arguments,
    add_row_options,
    check_results,
    extra_fields,
    load_extractor,
    options_of,
    positive,
    setup_of,
)
from scrapy_semtext.cli.part import PartialOutput, description_of
from scrapy_semtext.cli.row_files import (
    PairChoice,
    RowWriter,
    Target,
    add_output_arguments,
    checked_target,
    left_out_text,
    results_for,
    writing,
)
from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.integration.processes import Setup, WorkerPool, read_sources, read_sources_in
from scrapy_semtext.page import Page
from scrapy_semtext.site.places import LiveTemplates, PageTemplates, sampled
from scrapy_semtext.site.rules import RuleWatch
from scrapy_semtext.utils.process_tuning import RenewedThreads

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.bulk.row import Row as PageRow
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.options import Source
    from scrapy_semtext.read.pair_rows import Row

#: The number of pages that are processed together.
_BATCH_SIZE = 16

#: The number of batches that wait for each process, or for the batches before them.
_PENDING = 2

#: Arguments that do not affect the results.
_WITHOUT_INFLUENCE = ("resume", "restart", "workers", "strict", "output", "input")


class RowBatch(NamedTuple):
    """Pages that are processed together; the results of the first ``skip`` are not needed."""

    rows: list[PageRow]
    skip: int = 0


#: A batch with a result for each of its sources.
Read = tuple[RowBatch, "list[Page | Exception]"]


#: A destination for the rows of pages.
Output = PartialOutput | RowWriter


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_inputs(parser)
    parser.add_argument("output", metavar="OUT", help="the file to write, - for standard output")
    add_input_options(parser)
    add_output_arguments(parser)
    add_row_options(parser)
    _add_running_options(parser)
    add_model_arguments(parser)
    add_result_arguments(parser)


def _add_running_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes (%(default)s)")
    going_on = parser.add_mutually_exclusive_group()
    going_on.add_argument("--resume", action="store_true", help="continue an interrupted run, if there is one")
    going_on.add_argument("--restart", action="store_true", help="discard the results of an interrupted run")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if any page has an error")
    parser.add_argument(
        "--site-templates",
        action="store_true",
        help="learn what the pages of a site share: files are read several times, from a pipe the pages before count",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    target = checked_target(arguments)
    _check(arguments, target)
    began = time.monotonic()
    report = _convert(arguments, target)
    sys.stderr.write(f"{report} in {time.monotonic() - began:.1f} seconds\n")
    return int(report.is_failure(strict=arguments.strict))


def _convert(arguments: argparse.Namespace, target: Target) -> Report:
    """Process pages and write their rows to the target. Raises CommandError if reading or writing fails."""
    extra, choice = extra_fields(arguments), PairChoice(arguments, target, templates=arguments.site_templates)
    pages = PageFiles(arguments.input, arguments.html_key, arguments.form, limits=arguments.limits)
    with _output(arguments, target, pages, choice) as output, ExitStack() as stack:
        batches = _left(batches_of(pages, _BATCH_SIZE), output.done)
        if arguments.workers > 1:
            read = stack.enter_context(_read_in_processes(setup_of(arguments), arguments.workers, batches))
        else:
            read = _read_here(arguments, batches)
        report = _write(read, output, pages, extra)
    report.left_out = choice.left_out
    return report


@dataclass(slots=True)
class Report:
    """Counts of the pages of a run; ``resumed`` of them were processed by an earlier run."""

    pages: int = 0
    errors: int = 0
    resumed: int = 0
    first_error: str | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    def count(self, rows: Sequence[Row]) -> None:
        """Count rows."""
        self.pages += len(rows)
        for row in rows:
            if "error" in row:
                self.errors += 1
                self.first_error = self.first_error or row["error"]

    def is_failure(self, *, strict: bool) -> bool:
        """Return whether all pages have an error, or any if ``strict``."""
        return self.errors > 0 and (strict or self.errors == self.pages)

    def __str__(self) -> str:
        earlier = f" ({self.resumed} of them by an earlier run)" if self.resumed else ""
        first = f" (the first: {self.first_error})" if self.first_error else ""
        pairs = f" {left_out_text(self.left_out)}," if self.left_out else ""
        return f"{counted(self.pages, 'page')}{earlier}, {self.errors} of them with an error{first},{pairs}"


def _check(arguments: argparse.Namespace, target: Target) -> None:
    """Complete the options as OUT requires. Raises CommandError for incompatible options."""
    for name in results_for(target):
        setattr(arguments, name, True)
    check_results(arguments)
    if target.is_of_pairs and arguments.no_pairs and arguments.no_markup:
        raise CommandError(f"{target.option} needs pairs: remove --no-pairs or --no-markup.")
    if arguments.site_templates and (arguments.workers > 1 or arguments.resume):
        raise CommandError("--site-templates learns from one page to the next: it excludes --workers and --resume.")
    if arguments.resume and "-" in (*arguments.input, arguments.output):
        raise CommandError("--resume needs files as IN and OUT, not pipes.")


@contextmanager
def _output(arguments: argparse.Namespace, target: Target, pages: PageFiles, choice: PairChoice) -> Iterator[Output]:
    """Yield a destination for the rows; if there is no error, OUT is created from it at the end."""
    names = column_names(options_of(arguments), extra_fields(arguments), archived=pages.archives)
    is_folder = target.form == "markdown-folder"
    if target.name == "-" or (is_special(target.name) and not is_folder):
        with writing(target, names, choice) as writer:
            yield writer
        return
    path = Path(os.path.realpath(target.name))
    run = description_of(arguments, _WITHOUT_INFLUENCE, input=pages.description())
    with PartialOutput(path, run, resume=arguments.resume, restart=arguments.restart) as part:
        yield part
        is_complete = target.form == "jsonl" and target.rows == "pages" and not choice.is_active
        if is_complete and not target.name.endswith((".gz", ".xz")):
            part.become(path)
            return
        with writing(target, names, choice, part.converted) as writer:
            writer.add(part.read())
        part.remove()


def _left(batches: Iterable[list[PageRow]], done: int) -> Iterator[RowBatch]:
    """Yield the remaining batches, given that the first ``done`` rows are written.

    A partly written batch is processed again as a whole, so that a resumed run gives exactly the same numbers.
    """
    for rows in batches:
        if done < len(rows):
            yield RowBatch(rows, done)
        done = max(0, done - len(rows))


@contextmanager
def _read_in_processes(setup: Setup, workers: int, batches: Iterable[RowBatch]) -> Iterator[Iterator[Read]]:
    """Yield an iterator over batches and their results, computed in ``workers`` processes.

    Memory is limited to a few batches per process. Raises CommandError if the processes cannot load the model.
    """
    from scrapy_semtext.integration.processes import WorkerPool

    try:
        pool = WorkerPool(setup, workers)
    except ValueError as error:  # a broken bundle, for example
        raise CommandError(str(error)) from error
    threads = ThreadPoolExecutor(workers)  # each waits for one process
    try:
        yield _in_order(pool, threads, batches, _PENDING * workers)
    finally:
        threads.shutdown(cancel_futures=True)
        pool.close()


def _in_order(pool: WorkerPool, threads: ThreadPoolExecutor, batches: Iterable[RowBatch], most: int) -> Iterator[Read]:
    pending: deque[tuple[RowBatch, Future[list[Page | Exception]]]] = deque()
    for batch in batches:
        pending.append((batch, threads.submit(read_sources, pool, sources_of(batch.rows))))
        if len(pending) > most:
            first, result = pending.popleft()
            yield first, result.result()
    while pending:
        first, result = pending.popleft()
        yield first, result.result()


def _read_here(arguments: argparse.Namespace, batches: Iterable[RowBatch]) -> Iterator[Read]:
    """Process batches in this process."""
    extractor = load_extractor(arguments)
    if arguments.site_templates:
        is_piped = any(name == "-" or is_special(name) for name in arguments.input)
        extractor.templates = LiveTemplates() if is_piped else _templates(arguments, extractor)
    with closing(RenewedThreads()) as threads:
        for batch in batches:
            yield batch, read_sources_in(threads, extractor, sources_of(batch.rows))


def _templates(arguments: argparse.Namespace, extractor: Extractor) -> PageTemplates:
    """Read the URLs of all pages, and learn from some pages of each host."""

    def sources() -> Iterator[Source]:
        pages = PageFiles(arguments.input, arguments.html_key, arguments.form, limits=arguments.limits)
        return (source for rows in batches_of(pages, _BATCH_SIZE) for source in sources_of(rows))

    chosen = {*sampled(source.url for source in sources() if source.url)}
    return PageTemplates.learn(extractor, lambda: (source for source in sources() if source.url in chosen))


def _write(read: Iterable[Read], output: Output, pages: PageFiles, extra: Sequence[str]) -> Report:
    """Pass the rows of all pages to the output."""
    report = Report(output.done, output.errors, output.done)
    # The bar counts bytes if the size of IN is known. disable=None: no bar unless standard error is a terminal.
    unit = "B" if pages.size else " pages"
    began, watch = time.monotonic(), RuleWatch()
    with tqdm(total=pages.size, unit=unit, unit_scale=bool(pages.size), disable=None) as bar:
        for batch, results in read:
            rows = [*result_rows(batch.rows, results, extra)][batch.skip :]
            for sentence in (each for page in results if isinstance(page, Page) for each in watch.add(page)):
                bar.write(sentence, sys.stderr)
            output.add(rows)
            report.count(rows)
            rate = (report.pages - report.resumed) / (time.monotonic() - began)
            bar.set_postfix_str(f"{report.pages} pages, {rate:.0f} pages/s, {report.errors} errors", refresh=False)
            bar.update(max(0, pages.position - bar.n) if pages.size else len(rows))
    return report
