"""Measure records of listings in five folds by domain; each page is read by models fitted without its fold.

    python -m research.record_folds DATA...

True records are those that the page sets state, such as those written by `research.true_records`. A record is right if
the words of its title and its URL are. Models learn only from pages whose licence allows shipping them.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from research.data_command import run_command
from scrapy_semtext.cli.train import DataCommand, write_table
from scrapy_semtext.train.corpus import mean_prf, prf
from scrapy_semtext.train.datasets import TrainingError, may_ship, read_measured, split_side
from scrapy_semtext.train.evaluate import by_group
from scrapy_semtext.train.fit import read_examples
from scrapy_semtext.train.records import TrueRecord, fit_records, record_examples, title_words
from scrapy_semtext.utils.address import without_fragment

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.read.lists import Column
    from scrapy_semtext.train.records import RecordExample

_FOLDS = 5


class _Row(NamedTuple):
    """One page: right, found and true records, and right URLs."""

    counts: tuple[int, int, int]
    urls: int


def evaluate_records(paths: Iterable[Path], seed: int = 1, *, progress: bool = True) -> dict[str, dict[str, Any]]:
    """Return scores (0 to 1) of "all" pages and of those of each set and type.

    ``precision``, ``recall`` and ``f1``: means over pages; ``micro``: the F1 of all records together; ``url``: the F1
    of URLs only. Raises DatasetError for a set that cannot be read, TrainingError without pages.
    """
    examples = read_examples(read_measured(paths), record_examples)
    if not examples:
        raise TrainingError("There is no page whose records are known.")

    def rows() -> Iterator[tuple[str, _Row]]:
        for fold in tqdm(range(_FOLDS), desc="folds", disable=not progress):
            held = [each for each in examples if split_side(each.page.domain, test_fold=fold) == "test"]
            domains = {each.page.domain for each in held}
            others = [each for each in examples if each.page.domain not in domains and may_ship(each.page)]
            models = fit_records(others, seed)
            for each in held:
                group = f"{each.page.dataset} {each.page.page_type}"
                yield group, _row(each, models.main_columns(each.lists))

    return by_group(rows(), _summary)


def _row(example: RecordExample, columns: Sequence[Column]) -> _Row:
    found: dict[str, TrueRecord] = {}
    for column in columns:
        for member in column.members:
            if member.url:
                url = without_fragment(member.url)
                found.setdefault(url, TrueRecord(title_words(member.text), url))
    right = len({*found.values()} & {*example.truth})
    urls = len(found.keys() & {record.url for record in example.truth})
    return _Row((right, len(found), len(example.truth)), urls)


def _summary(rows: Sequence[_Row]) -> dict[str, Any]:
    both = [prf(*row.counts) for row in rows]
    return {
        **mean_prf(both)._asdict(),
        "micro": prf(*(sum(column) for column in zip(*(row.counts for row in rows), strict=True))).f1,
        "url": mean_prf(prf(row.urls, *row.counts[1:]) for row in rows).f1,
    }


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    write_table(evaluate_records(arguments.data, progress=progress))


main = partial(run_command, "research.record_folds", DataCommand(_work, __doc__ or ""))


if __name__ == "__main__":
    sys.exit(main())
