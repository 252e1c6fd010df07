"""Several systems on the same pages, scored page by page.

Each system runs in a separate process: no system warms up, slows down or breaks another, CPU time is measured for each
system, and a system that crashes its process loses only the page at which it crashed.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import re
import warnings
from dataclasses import dataclass
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from research.block_scoring import BlockCounts, block_counts
from scrapy_semtext.train.corpus import PRF, word_prf
from scrapy_semtext.train.evaluate import held_out_pages
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from research.systems import Reader, System, SystemOutput
    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.train.evaluate import Fold

_UNSAFE = re.compile(r"[^\w.-]+")

# Pages at which the process of a system may end; after each, a new process skips the pages done.
_MAX_ENDS = 25
# Seconds without a score after which the process of a system is killed.
_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Selection:
    """The pages to read: those of all sets whose domains are held out by every one of ``folds``."""

    paths: tuple[Path, ...]
    folds: tuple[Fold, ...] = ()

    def pages(self) -> Iterator[AnnotatedPage]:
        """Yield them in order. Raises DatasetError."""
        return held_out_pages(self.paths, self.folds)


class PageScore(NamedTuple):
    """How well a system read a page; ``blocks`` is None if it labels none, ``cpu`` is in seconds.

    A page that could not be read counts as an empty text without blocks, and ``error`` says why.
    """

    dataset: str
    id: str
    page_type: str
    words: PRF
    blocks: BlockCounts | None
    cpu: float
    error: str | None = None


def measure(
    system: System, selection: Selection, *, total: int | None = None, progress: bool = True
) -> list[PageScore]:
    """Read all selected pages in a separate process and score them, in order.

    ``total`` is the number of pages, for the progress bar. A page at which the process ends, or for which it takes
    over two minutes, counts as failed. Raises UserError if the system cannot be opened, or its
    process ends before it has read anything or more than 25 times.
    """
    scores: list[PageScore] = []
    batch, ends = system.batch, 0
    bar: tqdm[Any]
    with tqdm(desc=system.name, total=total, unit=" pages", disable=not progress) as bar:
        while not _run(system, selection, batch, scores, bar):
            lost = next(islice(selection.pages(), len(scores), None), None)
            if lost is None:
                break
            if batch == 1:
                scores.append(score_page(lost, RuntimeError("its process ended, or did not come to an end"), 0.0))
                bar.update()
            batch = 1  # to find the page at which it happens
            if (ends := ends + 1) > _MAX_ENDS:
                raise UserError(f"{system.name}: its process ended again and again, last at page {lost.id}.")
    return scores


def score_pages(reader: Reader, pages: Iterator[AnnotatedPage], batch: int) -> Iterator[PageScore]:
    """Read and score pages; the CPU time of a batch is divided evenly among its pages."""
    while portion := list(islice(pages, batch)):
        began = process_time()
        read = reader(portion)
        cpu = (process_time() - began) / len(portion)
        for page, reading in zip(portion, read, strict=True):
            yield score_page(page, reading, cpu)


def score_page(page: AnnotatedPage, reading: SystemOutput | Exception, cpu: float) -> PageScore:
    """Score the reading of a page, or the exception raised instead; ``cpu`` in seconds."""
    kind = page.page_type or "untyped"
    if isinstance(reading, Exception):
        error = f"{type(reading).__name__}: {reading}"
        return PageScore(page.dataset, page.id, kind, word_prf("", page.text), None, cpu, error)
    blocks = None if reading.blocks is None else block_counts(reading.blocks, page.text)
    return PageScore(page.dataset, page.id, kind, word_prf(reading.text, page.text), blocks, cpu)


def _run(system: System, selection: Selection, batch: int, scores: list[PageScore], bar: tqdm[Any]) -> bool:
    """Continue after the pages that have scores; return whether all pages were read before the process ended."""
    context = multiprocessing.get_context("spawn")  # a fork would copy locks of threads and all loaded models
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(system, selection, batch, len(scores), sender), daemon=True)
    process.start()
    sender.close()
    opened = done = False
    try:
        while not done:
            if opened and not receiver.poll(_TIMEOUT):
                break
            message = receiver.recv()
            if isinstance(message, PageScore):
                scores.append(message)
                bar.update()
            elif isinstance(message, str):
                raise UserError(message)
            else:  # the first None says that it is open, the second that it is done
                opened, done = True, opened
    except EOFError:
        if not opened:
            raise UserError(f"{system.name}: its process ended before it read a page.") from None
    finally:
        receiver.close()
        process.terminate()
        process.join()
    return done


def _work(system: System, selection: Selection, batch: int, skip: int, sender: Connection) -> None:
    """In the child process: send None once open, a score for each page and None at the end, or an error as a string."""
    logging.disable()
    warnings.simplefilter("ignore")
    try:
        reader = system.open()
        sender.send(None)
        for score in score_pages(reader, islice(selection.pages(), skip, None), batch):
            sender.send(score)
        sender.send(None)
    except (ValueError, ImportError) as error:
        sender.send(f"{system.name}: {error}")


class SystemScores(NamedTuple):
    """A system's version, and its score on every page, in order."""

    version: str
    scores: list[PageScore]


def measure_systems(
    systems: Sequence[System], selection: Selection, out: Path | None = None, *, progress: bool = True
) -> dict[str, SystemScores]:
    """Measure the systems one after the other; return their scores by name, and save them in ``out``/scores.

    Raises UserError for peers that are not installed, and if there are no pages.
    """
    if missing := [system for system in systems if system.version is None]:
        names, packages = ", ".join(each.name for each in missing), " ".join(each.package or "" for each in missing)
        raise UserError(f"Not installed: {names}. Run: pip install {packages}")
    results: dict[str, SystemScores] = {}
    total: int | None = None
    for system in systems:
        result = SystemScores(system.version or "", measure(system, selection, total=total, progress=progress))
        if not result.scores:
            raise UserError("There are no pages to measure by. Use --all-domains for every page of the sets.")
        results[system.name], total = result, len(result.scores)
        if out is not None:
            path = out / "scores" / (_UNSAFE.sub("_", system.name) + ".json")
            path.parent.mkdir(parents=True, exist_ok=True)
            saved = {"system": system.name, **result._asdict()}
            path.write_text(json.dumps(saved, ensure_ascii=False), encoding="utf-8")
    return results
