"""Measure main texts and readers' comments on pages whose comments are known (``extra.comments``, a text).

    python -m research.comments DATA... [--bundle DIR]

Prints the word F1 of the main text, word precision, recall and F1 of the comments, and the share of pages on which
comments are found, for pages with comments and for pages without.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from research.data_command import run_command
from scrapy_semtext.cli.train import DataCommand, write_table
from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.train.corpus import PRF, mean_prf, word_prf
from scrapy_semtext.train.datasets import read_measured
from scrapy_semtext.train.evaluate import by_group

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator


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


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    write_table(evaluate_comments(arguments.data, arguments.bundle, progress=progress))


OPTIONS: dict[str, dict[str, Any]] = {"--bundle": {"type": Path, "metavar": "DIR", "help": "a bundle of your own"}}


main = partial(run_command, "research.comments", DataCommand(_work, __doc__ or "", OPTIONS))


if __name__ == "__main__":
    sys.exit(main())
