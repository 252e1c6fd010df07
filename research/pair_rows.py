"""Score the pairs in rows of ``semtext batch`` against pages whose pairs are known, by forum engine.

    python -m research.pair_rows DATA ROWS

Rows are joined to pages by ``id``; a page without a row has no pairs.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.pair_scoring import pair_prf
from scrapy_semtext.cli.train import write_table
from scrapy_semtext.page import QAPair
from scrapy_semtext.train.corpus import PRF, mean_prf
from scrapy_semtext.train.datasets import read_pages
from scrapy_semtext.train.posts import pair_page

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIELDS = {field.name for field in fields(QAPair)}


def _pairs(row: dict[str, Any]) -> list[QAPair]:
    pairs = row.get("qa_pairs") or []
    return [QAPair(**{name: value for name, value in pair.items() if name in _FIELDS}) for pair in pairs]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="annotated pages")
    parser.add_argument("rows", type=Path, help="JSON lines of `semtext batch`")
    given = parser.parse_args(arguments)
    with given.rows.open(encoding="utf-8") as lines:
        found = {row["id"]: _pairs(row) for row in map(json.loads, lines)}
    scores: dict[str, list[PRF]] = defaultdict(list)
    for page in map(pair_page, read_pages(given.data, faq=True)):
        if page.pairs is not None:
            for group in ("all", page.engine):
                scores[group].append(pair_prf(found.get(page.id, []), page.pairs))
    write_table({group: {**mean_prf(rows)._asdict(), "pages": len(rows)} for group, rows in scores.items()})


if __name__ == "__main__":
    main()
