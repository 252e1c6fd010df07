"""The page object for pages that list articles."""

from __future__ import annotations

import attrs
from web_poet import handle_urls
from zyte_common_items import ArticleNavigationPage, ProbabilityRequest, Request
from zyte_common_items.fields import auto_field

from scrapy_semtext.page_objects.base import PRIORITY, SemtextPage


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextArticleNavigationPage(SemtextPage, ArticleNavigationPage):
    """Provides :class:`zyte_common_items.ArticleNavigation`."""

    @auto_field
    def categoryName(self) -> str | None:  # noqa: N802
        """The title of a page that lists others."""
        return self.page.title if self.page.records else None

    @auto_field
    def items(self) -> list[ProbabilityRequest] | None:
        """The entries of the main list; how probable each is is not known."""
        return [ProbabilityRequest(url=record.url, name=record.title) for record in self.page.records] or None

    @auto_field
    def nextPage(self) -> Request | None:  # noqa: N802
        """The following page of the list."""
        return Request(url=self.page.next_page) if self.page.next_page else None
