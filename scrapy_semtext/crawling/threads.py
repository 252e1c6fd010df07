"""Items that go on over several pages: which link leads to their next page, and which page is a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.crawling.addresses import address_key, may_follow
from scrapy_semtext.crawling.links import next_page
from scrapy_semtext.qa.page_number import (
    page_number_of,
    without_page_in_address,
    without_page_number,
)
from scrapy_semtext.qa.thread_pages import canonical_url, previous_url
from scrapy_semtext.text.folding import letters_of

if TYPE_CHECKING:
    from scrapy_semtext.page import Page


def following_page(root: Any, page: Page) -> str | None:
    """Return the address of the next page of an item, None if the page links to none that may be of the same item.

    Addresses of pages of an item differ in a number alone. They may as well be those of the next item: `are_of_one`
    tells when that page is there.
    """
    found = next_page(root, page)
    url = page.url or ""
    return found if found and may_follow(url, found) else None


def first_page(root: Any, page: Page) -> str | None:
    """Return the address of the first or an earlier page of an item of which a later page was fetched; None if not."""
    url = page.url or ""
    number = page_number_of(root, url, [block.text for block in page.blocks])
    if not (number.address or number.previous_page):
        return None
    candidates = (canonical_url(root, url), previous_url(root, url), without_page_in_address(url))
    for candidate in candidates:
        if candidate and address_key(candidate) != address_key(url) and may_follow(candidate, url):
            return candidate
    return None


def are_of_one(first: Page, later: Page) -> bool:
    """Return whether two pages have the title of one item, but for the number of the page."""
    titles = [letters_of(without_page_number(page.title or "")) for page in (first, later)]
    return bool(titles[0]) and titles[0] == titles[1]
