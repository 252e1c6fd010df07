"""Crawl recorded sites with `semtext crawl`, and score what comes out against what they hold.

``python -m research.site_crawls tests/research/recordings/*.jsonl.xz --work FOLDER``
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from research.site_crawls.measure import Row, measure
from research.site_crawls.recording import RecordedSite

_HEADS = (
    "site", "pages", "lists", "budget", "requests", "found", "wasted", "word F1", "pair F1",
    "items", "no content", "fetched twice", "items twice", "s",
)  # fmt: skip


def _line(row: Row) -> str:
    score = row.score
    counts = [score.pages, score.lists, row.budget, score.requests]
    shares = [score.found, score.wasted, score.words, score.pairs]
    rest = [score.items, score.others, score.twice, score.items_twice, round(row.seconds)]
    return " | ".join([row.name, *map(str, counts), *(f"{share:.3f}" for share in shares), *map(str, rest)])


def main() -> None:
    """Crawl the sites one after the other, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path, nargs="+", metavar="RECORDING")
    parser.add_argument("--work", type=Path, required=True, help="folder for the crawls")
    arguments = parser.parse_args()
    sys.stdout.write(f"| {' | '.join(_HEADS)} |\n|---{'|--:' * (len(_HEADS) - 1)}|\n")
    for recording in arguments.recordings:
        row = measure(RecordedSite(recording), arguments.work.resolve())
        sys.stdout.write(f"| {_line(row)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
