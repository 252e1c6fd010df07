"""Main text that pages of one pattern have in common, by which pages of a form are told from items."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from scrapy_semtext.text.folding import one_line

if TYPE_CHECKING:
    from scrapy_semtext.crawling.entries import Entry
    from scrapy_semtext.page import Page

_MOST_PATTERNS, _MOST_BLOCKS = 500, 100  # that are remembered


class RepeatedText:
    """The main text of the latest two pages of each pattern."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], list[set[int]]] = OrderedDict()

    def own_share(self, entry: Entry, page: Page) -> float:
        """Return the share of the letters of a page that are in no block of those pages; remember its blocks.

        It is 1 for the first page of a pattern.
        """
        texts = [one_line(block.text) for block in page.blocks if block.is_main][:_MOST_BLOCKS]
        latest = self._seen.pop((entry.host, entry.pattern.fine), [])
        known = {code for codes in latest for code in codes}
        self._seen[entry.host, entry.pattern.fine] = [*latest[-1:], set(map(hash, texts))]
        if len(self._seen) > _MOST_PATTERNS:
            self._seen.popitem(last=False)
        letters = sum(map(len, texts))
        own = sum(len(text) for text in texts if hash(text) not in known)
        return own / letters if letters else 1.0
