"""Text blocks turned back into clean HTML or Markdown, from the tree nodes that they hold.

Only structure and emphasis survive: no styles, no scripts, no images, no attribute but links and spans of table cells.
Links are made absolute where a base URL is given, and kept only if they lead to the web, a mail address or a telephone;
``links=False`` leaves their text alone.
Time and memory are linear in the part of the tree between the first and the last text node; nothing recurses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.output.html import to_html
from scrapy_semtext.output.markdown import to_markdown
from scrapy_semtext.output.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.dom.segmentation import Run, TextBlock

__all__ = ["block_html", "block_markdown", "page_html", "page_markdown"]


def block_html(block: TextBlock, base_url: str | None = None) -> str:
    """Return one block as HTML: its own element and what is inside, for example ``<p>Some <em>text</em></p>``."""
    return to_html(outline(block.runs, base_url, block.scope.element))


def block_markdown(block: TextBlock, base_url: str | None = None) -> str:
    """Return one block as CommonMark (tables as in GitHub's dialect), literal syntax escaped."""
    return to_markdown(outline(block.runs, base_url, block.scope.element))


def page_html(blocks: Iterable[TextBlock], base_url: str | None = None, *, links: bool = True) -> str:
    """Return blocks of one page, in page order, as one HTML fragment; lists and tables they share stay together."""
    return to_html(outline(_runs(blocks), base_url, links=links))


def page_markdown(blocks: Iterable[TextBlock], base_url: str | None = None, *, links: bool = True) -> str:
    """Return blocks of one page, in page order, as one CommonMark text; lists and tables they share stay together."""
    return to_markdown(outline(_runs(blocks), base_url, links=links))


def _runs(blocks: Iterable[TextBlock]) -> list[Run]:
    return [run for block in blocks for run in block.runs]
