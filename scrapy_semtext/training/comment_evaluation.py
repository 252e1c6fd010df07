"""Scores of readers' comments on pages whose comments are known (``extra.comments``): ``semtext evaluate comments``."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.training.datasets import read_measured
from scrapy_semtext.training.scoring import mean_prf, word_prf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy_semtext.training.scoring import PRF

_Row = tuple["PRF", "PRF", bool]  # of the main text, of the comments; whether comments are found


def evaluate_comments(
    paths: Iterable[Path], bundle: Path | None = None, *, progress: bool = True
) -> dict[str, dict[str, Any]]:
    """Return scores (0 to 1) of "all" pages, of those "with comments" in truth and of those "without".

    ``main_text`` is the word F1 of the main text; ``precision``, ``recall`` and ``f1`` are those of the words of all
    comments of a page; ``found`` is the share of pages on which comments are found. Markup of schema.org is not read.
    Raises DatasetError for a set that cannot be read, BundleError for a bundle.
    """
    extractor = Extractor.load(bundle, options=Options(markup=False, sections=False, kinds=False))
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for page in tqdm(read_measured(paths), unit=" pages", disable=not progress):
        read, truth = extractor.read(page.html, page.url), page.extra.get("comments") or ""
        comments = "\n".join(comment.text for comment in read.comments)
        row = word_prf(read.main_text, page.text), word_prf(comments, truth), bool(read.comments)
        for group in ("all", "with comments" if truth else "without"):
            groups[group].append(row)
    return {name: _summary(rows) for name, rows in groups.items()}


def _summary(rows: list[_Row]) -> dict[str, Any]:
    texts, comments, found = zip(*rows, strict=True)
    scores = {"main_text": mean_prf(texts).f1, **mean_prf(comments)._asdict(), "found": sum(found) / len(rows)}
    return {**scores, "pages": len(rows)}
