"""The lists of a page: columns with much the same addresses, of which one holds the titles."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.records.column_features import FEATURES, PageContext, column_features
from scrapy_semtext.records.columns import Addresses, Column, columns_of
from scrapy_semtext.records.extents import Extents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.utils.arrays import Singles


#: The names of the features of a column among those of its list, in order.
TITLE_FEATURES = (
    *FEATURES,
    *"words_of_most address_f1_below heading_below longer shorter columns distinct_below count_below".split(),
    *"within holds".split(),
)
#: The names of the features of a list, in order: those of its column of titles, and how many columns it has.
LIST_FEATURES = (*FEATURES, "columns")

# Columns are of one list if so much of the addresses of the one with more of them is shared.
_SHARED = 0.7
_LISTS_OF_ADDRESS = 50  # an address is looked for in so many lists, so that time stays linear
_HEADING_LINKS = 6  # links of a record that may be that of its heading
_SAMPLE = 8
_WORDS, _HEADING, _F1 = (FEATURES.index(name) for name in ("words", "heading", "address_f1"))
_DISTINCT, _COUNT = (FEATURES.index(name) for name in ("distinct_texts", "log_count"))


@dataclass(slots=True, eq=False)
class PageLists:
    """The columns of a page with their features, (columns, FEATURES), and its lists: indices of columns."""

    columns: list[Column]
    features: Singles
    lists: list[list[int]]

    @classmethod
    def of(cls, page: ParsedPage) -> PageLists:
        """Find the lists of a page. Time is linear in the page."""
        addresses = Addresses(base_url(page.root, page.url) or "")
        columns = columns_of(page.root, addresses)
        extents = [Extents([member.element for member in column.members]) for column in columns]
        for column, extent in zip(columns, extents, strict=True):
            _add_addresses(column, extent.elements, addresses)
        features = column_features(columns, extents, _context(page, columns))
        return cls(columns, features, _lists(columns))

    def title_features(self, number: int) -> Singles:
        """The features of the columns of a list, to tell which holds the titles; (columns of it, TITLE_FEATURES)."""
        chosen = self.lists[number]
        own = self.features[chosen]
        words, most = own[:, _WORDS], own.max(axis=0)
        texts = [[member.text for member in self.columns[column].members[:_SAMPLE]] for column in chosen]
        relative = [
            words / max(float(most[_WORDS]), 0.1),
            most[_F1] - own[:, _F1],
            most[_HEADING] - own[:, _HEADING],
            (words[:, None] < words).sum(axis=1),
            (words[:, None] > words).sum(axis=1),
            np.full(len(chosen), len(chosen)),
            most[_DISTINCT] - own[:, _DISTINCT],
            most[_COUNT] - own[:, _COUNT],
            [max((_share_within(text, other) for other in texts if other is not text), default=0.0) for text in texts],
            [max((_share_within(other, text) for other in texts if other is not text), default=0.0) for text in texts],
        ]
        return np.column_stack([own, *relative]).astype(np.float32)

    def list_features(self, titles: Sequence[int]) -> Singles:
        """The features of the lists, whose columns of titles are known, (lists, LIST_FEATURES)."""
        return np.column_stack([self.features[list(titles)], [*map(len, self.lists)]]).astype(np.float32)


def _context(page: ParsedPage, columns: Sequence[Column]) -> PageContext:
    members = [member for column in columns for member in column.members]
    return PageContext(
        page.url or "",
        max((member.order for member in members), default=0) + 1,
        sum(len(block.text) for block in page.raw_blocks),
        next((member.order for member in members if member.element.tag == "h1"), None),
    )


def _add_addresses(column: Column, records: Sequence[Any], addresses: Addresses) -> None:
    """Give headings outside of links the address of a link in their record, if possible one of no other record."""
    if column.members[0].url is not None:
        return
    links = [islice(record.iter("a"), _HEADING_LINKS) for record in records]
    found = [[url for link in each if (url := addresses(link.get("href")))] for each in links]
    times = Counter(url for urls in found for url in set(urls))
    for member, urls in zip(column.members, found, strict=True):
        member.url = next((url for url in urls if times[url] == 1), urls[0] if urls else None)


def _lists(columns: Sequence[Column]) -> list[list[int]]:
    """Group columns by their addresses; each joins the first list, of those with most members, that it is like."""
    urls = [{member.url for member in column.members} - {None} for column in columns]
    lists: list[list[int]] = []
    with_url: defaultdict[str | None, list[int]] = defaultdict(list)  # the lists whose first column has an address
    for number in sorted(range(len(columns)), key=lambda number: -len(columns[number].members)):
        own = urls[number]
        if not own:
            continue
        shared = Counter(chain.from_iterable(with_url[url] for url in own))
        like = (
            place for place, count in shared.items() if count >= _SHARED * max(len(own), len(urls[lists[place][0]]))
        )
        if (place := min(like, default=None)) is not None:
            lists[place].append(number)
            continue
        for url in own:
            if len(with_url[url]) < _LISTS_OF_ADDRESS:
                with_url[url].append(len(lists))
        lists.append([number])
    return lists


def _share_within(texts: Sequence[str], others: Sequence[str]) -> float:
    """The share of texts that are a part of another column's text of the same number."""
    pairs = [*zip(texts, others, strict=False)]
    return sum(text != other and text in other for text, other in pairs) / max(len(pairs), 1)
