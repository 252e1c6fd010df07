"""The body of an article by the norms of zyte-common-items: without its headline, as text and as normalised HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clear_html import clean_node, cleaned_node_to_html
from lxml.html import fragment_fromstring

from scrapy_semtext.dom.element_text import all_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.output.title import same_title

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from scrapy_semtext.page import Page


def body_text(page: Page) -> str | None:
    """Return the main text without the headline at its beginning."""
    text = page.main_text
    headline = _headline(_main_node(page), page.title)
    first, _, rest = text.partition("\n")
    if headline is not None and _squeezed(first) == _squeezed(all_text(headline)):
        text = rest
    return text.strip() or None


def body_html(page: Page) -> str | None:
    """Return the main content as HTML, normalised by clear-html, without the headline at its beginning."""
    if not page.main_html:
        return None
    node = _main_node(page)
    headline = _headline(node, page.title)
    if headline is not None:
        headline.drop_tree()
    return str(cleaned_node_to_html(clean_node(node, page.url)))


def _main_node(page: Page) -> HtmlElement:
    return fragment_fromstring(page.main_html or "", create_parent="div")


def _headline(node: HtmlElement, title: str | None) -> HtmlElement | None:
    """The heading that the main content begins with, if it says the title."""
    first = node[0] if len(node) else None
    if first is None or title is None or first.tag not in HEADING_LEVELS:
        return None
    return first if same_title(all_text(first), title) else None


def _squeezed(text: str) -> str:
    return "".join(text.split())
