"""Counts the selectors of rules that find nothing on the pages of their site, since sites change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.page import Page

#: A selector is reported once it has found nothing on so many pages, and on this share of the pages of its rule.
LEAST_PAGES, LEAST_SHARE = 20, 0.9


class RuleWatch:
    """``pages``: how many pages each rule was applied to; ``unmatched``: on how many each selector found nothing.

    The keys of ``unmatched`` are pairs of a rule's name and a selector with its key.
    """

    def __init__(self) -> None:
        self.pages: Counter[str] = Counter()
        self.unmatched: Counter[tuple[str, str]] = Counter()
        self._reported: set[tuple[str, str]] = set()

    def add(self, page: Page) -> Iterator[str]:
        """Count a page; yield a sentence for each selector that is to be reported now."""
        if page.rule is None:
            return
        self.pages[page.rule] += 1
        for selector in page.unmatched:
            key = page.rule, selector
            self.unmatched[key] += 1
            missed, pages = self.unmatched[key], self.pages[page.rule]
            if key not in self._reported and missed >= LEAST_PAGES and missed >= LEAST_SHARE * pages:
                self._reported.add(key)
                yield (
                    f"{selector!r} in the rule of {page.rule!r} found nothing on {missed} of {pages} pages;"
                    " has the site changed?"
                )
