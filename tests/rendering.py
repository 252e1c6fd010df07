"""Blocks of a page as HTML and Markdown, without its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.read.markdown import to_html, to_markdown
from scrapy_semtext.read.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.read.outline import Token
    from scrapy_semtext.tree.segmentation import TextBlock


def page_html(blocks: Iterable[TextBlock], base_url: str | None = None, *, links: bool = True) -> str:
    return to_html(_outline(blocks, base_url, links=links))


def page_markdown(blocks: Iterable[TextBlock], base_url: str | None = None, *, links: bool = True) -> str:
    return to_markdown(_outline(blocks, base_url, links=links))


def _outline(blocks: Iterable[TextBlock], base_url: str | None, *, links: bool) -> list[Token]:
    return outline([run for block in blocks for run in block.runs], base_url, links=links)
