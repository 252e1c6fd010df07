"""A comparison as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.training.grouping import WORDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.training.grouping import By

_EMPTY = ""


def comparison_table(systems: dict[str, dict[str, Any]], by: By = "type") -> str:
    """The tables of a comparison (see comparison.summary), shares in percent, intervals in brackets.

    ``by`` is the criterion of its groups.
    """
    names = list(systems)
    groups = list(systems[names[0]]["groups"])
    of_blocks = [name for name in names if "blocks_pooled" in systems[name]["groups"]["all"]]
    parts = [_overview(systems, difference=len(names) > 1)]
    if of_blocks:
        parts += ["Blocks, all pages:", _blocks({name: systems[name]["groups"]["all"] for name in of_blocks})]
    if len(groups) > 2:
        parts += [f"Word F1 by {WORDING[by]}:", _by_group(systems, groups, _words)]
        if of_blocks:
            labelled = {name: systems[name] for name in of_blocks}
            parts += [f"Block F1 (pooled) by {WORDING[by]}:", _by_group(labelled, groups, _pooled)]
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
        row += [_share(words["precision"].value), _share(words["recall"].value), _interval(words["f1"])]
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
                *(_interval(pooled[key]) for key in ("precision", "recall", "f1")),
                _signed(change) if change else _EMPTY,
                *(_interval(mean[key]) for key in ("precision", "recall", "f1")),
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
    return _interval(group["words"]["f1"])


def _pooled(group: dict[str, Any]) -> str:
    return _interval(group["blocks_pooled"]["f1"]) if "blocks_pooled" in group else _EMPTY


def _difference(group: dict[str, Any]) -> str:
    return _signed(group["difference"]["words_f1"]) if "difference" in group else _EMPTY


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


def _interval(value: Any) -> str:
    return f"{100 * value.value:.1f} [{100 * value.low:.1f}, {100 * value.high:.1f}]"


def _signed(value: Any) -> str:
    return f"{100 * value.value:+.1f} [{100 * value.low:+.1f}, {100 * value.high:+.1f}]"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))
