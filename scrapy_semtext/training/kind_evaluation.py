"""How well kinds of page and overviews are told, beside TextSweeper's rule: what ``semtext evaluate-kinds`` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.labelers.textsweeper import OVERVIEW_LENGTH, sweep
from scrapy_semtext.page_kinds.model import KINDS, OVERVIEWS
from scrapy_semtext.page_kinds.storage import require_kinds
from scrapy_semtext.training.bootstrap import DRAWS, Draws, Estimate, estimate
from scrapy_semtext.training.datasets import read_measured
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.folds import checked, stated_fold
from scrapy_semtext.training.kind_fit import AMONG, KIND_OF_TYPE, overview_f1s

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.folds import Fold

_NONE = -1


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of all pages, (pages,) each.

    ``kinds`` and ``told`` are numbers in KINDS, ``told`` is -1 for a page without text; ``overviews``: whether the
    model takes it for one; ``net_lengths``: TextSweeper's net text length in characters; ``folds``: the number of the
    bundle that judged the page.
    """

    kinds: NDArray[np.int64]
    told: NDArray[np.int64]
    overviews: NDArray[np.bool_]
    net_lengths: NDArray[np.int64]
    folds: NDArray[np.int64]


def judged_pages(data: Sequence[Path], bundles: Sequence[Path], *, progress: bool = True) -> Judged:
    """Judge each page of KINDS by the bundle that kept its domain out of training; others are left out.

    One bundle alone judges the pages of the domains that it kept out; several have to make up all domains. Raises
    FoldError, BundleError, DatasetError, and UserError if there is no page.
    """
    models = [require_kinds(bundle) for bundle in bundles]
    pairs = zip(models, bundles, strict=True)
    folds = [stated_fold(model.training, f"the model of page kinds of {bundle}") for model, bundle in pairs]
    if len(bundles) > 1:
        checked(bundles, folds)
    rows: list[tuple[int, int, bool, int, int]] = []
    for page in tqdm(read_measured(data), desc="judging pages", unit=" pages", disable=not progress):
        judge = _judge(page, folds)
        kind = KIND_OF_TYPE.get(page.page_type or "")
        if judge is not None and kind is not None:
            described = describe(page.html, page.url)
            found = models[judge].read(described)
            told = _NONE if found is None else KINDS.index(found.kind)
            is_overview = found is not None and found.is_overview
            rows.append((KINDS.index(kind), told, is_overview, sweep(described).net_length, judge))
    if not rows:
        raise UserError(
            f"There is no page to judge: none of the domains kept out has a page_type of {', '.join(KIND_OF_TYPE)}."
        )
    kinds, told_all, overviews, lengths, judges = (np.array(column) for column in zip(*rows, strict=True))
    return Judged(kinds, told_all, overviews.astype(np.bool_), lengths, judges)


def kind_tables(judged: Judged, draws: int = DRAWS) -> str:
    """The figures as Markdown, in percent, with 95 % intervals by bootstrap over pages."""
    return "\n\n".join((_accuracy(judged, draws), _by_kind(judged), _overview_table(judged, draws))) + "\n"


def _judge(page: AnnotatedPage, folds: Sequence[Fold]) -> int | None:
    return next((number for number, fold in enumerate(folds) if fold.keeps_out(page.domain)), None)


def _accuracy(judged: Judged, draws: int) -> str:
    right = (judged.told == judged.kinds).astype(np.float64)
    found = estimate(Draws(len(right), draws).mean(right[:, None])[:, 0])
    return f"Kinds told rightly: {_interval(found)} % of {len(right)} pages."


def _by_kind(judged: Judged) -> str:
    lines = ["| kind | pages | precision | recall | F1 |", "|---|--:|--:|--:|--:|"]
    for number, kind in enumerate(KINDS):
        counts = _counts(judged.told == number, judged.kinds == number)
        if counts[:, 2].any():
            precision, recall, f1 = 100 * Draws(len(counts), 0).pooled(counts)[0]
            lines.append(f"| {kind} | {int(counts[:, 2].sum())} | {precision:.1f} | {recall:.1f} | {f1:.1f} |")
    return "\n".join(lines)


def _overview_table(judged: Judged, draws: int) -> str:
    systems = {"kinds model": judged.overviews, f"rule, {OVERVIEW_LENGTH} characters": _rule(judged, OVERVIEW_LENGTH)}
    if len(np.unique(judged.folds)) > 1:
        systems["rule, best length on the other folds"] = _fitted_rule(judged)
    lines = ["| overviews | among | pages | precision | recall | F1 |", "|---|---|--:|--:|--:|--:|"]
    true = np.isin(judged.kinds, [KINDS.index(kind) for kind in OVERVIEWS])
    for among, kinds in ((", ".join(AMONG), (*OVERVIEWS, *AMONG)), ("all kinds", KINDS)):
        counted = np.isin(judged.kinds, [KINDS.index(kind) for kind in kinds])
        for name, found in systems.items():
            scores = Draws(int(counted.sum()), draws).pooled(_counts(found[counted], true[counted]))
            columns = [f"{100 * value:.1f}" for value in scores[0, :2]]
            lines.append(
                f"| {name} | {among} | {counted.sum()} | {' | '.join(columns)} | {_interval(estimate(scores[:, 2]))} |"
            )
    return "\n".join(lines)


def _rule(judged: Judged, least: float) -> NDArray[np.bool_]:
    """TextSweeper's rule: a page of less net text is an overview."""
    return judged.net_lengths < least


def _fitted_rule(judged: Judged) -> NDArray[np.bool_]:
    """The same with the length that would have been best on the pages of the other folds."""
    found = np.zeros(len(judged.kinds), dtype=np.bool_)
    for number in np.unique(judged.folds):
        here = judged.folds == number
        found[here] = judged.net_lengths[here] <= best_length(judged.net_lengths[~here], judged.kinds[~here])
    return found


def best_length(lengths: NDArray[np.int64], kinds: NDArray[np.int64]) -> int:
    """The length up to which a page is best taken for an overview, by the mean of the two measures.

    ``lengths``: (pages,), the net lengths of pages; ``kinds``: (pages,), their numbers in KINDS.
    """
    return int(max(np.unique(lengths), key=lambda most: sum(overview_f1s(lengths <= most, kinds))))


def _counts(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Hits, predicted and expected, (pages, 3)."""
    return np.stack([found & true, found, true], axis=1).astype(np.float64)


def _interval(found: Estimate) -> str:
    return f"{100 * found.value:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
