"""Fit the record models, and measure them out of fold: ``semtext train records``, ``semtext evaluate records``.

They tell which column of a list holds its titles, and which lists are the main lists of a page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.records.lists import PageLists
from scrapy_semtext.records.models import RecordModels, save_record_models, title_columns
from scrapy_semtext.training.boosting import fit_trees, joined, stacked
from scrapy_semtext.training.datasets import read_measured, split_side
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.evaluate import by_group
from scrapy_semtext.training.kind_evaluation import kind_models, number_of
from scrapy_semtext.training.record_pages import TrueRecord, true_records, words_of
from scrapy_semtext.training.scoring import PRF, mean_prf, prf
from scrapy_semtext.utils.address import without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.records.columns import Column
    from scrapy_semtext.training.boosting import Part, TreeTrainingJob
    from scrapy_semtext.training.datasets import AnnotatedPage

#: The page types of overviews, and the fewest true records of a page to learn from or to measure.
OVERVIEW_TYPES = ("listing", "collection")
LEAST_RECORDS = 4

#: A column is right if this share of its members are true records.
_RIGHT = 0.6
_SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 10,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "max_bin": 63,
}
_TITLE_ROUNDS, _LIST_ROUNDS, _PARTS = 100, 150, 4
_FOLDS = 5  # of the evaluation
_NOTHING = PRF(0.0, 0.0, 0.0)


@dataclass(slots=True)
class RecordExample:
    """A page with known records.

    ``titles`` and ``urls``: (columns,), the shares of members of each column that are true records, and whose addresses
    are those of true records.
    """

    page: AnnotatedPage
    truth: list[TrueRecord]
    lists: PageLists
    titles: NDArray[np.float64]
    urls: NDArray[np.float64]


def record_examples(
    pages: Iterable[AnnotatedPage], ids: frozenset[str] | None = None, *, progress: bool = False
) -> list[RecordExample]:
    """Make examples of the overview pages with known records; with ``ids`` only of these pages."""
    examples = []
    for page in tqdm(pages, desc="preparing pages", unit=" pages", disable=not progress):
        if page.page_type in OVERVIEW_TYPES and (ids is None or page.id in ids):
            truth = true_records(page)
            if len(truth) >= LEAST_RECORDS:
                examples.append(_example(page, truth))
    return examples


def read_ids(path: Path | None) -> frozenset[str] | None:
    """The ids in a file, separated by white space; lines that begin with # are comments."""
    if path is None:
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(" ".join(line for line in lines if not line.startswith("#")).split())


def train_records(job: TreeTrainingJob, ids: Path | None = None, *, progress: bool = True) -> dict[str, Any]:
    """Fit the record models, write them into the folder of a bundle, and return their training record.

    ``ids`` names a file with the ids of the pages to learn from. Raises TrainingError if there are none,
    DatasetError for unusable data.
    """
    examples = record_examples(job.pages(), read_ids(ids), progress=progress)
    models = fit_records(examples, job.seed)
    record = {
        **job.record(),
        "pages": len(examples),
        "records": sum(len(example.truth) for example in examples),
    }
    save_record_models(job.out, replace(models, training=record))
    return record


def fit_records(examples: Sequence[RecordExample], seed: int = 1) -> RecordModels:
    """Fit both models, the second to what the first takes for titles. Raises TrainingError without pages."""
    if not examples:
        raise TrainingError("There are no overview pages whose records are known to fit the record models to.")
    choices = list(_title_rows(examples))
    if not choices:
        raise TrainingError("On no page do the links to records hold more than their titles: there is no choice.")
    titles = _fit(choices, _TITLE_ROUNDS, seed)
    return RecordModels(titles, _fit(_list_rows(examples, titles), _LIST_ROUNDS, seed))


def _fit(parts: Iterable[Part], rounds: int, seed: int) -> TreeEnsemble:
    """The mean of a few ensembles that differ in what they see of the rows: there are few pages."""
    rows = stacked(parts)
    trees = joined([fit_trees(*rows, _SETTINGS, rounds, each) for each in range(seed, seed + _PARTS)])
    return replace(trees, value=trees.value / _PARTS)


