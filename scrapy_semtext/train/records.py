"""Fit the record models: ``semtext dev train records``.

They choose the column of a list that has the titles, and the main lists of a page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.lists import PageLists
from scrapy_semtext.read.records import HEAD as RECORD_FILES
from scrapy_semtext.read.records import RecordModels, title_columns
from scrapy_semtext.train.datasets import TrainingError
from scrapy_semtext.train.fit import HeadTraining, Trees, stacked
from scrapy_semtext.utils.address import without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.train.fit import Part
    from scrapy_semtext.utils.arrays import Floats

_WORDS = re.compile(r"\w+")


class TrueRecord(NamedTuple):
    """An annotated record: the words of its title (see `title_words`) and its URL without the fragment."""

    title: str
    url: str


def title_words(text: str) -> str:
    """Return the words of a text in lower case, by which titles are compared."""
    return " ".join(_WORDS.findall(text.casefold()))


def true_records(page: AnnotatedPage) -> list[TrueRecord]:
    """Return the records that the page set states for a page, in page order; of two with the same URL, the first."""
    found: dict[str, TrueRecord] = {}
    for each in page.extra.get("records") or []:
        if isinstance(each, dict) and each.get("url") and each.get("title"):
            url = without_fragment(each["url"])
            found.setdefault(url, TrueRecord(title_words(each["title"]), url))
    return [*found.values()]


#: The minimum number of true records of a page for training and evaluation.
_LEAST_RECORDS = 4

#: A column is correct if at least this share of its members are true records.
_RIGHT = 0.6
_TITLE_TREES = Trees(100, leaves=8, rate=0.05, least=10, feature_fraction=0.4, max_bin=63)
_LIST_TREES = Trees(150, leaves=8, rate=0.05, least=10, feature_fraction=0.4, max_bin=63)
_PARTS = 4  # fits with different seeds that are averaged, since there are few pages


@dataclass(slots=True)
class RecordExample:
    """A page with known records.

    ``titles``, (columns,): the share of the members of each column that are true records. ``urls``, (columns,): the
    share whose URLs are those of true records.
    """

    page: AnnotatedPage
    truth: list[TrueRecord]
    lists: PageLists
    titles: Floats
    urls: Floats


def record_examples(page: AnnotatedPage) -> list[RecordExample]:
    """Return the example of a page whose set states records."""
    truth = true_records(page)
    return [_example(page, truth)] if len(truth) >= _LEAST_RECORDS else []


def fit_records(examples: Sequence[RecordExample], seed: int = 1) -> RecordModels:
    """Fit both models, the second on the columns that the first chooses. Raises TrainingError without pages."""
    if not examples:
        raise TrainingError("The record models need overview pages with known records, but there are none.")
    choices = list(_title_rows(examples))
    if not choices:
        raise TrainingError("The record models need pages whose records have other texts beside titles; found none.")
    titles = _fit(choices, _TITLE_TREES, seed)
    return RecordModels(titles, _fit(_list_rows(examples, titles), _LIST_TREES, seed))


def _fit(parts: Iterable[Part], settings: Trees, seed: int) -> TreeEnsemble:
    trees = settings.fit(stacked(parts), seed, parts=_PARTS)
    return replace(trees, value=trees.value / _PARTS)


def _title_rows(examples: Sequence[RecordExample]) -> Iterator[Part]:
    """Yield the columns of the lists of true records in which some columns, but not all, have the titles."""
    for example in examples:
        for number, columns in enumerate(example.lists.lists):
            are_titles = example.titles[columns] >= _RIGHT
            if example.urls[columns].max() >= _RIGHT and 0 < are_titles.mean() < 1:
                yield example.lists.title_features(number), are_titles, np.full(len(columns), 1 / len(columns))


def _list_rows(examples: Sequence[RecordExample], titles: TreeEnsemble) -> Iterator[Part]:
    """Yield the lists of all pages, each by its title column. On pages with many lists, each weighs less."""
    for example in examples:
        chosen = title_columns(example.lists, titles)
        weights = np.full(len(chosen), 1 / np.sqrt(max(len(chosen), 1)))
        yield example.lists.list_features(chosen), example.urls[chosen] >= _RIGHT, weights


def _example(page: AnnotatedPage, truth: list[TrueRecord]) -> RecordExample:
    lists = PageLists.of(describe(page.html, page.url))
    urls, known = {record.url for record in truth}, {*truth}
    found = [
        [TrueRecord(title_words(member.text), without_fragment(member.url or "")) for member in column.members]
        for column in lists.columns
    ]
    return RecordExample(
        page,
        truth,
        lists,
        np.array([sum(record in known for record in column) / len(column) for column in found]),
        np.array([sum(record.url in urls for record in column) / len(column) for column in found]),
    )


HEAD = HeadTraining(
    files=RECORD_FILES,
    reader=lambda _: record_examples,
    fit=lambda examples, job: fit_records(examples, job.seed),
    needs="pages that state their records",
    report=lambda _, examples, __: {"records": sum(len(example.truth) for example in examples)},
)
