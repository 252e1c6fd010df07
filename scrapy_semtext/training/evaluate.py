"""Mean scores of annotated pages by group: ``semtext dev evaluate text``, ``ceiling`` and ``comments``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import tee
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from scrapy_semtext.dom.joining import segment
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.training.alignment import label_blocks
from scrapy_semtext.training.comparison import By, PageScore, Selection, group_of, score_pages
from scrapy_semtext.training.datasets import read_measured, read_pages
from scrapy_semtext.training.scoring import PRF, mean_prf, word_prf
from scrapy_semtext.training.systems import BATCH, Fold, read_with

_Row = TypeVar("_Row")


def by_group(
    rows: Iterable[tuple[str, _Row]], summary: Callable[[list[_Row]], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The summary of all rows ("all"), and of those of each group; a row comes with the name of its group."""
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for group, row in rows:
        groups["all"].append(row)
        groups[group].append(row)
    return {name: {**summary(own), "pages": len(own)} for name, own in groups.items()}


def evaluate(
    paths: Iterable[Path],
    extractor: Extractor,
    *,
    folds: tuple[Fold, ...] = (Fold(0.2, 0),),
    by: By = "type",
    progress: bool = True,
) -> dict[str, dict[str, Any]]:
    """Mean word precision, recall and F1 (0 to 1) of the main text, over all pages ("all") and by group.

    ``folds`` restrict the domains: by default to those held out of training, () for all. ``by`` is the criterion of
    groups (see `group_of`). A page that cannot be read counts as an empty text, and is counted in
    ``errors``. Raises DatasetError for a set that cannot be read.
    """
    pages, same_pages = tee(Selection(tuple(paths), folds).pages())
    scores = score_pages(partial(read_with, [extractor], ()), pages, BATCH)
    bar = tqdm(scores, desc="evaluating", unit=" pages", disable=not progress)
    return by_group(((group_of(next(same_pages), by), score) for score in bar), _text_summary)


def _text_summary(scores: list[PageScore]) -> dict[str, Any]:
    mean = mean_prf(score.words for score in scores)
    return {**mean._asdict(), "errors": sum(score.error is not None for score in scores)}


def oracle_text(blocks: Sequence[str], truth: str) -> str:
    """Return the main text that perfect labels would give: the blocks that are content by the truth, a line each."""
    labels = label_blocks(blocks, truth)
    return "\n".join(block for block, is_content in zip(blocks, labels, strict=True) if is_content)


def ceiling(paths: Iterable[str | Path], progress: bool = True) -> dict[str, dict[str, Any]]:
    """Return the upper bound of any labeling, a mean over all pages ("all") and over those of each page type.

    It measures segmentation and alignment, and the annotation: text that is loaded by scripts, and words that
    annotators added or left out within a block, are lost to every labeler. Each value holds ``precision``, ``recall``
    and ``f1`` of the true blocks and ``present``, the share of the true words in any block (0 to 1), and the number of
    ``pages``. Raises DatasetError for a set that cannot be read.
    """

    def rows() -> Iterator[tuple[str, tuple[PRF, PRF]]]:
        pages = (page for path in paths for page in read_pages(path))
        for page in tqdm(pages, unit=" pages", disable=not progress):
            blocks = [block.text for block in segment(parse(page.html, page.url))]
            texts = oracle_text(blocks, page.text), "\n".join(blocks)
            yield group_of(page), (word_prf(texts[0], page.text), word_prf(texts[1], page.text))

    return by_group(rows(), _ceiling_summary)


def _ceiling_summary(rows: list[tuple[PRF, PRF]]) -> dict[str, Any]:
    best, present = zip(*rows, strict=True)
    return {**mean_prf(best)._asdict(), "present": mean_prf(present).recall}


def evaluate_comments(
    paths: Iterable[Path], bundle: Path | None = None, *, progress: bool = True
) -> dict[str, dict[str, Any]]:
    """Return scores (0 to 1) of "all" pages, of those "with comments" in truth (``extra.comments``), and "without".

    ``main_text`` is the word F1 of the main text; ``precision``, ``recall`` and ``f1`` are those of the words of all
    comments of a page; ``found`` is the share of pages on which comments are found. Markup of schema.org is not read.
    Raises DatasetError for a set that cannot be read, BundleError for a bundle.
    """
    extractor = Extractor.load(bundle, options=Options(markup=False, sections=False, kinds=False))

    def rows() -> Iterator[tuple[str, tuple[PRF, PRF, bool]]]:
        for page in tqdm(read_measured(paths), unit=" pages", disable=not progress):
            read, truth = extractor.read(page.html, page.url), page.extra.get("comments") or ""
            comments = "\n".join(comment.text for comment in read.comments)
            scores = word_prf(read.main_text, page.text), word_prf(comments, truth), bool(read.comments)
            yield "with comments" if truth else "without", scores

    return by_group(rows(), _comment_summary)


def _comment_summary(rows: list[tuple[PRF, PRF, bool]]) -> dict[str, Any]:
    texts, comments, found = zip(*rows, strict=True)
    return {"main_text": mean_prf(texts).f1, **mean_prf(comments)._asdict(), "found": sum(found) / len(rows)}
