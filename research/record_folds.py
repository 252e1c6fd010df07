"""Measure records of listings, in five folds by domain: each page by models fitted without its own.

    python -m research.record_folds DATA... --pages research/notes/record-pages.txt

True records are the links of a page whose text is a line of its true main text. A record is right if the words of its
title and its address are. "gated" is the F1 of pages that have to be told as overviews first.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from research.data_command import run_command
from research.kind_folds import kind_models, number_of
from scrapy_semtext.cli.annotated_pages import DataCommand, write_table
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.training.datasets import read_measured, split_side
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.evaluate import by_group
from scrapy_semtext.training.record_fit import TrueRecord, fit_records, read_ids, record_examples, words_of
from scrapy_semtext.training.scoring import PRF, mean_prf, prf
from scrapy_semtext.utils.address import without_fragment

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.records.columns import Column
    from scrapy_semtext.training.record_fit import RecordExample

_FOLDS = 5
_NOTHING = PRF(0.0, 0.0, 0.0)


class _Row(NamedTuple):
    """One page: right, found and true records, right URLs, and whether the page is recognized as an overview."""

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
    F1 of URLs only; ``gated``: the F1 if pages that are not recognized as overviews yield no records; ``told``: the
    share of pages that are. Each page is read by record models fitted without its fold of domains, and its kind is
    told by the bundle that kept it out, or by the only one. ``ids`` names a file with the ids of the pages to measure.
    Raises DatasetError for a set that cannot be read, TrainingError without pages, BundleError, and UserError for
    bundles that do not fit.
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


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    write_table(evaluate_records(arguments.data, arguments.pages, arguments.bundles, progress=progress))


OPTIONS: dict[str, dict[str, Any]] = {
    "--pages": {"type": Path, "metavar": "FILE", "help": "ids of the pages with known records (default: all)"},
    "--bundles": {
        "nargs": "+",
        "type": Path,
        "metavar": "DIR",
        "help": "a bundle for each fold, whose models of page kinds tell overviews (default: the shipped bundle)",
    },
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    return run_command("research.record_folds", DataCommand(_work, __doc__ or "", OPTIONS), words)


if __name__ == "__main__":
    sys.exit(main())
