"""Several systems on the same pages: scores by type of page, with intervals and differences to the first system."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.measurement import PageScore, measure
from scrapy_semtext.training.peers import PeerError
from scrapy_semtext.training.scoring import PRF, BlockCounts, prf
from scrapy_semtext.utils.bootstrap import Resamples, estimate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.training.measurement import Selection
    from scrapy_semtext.training.systems import System

_UNSAFE = re.compile(r"[^\w.-]+")


class ComparisonError(UserError):
    """A comparison without pages."""


class SystemScores(NamedTuple):
    """A system's version, and its score on every page, in order."""

    version: str
    scores: list[PageScore]


def measure_systems(
    systems: Sequence[System], selection: Selection, out: Path | None = None, *, progress: bool = True
) -> dict[str, SystemScores]:
    """Measure the systems one after the other; return their scores by name.

    With ``out``, scores are saved in its folder ``scores``, and those of a peer are reused as long as its version and
    the pages are the same. Raises MeasurementError, PeerError for peers that are neither installed nor saved, and
    ComparisonError if there are no pages.
    """
    pages = _fingerprint(selection) if out is not None else ""
    saved = {} if out is None else {system.name: _load(_path(out, system), system, pages) for system in systems}
    missing = [system for system in systems if system.version is None and saved.get(system.name) is None]
    if missing:
        names, packages = ", ".join(each.name for each in missing), " ".join(each.package or "" for each in missing)
        raise PeerError(f"Not installed: {names}. Run: pip install {packages}")
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
            raise ComparisonError("There are no pages to measure by. Use --all-domains for every page of the sets.")
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
        reference: dict[str, NDArray[np.float64]] = {}
        for name, rows in scores.items():
            values = _resampled([row for row, is_in in zip(rows, is_member, strict=True) if is_in], bootstrap)
            result[name]["groups"][group] = _group(values, reference, bootstrap.pages)
            reference = reference or values
    return result


def _resampled(rows: list[PageScore], bootstrap: Resamples) -> dict[str, NDArray[np.float64]]:
    """The measures of a system on all pages and on each resample, (1 + resamples, 3) each."""
    values = {"words": bootstrap.mean(np.array([row.words for row in rows]))}
    if any(row.blocks is not None for row in rows):
        counts = [row.blocks or BlockCounts(0, 0, 0) for row in rows]
        values["blocks_pooled"] = bootstrap.pooled(np.array(counts, dtype=np.float64))
        values["blocks_page_mean"] = bootstrap.mean(np.array([prf(*count) for count in counts]))
    return values


def _group(
    values: dict[str, NDArray[np.float64]], reference: dict[str, NDArray[np.float64]], pages: int
) -> dict[str, Any]:
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
