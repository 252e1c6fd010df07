"""Several systems on the same pages: their scores by type of page, with intervals and differences to the first."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.training.bootstrap import Draws, estimate
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.measuring import PageScore, measure
from scrapy_semtext.training.peers import PeerError
from scrapy_semtext.training.scoring import PRF, BlockCounts, prf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.training.measuring import Selection
    from scrapy_semtext.training.systems import System

_UNSAFE = re.compile(r"[^\w.-]+")


class ComparisonError(UserError):
    """A comparison of nothing; the message says what there is none of."""


class Measured(NamedTuple):
    """A system's version, and its score on every page, in order."""

    version: str
    scores: list[PageScore]


def measured(
    systems: Sequence[System], selection: Selection, out: Path | None = None, *, progress: bool = True
) -> dict[str, Measured]:
    """Measure the systems one after the other; what was measured of each by its name.

    With ``out``, scores are kept in its folder ``scores``. Those of a peer on the same pages are taken from there,
    unless another version of it is installed now. Raises MeasuringError, PeerError for peers that are neither installed
    nor kept, and ComparisonError if there are no pages.
    """
    pages = _fingerprint(selection) if out is not None else ""
    kept = {} if out is None else {system.name: _kept(_path(out, system), system, pages) for system in systems}
    if missing := [system.name for system in systems if system.version is None and kept.get(system.name) is None]:
        raise PeerError(missing)
    found: dict[str, Measured] = {}
    total: int | None = None
    for system in systems:
        result = kept.get(system.name)
        if result is None:
            scores = measure(system, selection, total=total, progress=progress)
            result = Measured(system.version or "", scores)
            if out is not None:
                _keep(_path(out, system), system, pages, result)
        if not result.scores:
            raise ComparisonError("There are no pages to measure by. Use --all-domains for every page of the sets.")
        found[system.name], total = result, len(result.scores)
    return found


def summary(
    systems: dict[str, Measured], draws: int, seed: int, kinds: Sequence[str] | None = None
) -> dict[str, dict[str, Any]]:
    """The table's values: for each system by name ``version``, ``errors``, ``cpu_ms`` (a page) and ``groups``.

    A group is "all" or one of ``kinds``, which are those of the pages in order (their types if it is None), and holds
    ``pages``, ``words`` (means over pages of precision, recall and F1), and, for systems that label blocks,
    ``blocks_pooled`` (counts of blocks summed over pages) and ``blocks_page_mean``; of every system but the first also
    ``difference`` (of ``words_f1``, ``blocks_pooled_f1``). Each value is ``[value, low, high]``, shares from 0 to 1.
    """
    scores = {name: system.scores for name, system in systems.items()}
    first = next(iter(scores.values()))
    groups = {"all": np.ones(len(first), dtype=np.bool_)}
    kinds = [score.page_type for score in first] if kinds is None else list(kinds)
    for kind in sorted(set(kinds), key=lambda kind: (-kinds.count(kind), kind)):
        groups[kind] = np.array([other == kind for other in kinds])
    result: dict[str, dict[str, Any]] = {
        name: {
            "version": systems[name].version,
            "errors": sum(score.error is not None for score in rows),
            "cpu_ms": 1000 * sum(score.cpu for score in rows) / len(rows),
            "groups": {},
        }
        for name, rows in scores.items()
    }
    for group, chosen in groups.items():
        draw = Draws(int(chosen.sum()), draws, seed)
        reference: dict[str, NDArray[np.float64]] = {}
        for name, rows in scores.items():
            drawn = _drawn([row for row, taken in zip(rows, chosen, strict=True) if taken], draw)
            result[name]["groups"][group] = _group(drawn, reference, draw.pages)
            reference = reference or drawn
    return result


def _drawn(rows: list[PageScore], draw: Draws) -> dict[str, NDArray[np.float64]]:
    """The measures of a system, (1 + draws, 3) each."""
    drawn = {"words": draw.mean(np.array([row.words for row in rows]))}
    if any(row.blocks is not None for row in rows):
        counts = [row.blocks or BlockCounts(0, 0, 0) for row in rows]
        drawn["blocks_pooled"] = draw.pooled(np.array(counts, dtype=np.float64))
        drawn["blocks_page_mean"] = draw.mean(np.array([prf(*count) for count in counts]))
    return drawn


def _group(
    drawn: dict[str, NDArray[np.float64]], reference: dict[str, NDArray[np.float64]], pages: int
) -> dict[str, Any]:
    group: dict[str, Any] = {"pages": pages}
    for measure_, values in drawn.items():
        group[measure_] = {name: estimate(values[:, i]) for i, name in enumerate(PRF._fields)}
    if reference:
        both = [name for name in ("words", "blocks_pooled") if name in drawn and name in reference]
        group["difference"] = {f"{name}_f1": estimate(drawn[name][:, 2] - reference[name][:, 2]) for name in both}
    return group


def _fingerprint(selection: Selection) -> str:
    """A name for the pages that are measured: the files' contents, and which domains are left out."""
    digest = hashlib.sha256()
    for path in selection.paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(repr(selection.folds).encode())
    return digest.hexdigest()


def _path(out: Path, system: System) -> Path:
    return out / "scores" / (_UNSAFE.sub("_", system.name) + ".json")


def _kept(path: Path, system: System, pages: str) -> Measured | None:
    if not system.keeps or not path.exists():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    if kept["pages"] != pages or kept["version"] != (system.version or kept["version"]):
        return None
    return Measured(kept["version"], [_row(*row) for row in kept["scores"]])


def _row(*row: Any) -> PageScore:
    score = PageScore(*row)
    return score._replace(words=PRF(*score.words), blocks=None if score.blocks is None else BlockCounts(*score.blocks))


def _keep(path: Path, system: System, pages: str, result: Measured) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {"system": system.name, "version": result.version, "pages": pages, "scores": result.scores}
    path.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
