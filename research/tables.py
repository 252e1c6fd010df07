"""Scores of several systems by group of pages, with intervals and differences to the first, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from research.block_scoring import BlockCounts
from research.bootstrap import Estimate, Resamples, estimate, interval
from scrapy_semtext.train.corpus import PRF, prf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from research.measuring import PageScore, SystemScores
    from scrapy_semtext.train.evaluate import By
    from scrapy_semtext.utils.arrays import Floats

#: The criteria in headings.
_WORDING: dict[By, str] = {"type": "type of page", "lang": "language"}


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


def _signed(value: Estimate) -> str:
    return f"{100 * value.value:+.1f} [{100 * value.low:+.1f}, {100 * value.high:+.1f}]"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))