def _title_rows(examples: Sequence[RecordExample]) -> Iterator[Part]:
    """The columns of the lists of true records, of which some hold the titles and some do not."""
    for example in examples:
        for number, columns in enumerate(example.lists.lists):
            are_titles = example.titles[columns] >= _RIGHT
            if example.urls[columns].max() >= _RIGHT and 0 < are_titles.mean() < 1:
                yield example.lists.title_features(number), are_titles, np.full(len(columns), 1 / len(columns))


def _list_rows(examples: Sequence[RecordExample], titles: TreeEnsemble) -> Iterator[Part]:
    """The lists of all pages, each by its column of titles; pages of many lists count less for each."""
    for example in examples:
        chosen = title_columns(example.lists, titles)
        weights = np.full(len(chosen), 1 / np.sqrt(max(len(chosen), 1)))
        yield example.lists.list_features(chosen), example.urls[chosen] >= _RIGHT, weights


def _example(page: AnnotatedPage, truth: list[TrueRecord]) -> RecordExample:
    lists = PageLists.of(describe(page.html, page.url))
    urls, known = {record.url for record in truth}, {*truth}
    found = [
        [TrueRecord(words_of(member.text), without_fragment(member.url or "")) for member in column.members]
        for column in lists.columns
    ]
    return RecordExample(
        page,
        truth,
        lists,
        np.array([sum(record in known for record in column) / len(column) for column in found]),
        np.array([sum(record.url in urls for record in column) / len(column) for column in found]),
    )


class _Row(NamedTuple):
    """One page: right, found and true records, right addresses, and whether the page is told as an overview."""

    counts: tuple[int, int, int]
    addresses: int
    is_overview: bool


def evaluate_records(
    paths: Iterable[Path],
    ids: Path | None = None,
    bundles: Sequence[Path] | None = None,
    seed: int = 1,
    *,
    progress: bool = True,
) -> dict[str, dict[str, Any]]:
    """Return scores (0 to 1) of "all" pages and of those of each type.

    ``precision``, ``recall`` and ``f1``: means over pages; ``micro``: the F1 of all records together; ``address``: the
    F1 of addresses alone; ``gated``: the F1 if pages that are not told as overviews yield no records; ``told``: the
    share of pages that are. Each page is read by record models fitted without its fold of domains, and its kind is
    told by the bundle that kept it out, or by the only one. ``ids`` names a file with the ids of the pages to measure.
    Raises DatasetError for a set that cannot be read, TrainingError without pages, BundleError, FoldError.
    """
    examples = record_examples(read_measured(paths), read_ids(ids), progress=progress)
    if not examples:
        raise TrainingError("There is no page of type listing or collection whose records are known.")
    kinds, folds = kind_models(bundles or [SHIPPED])

    def rows() -> Iterator[tuple[str, _Row]]:
        for fold in tqdm(range(_FOLDS), desc="folds", disable=not progress):
            sides = [split_side(example.page.domain, test_fold=fold) == "test" for example in examples]
            models = fit_records([each for each, held in zip(examples, sides, strict=True) if not held], seed)
            for example in (each for each, held in zip(examples, sides, strict=True) if held):
                page = example.page
                kind = kinds[number_of(page, folds) or 0].read(describe(page.html, page.url))
                is_overview = kind is not None and kind.is_overview
                yield page.page_type or "", _row(example, models.main_columns(example.lists), is_overview=is_overview)

    return by_group(rows(), _summary)


def _row(example: RecordExample, columns: Sequence[Column], *, is_overview: bool) -> _Row:
    found: dict[str, TrueRecord] = {}
    for column in columns:
        for member in column.members:
            if member.url:
                url = without_fragment(member.url)
                found.setdefault(url, TrueRecord(words_of(member.text), url))
    right = len({*found.values()} & {*example.truth})
    addresses = len(found.keys() & {record.url for record in example.truth})
    return _Row((right, len(found), len(example.truth)), addresses, is_overview)


def _summary(rows: Sequence[_Row]) -> dict[str, Any]:
    both = [prf(*row.counts) for row in rows]
    return {
        **mean_prf(both)._asdict(),
        "micro": prf(*(sum(column) for column in zip(*(row.counts for row in rows), strict=True))).f1,
        "address": mean_prf(prf(row.addresses, *row.counts[1:]) for row in rows).f1,
        "gated": mean_prf(each if row.is_overview else _NOTHING for each, row in zip(both, rows, strict=True)).f1,
        "told": sum(row.is_overview for row in rows) / len(rows),
    }
