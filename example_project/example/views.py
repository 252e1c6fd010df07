"""Bundled pages as files to look at: each block coloured by its label and probability, and an index of them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from example.bundled import BundledPage
    from scrapy_semtext import Page

_HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Coloured pages</title>
<style>body { font: 1rem/1.5 sans-serif; margin: 2rem auto; max-width: 60rem } td, th { padding: .1rem .6rem;
text-align: left } td:nth-child(n+3) { text-align: right }</style></head><body><h1>Coloured pages</h1>
<p>What the crawl kept of each page. Sources and licences: site/ATTRIBUTION.md of the example project.</p>
<table><tr><th>kind</th><th>page</th><th>blocks kept</th><th>of</th></tr>
"""


def write_views(pages: Mapping[BundledPage, Page], folder: Path, bundle: str | None = None) -> None:
    """Write ``NAME.html`` for each page, and ``index.html``; the pages are read again, as a view needs their trees."""
    # Here, so that a crawl without scrapy-semtext loads no model.
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.viewer import view_page

    extractor = Extractor.load(bundle)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for page, read in sorted(pages.items(), key=lambda pair: pair[0].kind):
        annotation = extractor.annotate(page.html(), read.url)
        (folder / f"{page.name}.html").write_text(view_page(annotation), "utf-8")
        kept = sum(block.is_main for block in read.blocks)
        rows.append(
            f'<tr><td>{page.kind}</td><td><a href="{escape(page.name)}.html">{escape(page.title)}</a></td>'
            f"<td>{kept}</td><td>{len(read.blocks)}</td></tr>\n"
        )
    (folder / "index.html").write_text(f"{_HEAD}{''.join(rows)}</table></body></html>\n", "utf-8")
