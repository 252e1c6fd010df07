"""Several systems on the same pages: scores by group, with intervals and differences to the first, as Markdown.

Each system reads in a process of its own, which keeps systems apart: none warms up, slows down or breaks another, CPU
time is its own, and one that takes its process down with it loses the page at which it happened and no other.
"""

from __future__ import annotations

import hashlib
import json
import logging
import multiprocessing
import re
import warnings
from dataclasses import dataclass
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from tqdm import tqdm

from scrapy_semtext.training.datasets import AnnotatedPage, read_measured
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.scoring import PRF, BlockCounts, block_counts, prf, word_prf
from scrapy_semtext.utils.bootstrap import Estimate, Resamples, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from scrapy_semtext.training.systems import Fold, Reader, System, SystemOutput
    from scrapy_semtext.utils.arrays import Floats

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
        return (page for page in read_measured(self.paths) if all(fold.keeps_out(page.domain) for fold in self.folds))


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
    """Read all selected pages in a process of its own and score them, in order.

    ``total`` is the number of pages, for the progress bar. A page at which the process ends, or over which it is silent
    for two minutes, counts as failed. Raises UserError if the system cannot be opened, or its
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
    """Go on after the pages that have scores; whether the end was reached, and not only the end of the process."""
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
    """In the child process: send None when open, a score for each page, None at the end; or an error as a string."""
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


#: The criteria of `group_of`.
By = Literal["type", "lang"]
#: The criteria in headings.
_WORDING: dict[By, str] = {"type": "type of page", "lang": "language"}

# Characters of the true text that are used to detect its language.
_ENOUGH = 2000

_UNSAFE = re.compile(r"[^\w.-]+")


def group_of(page: AnnotatedPage, by: By = "type") -> str:
    """Return the group that a page is counted in.

    By "lang" it is the two-letter ISO 639 code stated by the page set, or else detected by py3langid from the true
    text; "unknown" if the text is too short. Raises MissingExtraError if py3langid is needed and not installed.
    """
    if by == "type":
        return page.page_type or "untyped"
    if page.lang:
        return page.lang.replace("_", "-").partition("-")[0].lower()
    from scrapy_semtext.text.languages import language_of_text

    return language_of_text(page.text[:_ENOUGH]) or "unknown"


class SystemScores(NamedTuple):
    """A system's version, and its score on every page, in order."""

    version: str
    scores: list[PageScore]


def measure_systems(
    systems: Sequence[System], selection: Selection, out: Path | None = None, *, progress: bool = True
) -> dict[str, SystemScores]:
    """Measure the systems one after the other; return their scores by name.

    With ``out``, scores are saved in its folder ``scores``, and those of a peer are reused as long as its version and
    the pages are the same. Raises UserError, UserError for peers that are neither installed nor saved, and
    UserError if there are no pages.
    """
    pages = _fingerprint(selection) if out is not None else ""
    saved = {} if out is None else {system.name: _load(_path(out, system), system, pages) for system in systems}
    missing = [system for system in systems if system.version is None and saved.get(system.name) is None]
    if missing:
        names, packages = ", ".join(each.name for each in missing), " ".join(each.package or "" for each in missing)
        raise UserError(f"Not installed: {names}. Run: pip install {packages}")
    results: dict[str, SystemScores] = {}
    total: int | None = None
    for system in systems:
        result = saved.get(system.name)
        if result is None:
            scores = measure(system, selection, total=total, progress=progress)
            result = SystemScores(system.version or "", scores)
            if out is not None:
                _save(_path(out, system), system, pages, result)
        if not result.scores:
            raise UserError("There are no pages to measure by. Use --all-domains for every page of the sets.")
        results[system.name], total = result, len(result.scores)
    return results


