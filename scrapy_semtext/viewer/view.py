"""What was kept of a page, shown in the page itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.viewer.blocks import percent, shown_blocks
from scrapy_semtext.viewer.confidence import confidence
from scrapy_semtext.viewer.page_document import Links, page_document
from scrapy_semtext.viewer.panels import panels_of

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import Page

_KEYS = {
    "n, j": "the next part of the main content",
    "p, k": "the part before",
    "m": "main content alone, or the whole page",
    "↓, ↑": "the next block, the block before",
    "?": "this list",
}


def view_page(
    annotation: Annotation,
    *,
    previous_url: str | None = None,
    next_url: str | None = None,
    index_url: str | None = None,
) -> str:
    """Return a page as an HTML document that shows its blocks coloured, in place and as a list.

    Green is main content and red boilerplate; the stronger the colour, the surer the model. Pairs, records, comments
    and sections of the page stand beside it. The addresses are those of the views before and after this one, and of
    their overview; ValueError is raised for one that is not the address of a page.
    """
    return page_document(
        annotation,
        shown_blocks(annotation),
        mode="view",
        facts=_facts(annotation.page),
        links=Links(previous_url, next_url, index_url),
        keys=_KEYS,
        panels=panels_of(annotation.page),
        data={},
        scripts=["view.js"],
    )


def _facts(page: Page) -> str:
    blocks = page.blocks
    kept = [block.is_main for block in blocks]
    counts = word_counts([block.text for block in blocks])
    words = f"{counts[kept].sum():,.0f} of {counts.sum():,.0f} words" if blocks else "no text"
    facts = [page.page_kind] * bool(page.page_kind)
    facts += [f"{sum(kept)} of {len(blocks)} blocks kept", words]
    if blocks:
        facts.append(f"confidence {percent(confidence(page))}")
    return " · ".join(map(str, facts))
