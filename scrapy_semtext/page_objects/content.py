"""The page objects for pages of any kind, for lists of articles, and for threads."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

import attrs
from web_poet import handle_urls
from zyte_common_items import (
    ArticleNavigationPage,
    ForumThreadPage,
    PageContentPage,
    ProbabilityRequest,
    Request,
    SocialMediaPost,
    Topic,
)
from zyte_common_items.fields import auto_field

from scrapy_semtext.output.page_dates import iso_of
from scrapy_semtext.page_objects.base import PRIORITY, SemtextPage, SemtextPlacedPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.page import QAPair


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextPageContentPage(SemtextPlacedPage, PageContentPage):
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
    def nextPage(self) -> Request | None:  # noqa: N802
        """The following page of a list."""
        return Request(url=self.page.next_page) if self.page.next_page else None


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


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextForumThreadPage(SemtextPage, ForumThreadPage):
    """Provides :class:`zyte_common_items.ForumThread`; on a page that is no thread, without topic and posts.

    The item has no place for names of authors and for who answers whom; ``page.qa_pairs`` has both.
    """

    @auto_field
    def topic(self) -> Topic | None:
        """The title of the thread."""
        pairs = thread_pairs(self.page.qa_pairs)
        name = (pairs[0].question_title if pairs else None) or self.page.title
        is_thread = bool(pairs) or self.page.page_kind == "forum"
        return Topic(name=name) if is_thread and name else None

    @auto_field
    def posts(self) -> list[SocialMediaPost] | None:
        """The posts of the thread, the opening post first if the page has it."""
        pairs = thread_pairs(self.page.qa_pairs)
        if not pairs:
            return None
        posts = [(pairs[0].question_body, pairs[0].question_date), *((pair.answer, pair.date) for pair in pairs)]
        return [
            SocialMediaPost(url=str(self.url), text=text, datePublished=utc_of(date)) for text, date in posts if text
        ]


def thread_pairs(pairs: Sequence[QAPair]) -> Sequence[QAPair]:
    """Return the pairs of a thread, which all have the same question; none of a page with several questions."""
    return pairs if len({pair.question for pair in pairs}) == 1 else ()


def utc_of(date: str | None) -> str | None:
    """Return a date as the item wants it, in UTC; None unless it states its day, its time and its time zone."""
    iso = iso_of(date)
    if iso is None or len(iso) == len("2024-05-03T00:00:00"):
        return None
    try:
        moment = datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(timezone.utc)
    except (ValueError, OverflowError):  # a time zone of 99 hours, or a day before the first
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