def summarize(
    systems: dict[str, SystemScores], resamples: int, seed: int, groups: Sequence[str] | None = None
) -> dict[str, dict[str, Any]]:
    """The values of the table: for each system by name ``version``, ``errors``, ``cpu_ms`` (a page) and ``groups``.

    ``groups`` names the group of each page, in order; by default its type. The values of each group, and of "all", are
    ``pages``, ``words`` (means over pages of precision, recall and F1), and, for systems that label blocks,
    ``blocks_pooled`` (counts of blocks summed over pages) and ``blocks_page_mean``; of every system but the first also
    ``difference`` (of ``words_f1``, ``blocks_pooled_f1``). Each value is ``[value, low, high]``, shares from 0 to 1.
    """
    scores = {name: system.scores for name, system in systems.items()}
    first = next(iter(scores.values()))
    groups = [score.page_type for score in first] if groups is None else list(groups)
    members = {"all": np.ones(len(first), dtype=np.bool_)}
    for group in sorted(set(groups), key=lambda group: (-groups.count(group), group)):
        members[group] = np.array([other == group for other in groups])
    result: dict[str, dict[str, Any]] = {
        name: {
            "version": systems[name].version,
            "errors": sum(score.error is not None for score in rows),
            "cpu_ms": 1000 * sum(score.cpu for score in rows) / len(rows),
            "groups": {},
        }
        for name, rows in scores.items()
    }
    for group, is_member in members.items():
        bootstrap = Resamples(int(is_member.sum()), resamples, seed)
        reference: dict[str, Floats] = {}
        for name, rows in scores.items():
            values = _resampled([row for row, is_in in zip(rows, is_member, strict=True) if is_in], bootstrap)
            result[name]["groups"][group] = _group(values, reference, bootstrap.pages)
            reference = reference or values
    return result


def _resampled(rows: list[PageScore], bootstrap: Resamples) -> dict[str, Floats]:
    """The measures of a system on all pages and on each resample, (1 + resamples, 3) each."""
    values = {"words": bootstrap.mean(np.array([row.words for row in rows]))}
    if any(row.blocks is not None for row in rows):
        counts = [row.blocks or BlockCounts(0, 0, 0) for row in rows]
        values["blocks_pooled"] = bootstrap.pooled(np.array(counts, dtype=np.float64))
        values["blocks_page_mean"] = bootstrap.mean(np.array([prf(*count) for count in counts]))
    return values


def _group(values: dict[str, Floats], reference: dict[str, Floats], pages: int) -> dict[str, Any]:
    """The estimates of one system on one group of pages; ``reference`` are the values of the first system, if any."""
    group: dict[str, Any] = {"pages": pages}
    for name, scores in values.items():
        group[name] = {column: estimate(scores[:, i]) for i, column in enumerate(PRF._fields)}
    if reference:
        both = [name for name in ("words", "blocks_pooled") if name in values and name in reference]
        group["difference"] = {f"{name}_f1": estimate(values[name][:, 2] - reference[name][:, 2]) for name in both}
    return group


def _fingerprint(selection: Selection) -> str:
    """A hash of the pages that are measured: the files' contents and the folds of domains."""
    digest = hashlib.sha256()
    for path in selection.paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(repr(selection.folds).encode())
    return digest.hexdigest()


def _path(out: Path, system: System) -> Path:
    return out / "scores" / (_UNSAFE.sub("_", system.name) + ".json")


def _load(path: Path, system: System, pages: str) -> SystemScores | None:
    """The saved scores of a peer; None if there are none, or of other pages or of another version."""
    if system.package is None or not path.exists():
        return None
    saved = json.loads(path.read_text(encoding="utf-8"))
    if saved["pages"] != pages or saved["version"] != (system.version or saved["version"]):
        return None
    return SystemScores(saved["version"], [_page_score(*row) for row in saved["scores"]])


def _page_score(*row: Any) -> PageScore:
    score = PageScore(*row)
    return score._replace(words=PRF(*score.words), blocks=None if score.blocks is None else BlockCounts(*score.blocks))


