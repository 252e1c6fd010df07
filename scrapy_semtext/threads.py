"""Threads over several pages, for spiders: the URLs of their pages, and the merging of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.read.lists import next_page_of
from scrapy_semtext.read.thread_pages import canonical_url, merge_pages, merge_pairs, previous_url
from scrapy_semtext.tree import parsing

if TYPE_CHECKING:
    from lxml import etree

__all__ = ["canonical_url", "merge_pages", "merge_pairs", "next_url", "previous_url"]


def next_url(html: etree._Element | str, url: str) -> str | None:
    """Return the URL of the next page of a thread, from ``rel="next"`` or its pager; None on the last page.

    ``html`` is the page's HTML or its tree, ``url`` the URL it was fetched from.
    """
    root = parsing.parse(html, url) if isinstance(html, str) else html
    base = parsing.base_url(root, url) or url
    return next_page_of(root, url, base, of_thread=True)
