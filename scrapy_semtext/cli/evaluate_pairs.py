"""Read pages by pair models that never saw their forum engine or their site, and write the pairs as JSON lines.

Every page of the sets is read, without schema.org markup, by models trained on the pages of other engines. A line has
the page's id, engine and pairs. Printed are precision, recall and F1 of the pairs for each kind of page whose pairs are
known, and the share of pages on which pairs are found for the others.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.trainings import add_data_argument, add_seed_and_licence, training_errors, write_table

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
    with training_errors(), arguments.out.open("w", encoding="utf-8") as out:
        from scrapy_semtext.training.pair_run import cross_read
        from scrapy_semtext.training.pair_scoring import pair_prf
        from scrapy_semtext.training.scoring import mean_prf

        known: dict[str, list[PRF]] = defaultdict(list)
        found: dict[str, list[bool]] = defaultdict(list)
        options = {"seed": arguments.seed, "any_licence": arguments.any_licence, "progress": sys.stderr.isatty()}
        for page, pairs in cross_read(arguments.data, **options):
            out.write(_line(page, pairs))
            if page.pairs is None:
                found[f"{page.dataset} {page.kind}"].append(bool(pairs))
                continue
            for group in ("all", page.kind):
                known[group].append(pair_prf(pairs, page.pairs))
        write_table({group: {**mean_prf(rows)._asdict(), "pages": len(rows)} for group, rows in known.items()})
    for kind, pages in sorted(found.items()):
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
