"""Measure the kinds of pages, and overviews, on domains that were held out of training.

    python -m research.kind_folds DATA... --bundles DIR...

TextSweeper's rule for overviews, which needs no training, is measured on the same pages.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from research.bootstrap import RESAMPLES, Resamples, estimate, interval
from research.data_command import run_command
from research.fold_bundles import checked
from scrapy_semtext.cli.train import DataCommand
from scrapy_semtext.features.table import describe
from scrapy_semtext.labelers.textsweeper import MIN_ARTICLE_CHARS, sweep
from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.read.kinds import KINDS, OVERVIEWS, load_kinds
from scrapy_semtext.train.datasets import read_measured
from scrapy_semtext.train.evaluate import stated_fold
from scrapy_semtext.train.kinds import AMONG, KIND_OF_TYPE
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy_semtext.read.kinds import KindModel
    from scrapy_semtext.train.evaluate import Fold
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints

_NO_KIND = -1


@dataclass(frozen=True, slots=True)
class KindPredictions:
    """True and predicted kinds of all pages, (pages,) each.

    ``kinds`` and ``predicted`` are indices in KINDS, ``predicted`` is -1 for a page without text; ``overviews``:
    whether the model predicts an overview; ``net_lengths``: TextSweeper's net text length in characters.
    """

    kinds: Ints
    predicted: Ints
    overviews: Bools
    net_lengths: Ints


def predict_kinds(data: Sequence[Path], bundles: Sequence[Path], *, progress: bool = True) -> KindPredictions:
    """Classify each page that is of KINDS by the bundle whose training held its domain out.

    A single bundle is used for the domains that it held out; several bundles have to hold out all domains between them.
    Raises UserError if the bundles do not fit or there is no page, BundleError, DatasetError.
    """
    models, folds = kind_models(bundles)
    rows: list[tuple[int, int, bool, int]] = []
    for page in tqdm(read_measured(data), desc="classifying pages", unit=" pages", disable=not progress):
        fold = next((number for number, each in enumerate(folds) if each.keeps_out(page.domain)), None)
        kind = KIND_OF_TYPE.get(page.page_type or "")
        if fold is not None and kind is not None:
            described = describe(page.html, page.url)
            found = models[fold].read(described)
            predicted = _NO_KIND if found is None else KINDS.index(found.kind)
            is_overview = found is not None and found.is_overview
            rows.append((KINDS.index(kind), predicted, is_overview, sweep(described).net_length))
    if not rows:
        raise UserError(
            f"There is no page to classify: none of the domains held out has a page_type of {', '.join(KIND_OF_TYPE)}."
        )
    kinds, all_predicted, overviews, lengths = (np.array(column) for column in zip(*rows, strict=True))
    return KindPredictions(kinds, all_predicted, overviews.astype(np.bool_), lengths)


def kind_tables(predictions: KindPredictions, resamples: int = RESAMPLES) -> str:
    """The figures as Markdown, in percent, with 95 % intervals by bootstrap over pages."""
    tables = _accuracy(predictions, resamples), _by_kind(predictions), _overview_table(predictions, resamples)
    return "\n\n".join(tables) + "\n"


def kind_models(bundles: Sequence[Path]) -> tuple[list[KindModel], list[Fold]]:
    """The models of page kinds of bundles, and the folds that they left out; several have to cover all domains."""
    for bundle in bundles:
        if not (bundle / "kinds.json").is_file():
            raise UserError(f"{bundle} has no model of page kinds; train one with `semtext dev train kinds`.")
    models = [*map(load_kinds, bundles)]
    pairs = zip(models, bundles, strict=True)
    folds = [stated_fold(model.training, f"the model of page kinds of {bundle}") for model, bundle in pairs]
    return models, checked(bundles, folds) if len(bundles) > 1 else folds


def _accuracy(predictions: KindPredictions, resamples: int) -> str:
    right = (predictions.predicted == predictions.kinds).astype(np.float64)
    found = estimate(Resamples(len(right), resamples).mean(right[:, None])[:, 0])
    return f"Kinds classified correctly: {interval(found)} % of {len(right)} pages."


def _by_kind(predictions: KindPredictions) -> str:
    lines = ["| kind | pages | precision | recall | F1 |", "|---|--:|--:|--:|--:|"]
    for number, kind in enumerate(KINDS):
        counts = _counts(predictions.predicted == number, predictions.kinds == number)
        if counts[:, 2].any():
            precision, recall, f1 = 100 * Resamples(len(counts), 0).pooled(counts)[0]
            lines.append(f"| {kind} | {int(counts[:, 2].sum())} | {precision:.1f} | {recall:.1f} | {f1:.1f} |")
    return "\n".join(lines)


def _overview_table(predictions: KindPredictions, resamples: int) -> str:
    systems = {
        "kinds model": predictions.overviews,
        f"rule, {MIN_ARTICLE_CHARS} characters": predictions.net_lengths < MIN_ARTICLE_CHARS,
    }
    lines = ["| overviews | and | pages | precision | recall | F1 |", "|---|---|--:|--:|--:|--:|"]
    is_overview = np.isin(predictions.kinds, [KINDS.index(kind) for kind in OVERVIEWS])
    for among, kinds in ((", ".join(AMONG), (*OVERVIEWS, *AMONG)), ("all kinds", KINDS)):
        counted = np.isin(predictions.kinds, [KINDS.index(kind) for kind in kinds])
        for name, found in systems.items():
            counts = _counts(found[counted], is_overview[counted])
            scores = Resamples(len(counts), resamples).pooled(counts)
            columns = [f"{100 * value:.1f}" for value in scores[0, :2]]
            lines.append(
                f"| {name} | {among} | {counted.sum()} | {' | '.join(columns)} | {interval(estimate(scores[:, 2]))} |"
            )
    return "\n".join(lines)


def _counts(found: Bools, true: Bools) -> Floats:
    """Hits, predicted and expected, (pages, 3)."""
    return np.stack([found & true, found, true], axis=1).astype(np.float64)


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    sys.stdout.write(kind_tables(predict_kinds(arguments.data, arguments.bundles or [SHIPPED], progress=progress)))


OPTIONS: dict[str, dict[str, Any]] = {
    "--bundles": {
        "nargs": "+",
        "type": Path,
        "metavar": "DIR",
        "help": "a bundle for each fold of the domains, to use all pages (default: the shipped one, on its fold)",
    }
}


main = partial(run_command, "research.kind_folds", DataCommand(_work, __doc__ or "", OPTIONS))


if __name__ == "__main__":
    sys.exit(main())
