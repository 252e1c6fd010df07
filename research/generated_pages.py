"""Makes training pages of software that does not exist: ``python -m research.generated_pages OUT DATA...``.

Threads, articles with and without comments, lists and other pages in drawn markup, with texts and frames of the page
sets DATA whose licence allows distributing models (see `scrapy_semtext.train.generated`). The lines have the form of
qa_dev. The same seed and page sets give the same file.
"""

from __future__ import annotations

import argparse
import json
import lzma
from pathlib import Path
from random import Random

from scrapy_semtext.train.content import Pool
from scrapy_semtext.train.datasets import read_all
from scrapy_semtext.train.generated import SITES, generated_pages


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file of JSON lines to write, .xz")
    parser.add_argument("data", type=Path, nargs="+", help="the page sets to take texts and frames from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sites", type=int, default=SITES, help=f"sites, of nine pages on average (default: {SITES})")
    arguments = parser.parse_args()
    pool = Pool.of(read_all(arguments.data, faq=True), Random(arguments.seed))  # noqa: S311 - no secret
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=1) as out:
        for row in generated_pages(pool, arguments.seed, arguments.sites):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
