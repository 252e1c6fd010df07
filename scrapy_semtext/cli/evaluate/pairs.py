"""Measure question-answer pairs by models trained without the forum engine and the site of each page.

Every page is read, without schema.org markup, by models trained on the pages of other engines, and so are variants of
the threads. The pairs are written as JSON lines with the page's id and engine. Printed are precision, recall and F1 of
the pairs by kind of page, for pages whose pairs are known; the share of the other pages on which pairs are found; the
share of threads, and of their variants, whose question is right; and the F1 of the answers in trees of replies, each
with what it answers.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, add_seed_and_licence, reported_errors, write_table

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.pair_pages import PairPage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON lines to write")
    add_seed_and_licence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors(), arguments.out.open("w", encoding="utf-8") as out:
        from scrapy_semtext.training.pair_run import out_of_fold_pairs
        from scrapy_semtext.training.pair_scoring import PairReport

        report = PairReport()
        options = {"seed": arguments.seed, "any_licence": arguments.any_licence, "progress": sys.stderr.isatty()}
        for page, pairs in out_of_fold_pairs(arguments.data, **options):
            out.write(_line(page, pairs))
            report.add(page, pairs)
    for title, rows in report.tables():
        sys.stdout.write(f"{title}\n")
        write_table(rows)
    return 0


def _line(page: PairPage, pairs: list[QAPair]) -> str:
    row = {
        "id": page.id,
        "dataset": page.dataset,
        "kind": page.kind,
        "engine": page.engine,
        "url": page.url,
        "qa_pairs": [asdict(pair) for pair in pairs],
    }
    return json.dumps(row, ensure_ascii=False) + "\n"
