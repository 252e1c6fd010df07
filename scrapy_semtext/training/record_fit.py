"""Fit the record models: which column of a list holds its titles, and which lists are the main lists of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.records.lists import PageLists
from scrapy_semtext.records.models import RecordModels, title_columns
from scrapy_semtext.training.boosting import fit_trees, joined
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.record_pages import TrueRecord, true_records, words_of
from scrapy_semtext.utils.address import without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.training.datasets import AnnotatedPage

    _Rows = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]

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


class RecordTrainingError(UserError):
    """There are no pages to learn records from."""


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


def fit_records(examples: Sequence[RecordExample], seed: int = 1) -> RecordModels:
    """Fit both models, the second to what the first takes for titles. Raises RecordTrainingError without pages."""
    if not examples:
        raise RecordTrainingError("There are no overview pages whose records are known to fit the record models to.")
    titles = _fit(_title_rows(examples), _TITLE_ROUNDS, seed)
    return RecordModels(titles, _fit(_list_rows(examples, titles), _LIST_ROUNDS, seed))


def _fit(rows: _Rows, rounds: int, seed: int) -> TreeEnsemble:
    """The mean of a few ensembles that differ in what they see of the rows: there are few pages."""
    columns, right, weights = rows
    seeds = range(seed, seed + _PARTS)
    parts = [fit_trees(columns, right, {**_SETTINGS, "seed": each}, rounds, weights=weights) for each in seeds]
    trees = joined(parts)
    return replace(trees, value=trees.value / _PARTS)


def _title_rows(examples: Sequence[RecordExample]) -> _Rows:
    """The columns of the lists of true records, of which some hold the titles and some do not."""
    rows, right, weights = [], [], []
    for example in examples:
        for number, columns in enumerate(example.lists.lists):
            are_titles = example.titles[columns] >= _RIGHT
            if example.urls[columns].max() >= _RIGHT and 0 < are_titles.mean() < 1:
                rows.append(example.lists.title_features(number))
                right.append(are_titles)
                weights.append(np.full(len(columns), 1 / len(columns)))
    if not rows:
        raise RecordTrainingError("On no page do the links to records hold more than their titles: there is no choice.")
    return np.concatenate(rows), np.concatenate(right).astype(np.float64), np.concatenate(weights)


def _list_rows(examples: Sequence[RecordExample], titles: TreeEnsemble) -> _Rows:
    """The lists of all pages, each by its column of titles; pages of many lists count less for each."""
    rows, right, weights = [], [], []
    for example in examples:
        chosen = title_columns(example.lists, titles)
        rows.append(example.lists.list_features(chosen))
        right.append(example.urls[chosen] >= _RIGHT)
        weights.append(np.full(len(chosen), 1 / np.sqrt(max(len(chosen), 1))))
    return np.concatenate(rows), np.concatenate(right).astype(np.float64), np.concatenate(weights)


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
