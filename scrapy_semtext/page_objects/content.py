"""The page object for pages of any kind."""

from __future__ import annotations

import attrs
from web_poet import handle_urls
from zyte_common_items import Breadcrumb, PageContentPage, Request
from zyte_common_items.fields import auto_field

from scrapy_semtext.page_objects.base import PRIORITY, SemtextPage


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextPageContentPage(SemtextPage, PageContentPage):
    """Provides :class:`zyte_common_items.PageContent`."""

    @auto_field
    def headline(self) -> str | None:
        """The title of the page, without the name of the site."""
        return self.page.title

    @auto_field
    def title(self) -> str | None:
        """What stands in <title>."""
        return self.details.document_title

    @auto_field
    def itemMain(self) -> str | None:  # noqa: N802
        """The main text."""
        return self.page.main_text.strip() or None

    @auto_field
    def breadcrumbs(self) -> list[Breadcrumb] | None:
        """The breadcrumb trail, outermost first."""
        return self.breadcrumb_list()

    @auto_field
    def nextPage(self) -> Request | None:  # noqa: N802
        """The following page of a list."""
        return Request(url=self.page.next_page) if self.page.next_page else None

    @auto_field
    def canonicalUrl(self) -> str | None:  # noqa: N802
        """The address that the page names as its own."""
        return self.details.canonical_url
