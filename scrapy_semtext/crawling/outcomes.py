"""What a page that was fetched turned out to be: an item, a list of others, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from scrapy_semtext.crawling.addresses import Pattern
    from scrapy_semtext.crawling.patterns import HostPatterns
    from scrapy_semtext.page import Page

_LEAST_LETTERS = 80  # letters and digits of the text of an item
_LEAST_RECORDS = 3
# From so many pages of a pattern on, of which such a share was alike, a doubtful page is taken for one of them.
_LEAST_PAGES, _SHARE, _DOUBTFUL = 5, 0.8, 0.95


def outcome_of_page(page: Page, patterns: HostPatterns, pattern: Pattern) -> Literal["item", "list", "nothing"]:
    """Return what a page is by its text and kind and, where these are in doubt, by other pages of its pattern."""
    has_text = bool(page.qa_pairs) or sum(map(str.isalnum, page.main_text)) >= _LEAST_LETTERS
    if _lists_others(page, patterns, pattern):
        return "list"
    if has_text:
        return "item"
    return "list" if len(page.records) >= _LEAST_RECORDS else "nothing"


def _lists_others(page: Page, patterns: HostPatterns, pattern: Pattern) -> bool:
    tally = patterns.fine.get(pattern.fine)
    known = 0 if tally is None else tally.items + tally.lists
    probability = page.overview_probability or 0.0
    if tally is not None and known >= _LEAST_PAGES and 1 - _DOUBTFUL < probability < _DOUBTFUL:
        if tally.items >= _SHARE * known:
            return False
        if tally.lists >= _SHARE * known:
            return True
    return bool(page.is_overview)
