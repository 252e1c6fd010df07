"""Write a page set for `semtext dev train pairs`: variants of the threads of page sets, and articles with comments.

python -m research.made_pages OUT.jsonl.xz DATA...
"""

from __future__ import annotations

import argparse
import json
import lzma
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from research.making.comments import comment_pages
from research.making.threads import thread_variants
from scrapy_semtext.train.datasets import read_all
from scrapy_semtext.train.posts import read_pair_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.train.posts import PairPage


def made_pages(
    pages: Sequence[PairPage], paths: Sequence[Path], seed: int = 1, *, any_licence: bool = False
) -> Iterator[PairPage]:
    """Yield articles of the sets with comments from the threads among the pages, and variants of these threads."""
    yield from comment_pages(read_all(paths), pages, seed, any_licence=any_licence)
    yield from thread_variants(pages, seed)


def main(words: Sequence[str] | None = None) -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("out", type=Path, help="the file of JSON lines to write, .xz")
    parser.add_argument("data", type=Path, nargs="+", help="the page sets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--any-licence", action="store_true", help="also pages whose licence forbids shipping weights")
    given = parser.parse_args(words)
    pages = [page for page in read_pair_pages(given.data) if given.any_licence or page.shippable]
    with lzma.open(given.out, "wt", encoding="utf-8", preset=2) as out:
        for page in made_pages(pages, given.data, given.seed, any_licence=given.any_licence):
            made = asdict(page)
            row = {"id": made.pop("id"), "html": made.pop("html"), "text": made.pop("main_text")}
            out.write(json.dumps({**row, "extra": {"made": made}}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
