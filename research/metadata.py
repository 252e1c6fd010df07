"""Title, author and date compared with the annotation of WCXB: ``python -m research.metadata wcxb_dev.jsonl.xz``.

It reads the pages of all types on the domains held out of training. trafilatura is measured too if it is installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.read.metadata import metadata_of
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.corpus import word_prf
from scrapy_semtext.train.datasets import read_pages, split_side
from scrapy_semtext.tree import parsing

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_semtext.train.datasets import AnnotatedPage

    #: Title, author and date of a page, None for what was not found.
    Reading = tuple[str | None, str | None, str | None]

_FIELDS = ("title", "author", "publish_date")
# From this word F1 on a title or an author is the true one; a date has to be equal.
_SAME = 0.8


def own_reading(page: AnnotatedPage) -> Reading:
    """Read a page as the package does."""
    root = parsing.parse(page.html, page.url)
    found = metadata_of(root, "", page.url)
    return title_of(root), found.author, found.published


def trafilatura_reading(page: AnnotatedPage) -> Reading:
    """Read a page by trafilatura's own metadata."""
    import trafilatura

    found = trafilatura.extract_metadata(page.html, default_url=page.url)
    return (found.title, found.author, found.date) if found is not None else (None, None, None)


def measure(path: Path, readers: dict[str, Callable[[AnnotatedPage], Reading]]) -> dict[str, Any]:
    """Count the pages that each reader gets right, by field: of pages with a truth, and of pages it has a value for."""
    counts: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for page in read_pages(path):
        if split_side(page.domain) != "test":
            continue
        for name, read in readers.items():
            began = time.process_time()
            values = read(page)
            counts[name, "all"]["seconds"] += time.process_time() - began
            counts[name, "all"]["pages"] += 1
            for field, value in zip(_FIELDS, values, strict=True):
                _count(counts[name, field], value, page.extra.get(field) or None)
    return {f"{name} {field}": dict(row) for (name, field), row in counts.items()}


def _count(row: dict[str, float], value: str | None, truth: str | None) -> None:
    if truth is None:
        row["given without truth"] += bool(value)
        return
    row["truth"] += 1
    row["given"] += bool(value)
    same = bool(value) and (value == truth or (not truth[:4].isdigit() and word_prf(value or "", truth).f1 >= _SAME))
    row["right"] += same


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    arguments = parser.parse_args()
    readers: dict[str, Callable[[AnnotatedPage], Reading]] = {"ours": own_reading}
    try:
        import trafilatura  # noqa: F401
    except ModuleNotFoundError:
        sys.stderr.write("trafilatura is not installed and is left out\n")
    else:
        readers["trafilatura"] = trafilatura_reading
    lines = [f"{'':25}{'truth':>7}{'right':>7}{'wrong':>7}{'none':>7}{'extra':>7}"]
    report = measure(arguments.data, readers)
    for name, row in report.items():
        if "pages" in row:
            lines.append(f"{name:25}{row['pages']:7.0f} pages, {1000 * row['seconds'] / row['pages']:.1f} ms each")
            continue
        truth, given, right = row["truth"], row["given"], row["right"]
        extra = row.get("given without truth", 0)
        lines.append(f"{name:25}{truth:7.0f}{right:7.0f}{given - right:7.0f}{truth - given:7.0f}{extra:7.0f}")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
