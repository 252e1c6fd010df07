"""Spiders for items of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.integration.spiders.site import SiteSpider

if TYPE_CHECKING:
    from scrapy_semtext.page import Page


#: The kinds of page that are no articles, and the probability from which on they are left out.
_OTHER_KINDS = frozenset(("documentation", "product", "service"))
_SURE = 0.8


class ArticleSpider(SiteSpider):
    """Harvests the articles of sites."""

    name = "articles"
    metadata = {"title": "Articles", "description": "All articles of a blog or a magazine."}  # noqa: RUF012

    def is_wanted(self, page: Page) -> bool:
        """Return whether a page is no thread, and for all that is known no documentation, no product, no service."""
        if page.page_kind == "forum":  # small blogs are taken for forums; only threads have pairs
            return not page.qa_pairs
        return page.page_kind not in _OTHER_KINDS or (page.page_kind_probability or 0.0) < _SURE


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
