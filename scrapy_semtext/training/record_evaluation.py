"""Scores of the records of listings and collections: ``semtext evaluate records``."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.page_kinds.model import require_kinds
from scrapy_semtext.training.datasets import read_measured, split_side
from scrapy_semtext.training.folds import checked, stated_fold
from scrapy_semtext.training.record_fit import RecordTrainingError, fit_records, read_ids, record_examples
from scrapy_semtext.training.record_pages import TrueRecord, without_fragment, words_of
from scrapy_semtext.training.scoring import PRF, mean_prf, prf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_semtext.records.columns import Column
    from scrapy_semtext.training.record_fit import RecordExample

_FOLDS = 5
_NOTHING = PRF(0.0, 0.0, 0.0)


class _Row(NamedTuple):
    """One page: the scores of titles with addresses and of addresses, counts, and whether it is told as an overview."""

    both: PRF
    addresses: PRF
    right: int
    found: int
    true: int
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
    Raises DatasetError for a set that cannot be read, RecordTrainingError without pages, BundleError, FoldError.
    """
    examples = record_examples(read_measured(paths), read_ids(ids), progress=progress)
    if not examples:
        raise RecordTrainingError("There is no page of type listing or collection whose records are known.")
    gate = _Gate(bundles or [SHIPPED])
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for fold in tqdm(range(_FOLDS), desc="folds", disable=not progress):
        sides = [split_side(example.page.domain, test_fold=fold) == "test" for example in examples]
        models = fit_records([each for each, held in zip(examples, sides, strict=True) if not held], seed)
        for example in (each for each, held in zip(examples, sides, strict=True) if held):
            row = _row(example, models.main_columns(example.lists), is_overview=gate.passes(example))
            for group in ("all", example.page.page_type or ""):
                groups[group].append(row)
    return {name: _summary(rows) for name, rows in groups.items()}


class _Gate:
    """Tells overviews by the models of page kinds of one bundle, or of a bundle for each fold."""

    def __init__(self, bundles: Sequence[Path]) -> None:
        self._models = [require_kinds(bundle) for bundle in bundles]
        self._folds = [stated_fold(model.training, "the model of page kinds") for model in self._models]
        if len(bundles) > 1:
            checked(bundles, self._folds)

    def passes(self, example: RecordExample) -> bool:
        numbers = range(len(self._models))
        number = next((each for each in numbers if self._folds[each].keeps_out(example.page.domain)), 0)
        found = self._models[number].read(describe(example.page.html, example.page.url))
        return found is not None and found.is_overview


def _row(example: RecordExample, columns: Sequence[Column], *, is_overview: bool) -> _Row:
    found: dict[str, TrueRecord] = {}
    for column in columns:
        for member in column.members:
            if member.url:
                url = without_fragment(member.url)
                found.setdefault(url, TrueRecord(words_of(member.text), url))
    right = len({*found.values()} & {*example.truth})
    urls = len(found.keys() & {record.url for record in example.truth})
    counts = len(found), len(example.truth)
    return _Row(prf(right, *counts), prf(urls, *counts), right, *counts, is_overview)


def _summary(rows: Sequence[_Row]) -> dict[str, Any]:
    both = [row.both for row in rows]
    return {
        "pages": len(rows),
        **mean_prf(both)._asdict(),
        "micro": prf(
            *(sum(counts) for counts in zip(*((row.right, row.found, row.true) for row in rows), strict=True))
        ).f1,
        "address": mean_prf(row.addresses for row in rows).f1,
        "gated": mean_prf(row.both if row.is_overview else _NOTHING for row in rows).f1,
        "told": sum(row.is_overview for row in rows) / len(rows),
    }
