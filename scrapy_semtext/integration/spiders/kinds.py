"""Spiders for items of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.integration.spiders.site import SiteSpider

if TYPE_CHECKING:
    from scrapy_semtext.page import Page


class ArticleSpider(SiteSpider):
    """Harvests the articles of sites."""

    name = "articles"
    metadata = {"title": "Articles", "description": "All articles of a blog or a magazine."}  # noqa: RUF012

    def is_wanted(self, page: Page) -> bool:
        """Return whether a page is neither a thread with pairs nor a product.

        The kind alone says too little: articles that explain or offer something may be taken for another one.
        """
        return page.page_kind != "product" and not (page.page_kind == "forum" and page.qa_pairs)


class QASpider(SiteSpider):
    """Harvests the question-answer pairs of sites; a thread over several pages is one item."""

    name = "questions"
    metadata = {"title": "Questions", "description": "All question-answer pairs of a forum or a FAQ."}  # noqa: RUF012

    def is_wanted(self, page: Page) -> bool:
        """Return whether a page has pairs."""
        return bool(page.qa_pairs)


class DocumentationSpider(SiteSpider):
    """Harvests the pages of documentation."""

    name = "documentation"
    metadata = {"title": "Documentation", "description": "All pages of a documentation."}  # noqa: RUF012
