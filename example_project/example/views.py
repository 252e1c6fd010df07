"""Bundled pages as files to look at: each block coloured by its label and probability, and an index of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from example.bundled import BundledPage
    from scrapy_semtext import Page


def write_views(pages: Mapping[BundledPage, Page], folder: Path, bundle: str | None = None) -> None:
    """Write ``NAME.html`` for each page, and ``index.html``; the pages are read again, as a view needs their trees."""
    # Here, so that a crawl without scrapy-semtext loads no model.
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.viewer import IndexRow, confidence, index_page, view_page

    extractor = Extractor.load(bundle)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for page, read in pages.items():
        annotation = extractor.annotate(page.html(), read.url)
        view = view_page(annotation, index_url="index.html")
        (folder / f"{page.name}.html").write_text(view, "utf-8")
        rows.append(
            IndexRow(
                f"{page.name}.html",
                read.url,
                page.title,
                page.kind,
                words=len(read.main_text.split()),
                blocks=sum(block.is_main for block in read.blocks),
                pairs=len(read.qa_pairs),
                records=len(read.records),
                confidence=confidence(read),
            )
        )
    (folder / "index.html").write_text(index_page(rows), "utf-8")
