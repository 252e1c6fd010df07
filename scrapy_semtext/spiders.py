"""Spiders that harvest whole sites, to run or to subclass. They require the extra ``crawl``.

With ``SPIDER_MODULES = ["scrapy_semtext.spiders"]``, ``scrapy crawl articles`` runs the first of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.integration.spiders.site import SiteItem, SiteParameters, SiteSpider

if TYPE_CHECKING:
    from scrapy_semtext.page import Page

__all__ = ["ArticleSpider", "DocumentationSpider", "QASpider", "SiteItem", "SiteParameters", "SiteSpider"]

SiteSpider.__module__ = __name__  # Scrapy loads only spiders whose __module__ is the loaded module


class ArticleSpider(SiteSpider):
    """Harvests the articles of sites."""

    name = "articles"
    metadata = {"title": "Articles", "description": "All articles of a blog or magazine."}  # noqa: RUF012

    def is_wanted(self, page: Page) -> bool:
        """Return whether a page is neither a thread with pairs nor a product.

        The kind of a page is not enough: articles that explain or offer something may be classified as another kind.
        """
        return page.page_kind != "product" and not (page.page_kind == "forum" and page.qa_pairs)


class QASpider(SiteSpider):
    """Harvests the question-answer pairs of sites; a thread over several pages is one item."""

    name = "questions"
    metadata = {"title": "Questions", "description": "All question-answer pairs of a forum or FAQ."}  # noqa: RUF012
    joins_messages = True

    def is_wanted(self, page: Page) -> bool:
        """Return whether a page has pairs."""
        return bool(page.qa_pairs)


class DocumentationSpider(SiteSpider):
    """Harvests the pages of documentation."""

    name = "documentation"
    metadata = {"title": "Documentation", "description": "All pages of a documentation site."}  # noqa: RUF012
