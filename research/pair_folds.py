"""Measure question-answer pairs by models trained without the forum engine and the site of each page.

    python -m research.pair_folds DATA... --out pairs.jsonl

Every page and every variant of a thread is read, without schema.org markup, by models trained on the pages of other
engines. The pairs are written as JSON lines with the page's id and engine. The output has precision, recall and F1 of
the pairs by kind of page, for pages whose pairs are known; the share of the other pages on which pairs are found; the
share of threads, and of their variants, whose question is right; and the F1 of the answers in trees of replies, each
with the post that it answers.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from research.data_command import run_command
from research.made_pages import made_pages
from research.pair_scoring import PairReport
from scrapy_semtext.cli.train import ANY_LICENCE, DataCommand, write_table
from scrapy_semtext.features.table import describe
from scrapy_semtext.read.posts import PairModels
from scrapy_semtext.read.threads import PairSource, find_posts, pairs_of_pages
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.datasets import fold
from scrapy_semtext.train.fit import read_examples
from scrapy_semtext.train.pairs import faq_rows, fit_faq
from scrapy_semtext.train.posts import PairPage, fit_posts, post_examples, read_pair_pages

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.page import QAPair

_FOLDS = 6


def out_of_fold_pairs(
    paths: Sequence[Path], *, seed: int = 1, any_licence: bool = False, progress: bool = True
) -> Iterator[tuple[PairPage, list[QAPair]]]:
    """Yield the pairs of every page, found without markup by models fitted without its engine and its domain.

    The variants of threads (`thread_variants`) are read in the same way.

    Engines are divided into six folds of similar size. Pages whose licence does not allow distributing models are
    read, but used for training only with ``any_licence``.
    """
    pages = [*read_pair_pages(paths)]
    pages += made_pages(pages, paths, seed, any_licence=any_licence)
    examples = {example.page.id: example for example in read_examples(pages, post_examples)}
    rows = {name: faq_rows(example.page) for name, example in examples.items()}
    folds = folds_of(pages, _FOLDS)
    for held_out in tqdm(range(_FOLDS), disable=not progress, desc="folds"):
        tested = [page for page, where in zip(pages, folds, strict=True) if where == held_out and _is_read(page)]
        domains = {page.domain for page in tested}
        training = [
            page
            for page, where in zip(pages, folds, strict=True)
            if where != held_out and page.domain not in domains and (any_licence or page.shippable)
        ]
        ready = [examples[page.id] for page in training if page.id in examples]
        lists = [part for example in ready for part in rows[example.page.id]]
        models = PairModels(fit_posts(ready, seed), fit_faq(lists, seed))
        yield from ((page, _read(page, models)) for page in tested)


def folds_of(pages: Sequence[PairPage], parts: int) -> list[int]:
    """The fold of each page: all pages of an engine are in the same fold, and folds are of similar size.

    Pages without information about pairs do not change the folds of other pages.
    """
    sizes = Counter(page.engine for page in pages if page.says_pairs)
    load = [0] * parts
    where = {}
    for engine, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        where[engine] = min(range(parts), key=load.__getitem__)
        load[where[engine]] += size
    return [where[page.engine] if page.engine in where else fold(page.engine, 1, parts) for page in pages]


def _is_read(page: PairPage) -> bool:
    return page.says_pairs or page.role == "variant"


def _read(page: PairPage, models: PairModels) -> list[QAPair]:
    parsed = describe(page.html, page.url)
    (posts,) = find_posts([parsed], models.posts)
    return pairs_of_pages([PairSource(parsed.raw_tree, posts, title_of(parsed.root), page.url)], models)[0]


def _work(arguments: argparse.Namespace, *, progress: bool) -> None:
    report = PairReport()
    with arguments.out.open("w", encoding="utf-8") as out:
        for page, pairs in out_of_fold_pairs(arguments.data, any_licence=arguments.any_licence, progress=progress):
            row = {name: getattr(page, name) for name in ("id", "dataset", "kind", "engine", "url")}
            out.write(json.dumps({**row, "qa_pairs": [asdict(pair) for pair in pairs]}, ensure_ascii=False) + "\n")
            report.add(page, pairs)
    for title, rows in report.tables():
        sys.stdout.write(f"{title}\n")
        write_table(rows)


_OUT: dict[str, Any] = {"type": Path, "required": True, "metavar": "FILE", "help": "the JSON lines to write"}
_COMMAND = DataCommand(_work, __doc__ or "", {"--out": _OUT, "--any-licence": ANY_LICENCE})
main = partial(run_command, "research.pair_folds", _COMMAND)


if __name__ == "__main__":
    sys.exit(main())
