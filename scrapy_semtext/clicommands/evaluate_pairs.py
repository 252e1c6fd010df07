"""Read pages by pair models that never saw their forum engine or their site, and write the pairs as JSON lines.

Every page of the sets is read, without schema.org markup, by models trained on the pages of other engines. A line has
the page's id, engine and pairs. The shares of pages on which pairs are found are printed for each kind of page.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.clicommands.train_pairs import add_pair_arguments
from scrapy_semtext.clicommands.trainings import add_data_argument, training_errors

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON lines to write")
    add_pair_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    found: dict[str, list[bool]] = defaultdict(list)
    with training_errors(), arguments.out.open("w", encoding="utf-8") as out:
        from scrapy_semtext.training.pair_run import cross_read

        options = {"seed": arguments.seed, "any_licence": arguments.any_licence, "progress": sys.stderr.isatty()}
        for page, pairs in cross_read(arguments.data, **options):
            row = {
                "id": page.id,
                "dataset": page.dataset,
                "kind": page.kind,
                "engine": page.engine,
                "url": page.url,
                "qa_pairs": [asdict(pair) for pair in pairs],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            found[f"{page.dataset} {page.kind}"].append(bool(pairs))
    for kind, pages in sorted(found.items()):
        sys.stdout.write(f"{kind:32}{len(pages):6} pages{100 * sum(pages) / len(pages):7.1f} % with pairs\n")
    return 0
