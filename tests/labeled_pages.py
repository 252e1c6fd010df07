"""Labeled pages of real HTML, and a model without weights: common parts of the tests of labeling."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from commanding import LongBlocks

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.labeling.session import LabelFile, LabelSession
from scrapy_semtext.site.labeled_pages import LabeledBlock, LabeledPage, read_labeled

if TYPE_CHECKING:
    from collections.abc import Sequence

_SITE = Path(__file__).parent.parent / "example_project" / "site" / "pages"


def real_pages(count: int) -> list[tuple[str, str]]:
    """Return names and HTML of the smallest pages of the example project, which are pages of real sites."""
    smallest = sorted(_SITE.glob("*.html.gz"), key=lambda path: (path.stat().st_size, path.name))
    return [
        (path.name.removesuffix(".gz"), gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
        for path in smallest[:count]
    ]


@lru_cache
def long_blocks() -> Extractor:
    """Return an extractor that labels blocks of six words or more as main content."""
    return Extractor(LongBlocks(), "expected-f1")


def session_of(path: Path, pages: Sequence[tuple[str | None, str]]) -> LabelSession:
    """Return a session with pages given by URL and HTML, with labels in a file."""
    session = LabelSession(long_blocks(), LabelFile(path))
    for url, html in pages:
        session.add(LabeledPage(None, url, html))
    session.arrange()
    return session


def labeled(url: str | None, *texts: str, done: bool = False, html: str = "<p>") -> LabeledPage:
    """Return a page with blocks; those whose text begins with "+" are labeled as main content by a person."""
    blocks = [
        LabeledBlock(text.lstrip("+"), "html>body>p", "main", 0.4, "person")
        if text.startswith("+")
        else LabeledBlock(text, "html>body>p", "boilerplate", 0.2)
        for text in texts
    ]
    return LabeledPage(None, url, html, blocks, done)


def labels_in(path: Path) -> dict[str | None, LabeledPage]:
    """Return the pages of a file by URL."""
    with path.open("rb") as lines:
        return {page.url: page for page in read_labeled(lines)}
