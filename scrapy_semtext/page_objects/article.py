"""The page object for articles: their body is without the headline, as text and as normalised HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import attrs
from clear_html import clean_node, cleaned_node_to_html
from lxml.html import fragment_fromstring
from web_poet import handle_urls
from zyte_common_items import ArticlePage, Author, Image
from zyte_common_items.fields import auto_field

from scrapy_semtext.dom.element_text import all_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.output.title import same_title
from scrapy_semtext.page_objects.base import PRIORITY, SemtextPlacedPage, images_of, language_code

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from scrapy_semtext.page import Page


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextArticlePage(SemtextPlacedPage, ArticlePage):
    """Provides :class:`zyte_common_items.Article`."""

    kind: ClassVar[str | None] = "article"

    @auto_field
    def headline(self) -> str | None:
        """The title of the page, without the name of the site."""
        return self.page.title

    @auto_field
    def datePublished(self) -> str | None:  # noqa: N802
        """The date of publication or, as the item wants it, otherwise that of the last change."""
        return self.details.published or self.details.modified

    @auto_field
    def datePublishedRaw(self) -> str | None:  # noqa: N802
        """The text that the date of publication was read from."""
        return self.details.published_raw if self.details.published else self.details.modified_raw

    @auto_field
    def dateModified(self) -> str | None:  # noqa: N802
        """The date of the last change."""
        return self.details.modified

    @auto_field
    def dateModifiedRaw(self) -> str | None:  # noqa: N802
        """The text that the date of the last change was read from."""
        return self.details.modified_raw

    @auto_field
    def authors(self) -> list[Author] | None:
        """The authors, with the addresses that the page links their names to."""
        people = self.details.authors
        return [Author(name=each.name, nameRaw=each.raw, url=each.url, email=each.email) for each in people] or None

    @auto_field
    def inLanguage(self) -> str | None:  # noqa: N802
        """The language of the main text, as a code of ISO 639-1."""
        return language_code(self.page.language)

    @auto_field
    def mainImage(self) -> Image | None:  # noqa: N802
        """The image that the page states as its own."""
        return Image(url=self.details.main_image) if self.details.main_image else None

    @auto_field
    def images(self) -> list[Image] | None:
        """The main image, and the images of the main content."""
        return images_of(self.details.main_image, *self.details.images)

    @auto_field
    def description(self) -> str | None:
        """The description that the page gives of itself."""
        return self.page.description

    @auto_field
    def articleBody(self) -> str | None:  # noqa: N802
        """The main text, without the headline at its beginning."""
        return body_text(self.page)

    @auto_field
    def articleBodyHtml(self) -> str | None:  # noqa: N802
        """The main content as HTML, normalised by clear-html."""
        return body_html(self.page)


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