def _save(path: Path, system: System, pages: str, result: SystemScores) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    saved = {"system": system.name, "version": result.version, "pages": pages, "scores": result.scores}
    path.write_text(json.dumps(saved, ensure_ascii=False), encoding="utf-8")


def comparison_table(systems: dict[str, dict[str, Any]], by: By = "type") -> str:
    """The tables of a comparison (see `summarize`), shares in percent, intervals in brackets.

    ``by`` is the criterion of its groups.
    """
    names = list(systems)
    groups = list(systems[names[0]]["groups"])
    of_blocks = [name for name in names if "blocks_pooled" in systems[name]["groups"]["all"]]
    parts = [_overview(systems, difference=len(names) > 1)]
    if of_blocks:
        parts += ["Blocks, all pages:", _blocks({name: systems[name]["groups"]["all"] for name in of_blocks})]
    if len(groups) > 2:
        parts += [f"Word F1 by {_WORDING[by]}:", _by_group(systems, groups, _words)]
        if of_blocks:
            labeled = {name: systems[name] for name in of_blocks}
            parts += [f"Block F1 (pooled) by {_WORDING[by]}:", _by_group(labeled, groups, _pooled)]
        if len(names) > 1:
            others = {name: systems[name] for name in names[1:]}
            parts += [f"Difference in word F1 to {names[0]}:", _by_group(others, groups, _difference)]
    return "\n\n".join(parts) + "\n"


def _overview(systems: dict[str, dict[str, Any]], *, difference: bool) -> str:
    head = ["system", "version", "pages", "failed", "word precision", "word recall", "word F1"]
    head += ["difference"] * difference + ["CPU ms a page"]
    rows = []
    for name, system in systems.items():
        group = system["groups"]["all"]
        words = group["words"]
        row = [name, system["version"], str(group["pages"]), str(system["errors"])]
        row += [_share(words["precision"].value), _share(words["recall"].value), interval(words["f1"])]
        row += [_difference(group)] * difference + [f"{system['cpu_ms']:.1f}"]
        rows.append(row)
    return _table(head, rows, left=2)


def _blocks(groups: dict[str, dict[str, Any]]) -> str:
    head = ["system", "precision", "recall", "F1, pooled", "difference", "precision", "recall", "F1, mean of pages"]
    rows = []
    for name, group in groups.items():
        pooled, mean = group["blocks_pooled"], group["blocks_page_mean"]
        change = group.get("difference", {}).get("blocks_pooled_f1")
        rows.append(
            [
                name,
                *(interval(pooled[key]) for key in ("precision", "recall", "f1")),
                _signed(change) if change else "",
                *(interval(mean[key]) for key in ("precision", "recall", "f1")),
            ]
        )
    return _table(head, rows)


def _by_group(systems: dict[str, dict[str, Any]], groups: Sequence[str], cell: Callable[[dict[str, Any]], str]) -> str:
    pages = next(iter(systems.values()))["groups"]
    head = ["system", *(f"{group} ({pages[group]['pages']})" for group in groups)]
    return _table(
        head, ([name, *(cell(system["groups"][group]) for group in groups)] for name, system in systems.items())
    )


def _words(group: dict[str, Any]) -> str:
    return interval(group["words"]["f1"])


def _pooled(group: dict[str, Any]) -> str:
    return interval(group["blocks_pooled"]["f1"]) if "blocks_pooled" in group else ""


def _difference(group: dict[str, Any]) -> str:
    return _signed(group["difference"]["words_f1"]) if "difference" in group else ""


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


def interval(value: Estimate) -> str:
    """An estimate in percent, with its interval in brackets."""
    return f"{100 * value.value:.1f} [{100 * value.low:.1f}, {100 * value.high:.1f}]"


def _signed(value: Estimate) -> str:
    return f"{100 * value.value:+.1f} [{100 * value.low:+.1f}, {100 * value.high:+.1f}]"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))
