"""Measure question-answer pairs by models trained without the forum engine and the site of each page.

Every page is read, without schema.org markup, by models trained on the pages of other engines. The pairs are written as
JSON lines with the page's id and engine. Printed are precision, recall and F1 of the pairs by kind of page, for pages
whose pairs are known, and the share of the other pages on which pairs are found.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.annotated_pages import add_data_argument, add_seed_and_licence, reported_errors, write_table

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.pair_pages import PairPage
    from scrapy_semtext.training.scoring import PRF


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON lines to write")
    add_seed_and_licence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with reported_errors(), arguments.out.open("w", encoding="utf-8") as out:
        from scrapy_semtext.training.pair_run import out_of_fold_pairs
        from scrapy_semtext.training.pair_scoring import pair_prf
        from scrapy_semtext.training.scoring import mean_prf

        scores: dict[str, list[PRF]] = defaultdict(list)
        has_pairs: dict[str, list[bool]] = defaultdict(list)  # for pages whose pairs are not known
        options = {"seed": arguments.seed, "any_licence": arguments.any_licence, "progress": sys.stderr.isatty()}
        for page, pairs in out_of_fold_pairs(arguments.data, **options):
            out.write(_line(page, pairs))
            if page.pairs is None:
                has_pairs[f"{page.dataset} {page.kind}"].append(bool(pairs))
                continue
            for group in ("all", page.kind):
                scores[group].append(pair_prf(pairs, page.pairs))
        write_table({group: {**mean_prf(rows)._asdict(), "pages": len(rows)} for group, rows in scores.items()})
    for kind, pages in sorted(has_pairs.items()):
        sys.stdout.write(f"{kind:24}{len(pages):6} pages{100 * sum(pages) / len(pages):7.1f} % with pairs\n")
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
