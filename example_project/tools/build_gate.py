"""Build the pages of the quality gate from WCXB: ``python example_project/tools/build_gate.py --data DIR``."""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import choose

if TYPE_CHECKING:
    from scrapy_semtext.train.datasets import AnnotatedPage

GATE = Path(__file__).parents[2] / "tests" / "gate"
SALT = "quality gate"
#: Bytes of a compressed page; keeps the whole file below 3.5 MB.
LIMIT = 120_000
#: How many pages of each type. A floor is kept for every type, so the rare ones get more than their share.
TYPES = {
    "article": 20,
    "collection": 10,
    "documentation": 10,
    "forum": 10,
    "listing": 10,
    "product": 10,
    "service": 10,
}


def main() -> None:
    """Write the sample and its attribution."""
    parser = argparse.ArgumentParser(description=__doc__)
    choose.add_data_option(parser)
    pages = choose_pages(Path(parser.parse_args().data))
    GATE.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(describe(page), ensure_ascii=False) + "\n" for page in pages)
    (GATE / "gate.jsonl.xz").write_bytes(lzma.compress(lines.encode(), preset=9 | lzma.PRESET_EXTREME))
    (GATE / "ATTRIBUTION.md").write_text(attribution(pages), encoding="utf-8")
    size = (GATE / "gate.jsonl.xz").stat().st_size
    sys.stdout.write(f"{len(pages)} pages, {size:,} bytes in {GATE}\n")


def choose_pages(data: Path) -> list[AnnotatedPage]:
    """Return the first pages of each type in the order of their hashes."""
    pages = choose.in_order(choose.unseen_wcxb(data, LIMIT), SALT)
    return [page for kind, count in TYPES.items() for page in [p for p in pages if p.page_type == kind][:count]]


def describe(page: AnnotatedPage) -> dict[str, str | None]:
    """Return the line of a page."""
    return {"id": page.id, "url": page.url, "page_type": page.page_type, "html": page.html, "text": page.text}


def attribution(pages: list[AnnotatedPage]) -> str:
    """Return the text that names every page's source."""
    rows = [f"| {page.id} | {page.page_type} | <{page.url}> |" for page in pages]
    head = ATTRIBUTION_HEAD.format(credit=choose.WCXB_CREDIT, home=choose.WCXB_HOME)
    return head + "\n| id | type | original page |\n|---|---|---|\n" + "\n".join(rows) + "\n"


ATTRIBUTION_HEAD = """\
# Where the pages of the quality gate come from

`gate.jsonl.xz` holds copies of public web pages with their main text, taken unchanged from this data set:

{credit}, <{home}>, licence <https://creativecommons.org/licenses/by/4.0/>.

The licence covers the data set; its authors collected the pages and their main texts. The texts, names and marks in the
pages belong to their authors and sites, whose endorsement is not implied. Posts of Stack Exchange sites among them are
under CC BY-SA, <https://stackoverflow.com/help/licensing>, by the users named on the pages.

`example_project/tools/build_gate.py` chose the pages: of each type those with the smallest hash among the pages of
domains that training never sees, without large pages, pages with private mail addresses, and pages whose text only a
script fetches.
"""


if __name__ == "__main__":
    main()
