"""The links of a page with their context, and the links between the pages of an item that has several."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise
from typing import TYPE_CHECKING, Any, Literal

from scrapy_semtext.crawling.addresses import address_key, can_be_page, may_follow, pattern_of
from scrapy_semtext.dom.element_text import rough_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.qa.page_number import (
    number_in_address,
    page_number_of,
    without_page_in_address,
    without_page_number,
)
from scrapy_semtext.qa.thread_pages import canonical_url, previous_url
from scrapy_semtext.records.columns import Addresses
from scrapy_semtext.records.pager import next_page_of
from scrapy_semtext.text.folding import letters_of, one_line
from scrapy_semtext.utils.address import address_of, host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.page import Page

#: Where on a page a link stands: in the title of a record, beside it, in main content, in a menu, or elsewhere. A link
#: to the next page of the list is "next" wherever it stands.
Position = Literal["next", "record", "beside", "text", "navigation", "elsewhere"]

_MENUS = ("nav", "header", "footer")
_IN_TURNS = 1.5  # changes between two alternating kinds of links, as a share of the more frequent kind
_ALMOST = 0.6  # share of the words of the longest link texts in a row that titles have
_MANY = 10  # links with similar URLs, from which on none is the link to the next page
_LEVELS = 3  # elements around a link that may be its block
_HEADING_LEVELS = 2  # elements around a link that may be a heading
_MOST_LINKS = 2000  # of a page
_LONGEST = 200  # characters of the text of a link that are kept


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to another page: ``url`` is absolute, ``text`` its visible text, ``rel`` the words of its rel attribute.

    ``is_heading``: whether it stands in a heading or contains one. ``like`` is the number of links of the page whose
    URLs have the same pattern, including this one.
    """

    url: str
    text: str
    position: Position
    rel: tuple[str, ...] = ()
    is_heading: bool = False
    like: int = 1


def next_page(root: Any, page: Page) -> str | None:
    """Return the URL of the next page: the one read with the records, else the one found in the links of the page.

    Without an explicit link, it is the link whose URL differs from the page's URL by the next higher page number.
    """
    base = base_url(root, page.url) or ""
    return page.next_page or next_page_of(root, page.url, base) or _next_by_number(root, page.url or "", base)


def _next_by_number(root: Any, url: str, base: str) -> str | None:
    addresses = Addresses(base)
    own = number_in_address(url)
    numbers = {
        number: found
        for link in root.iter("a")
        if (found := addresses(link.get("href")))
        and (number := number_in_address(found)) is not None
        and number > (1 if own is None else own)
        and may_follow(url, found)
    }
    return numbers[min(numbers)] if numbers else None


def page_links(root: Any, page: Page) -> list[PageLink]:
    """Return the links of a page in page order, one for each URL, in linear time."""
    addresses = Addresses(base_url(root, page.url) or "")
    records = {record.url for record in page.records}
    following = next_page(root, page) if page.records or page.is_overview else None
    if following and without_page_in_address(following) in records:
        following = None  # a later page of a thread that is listed
    main = _MainBlocks(page)
    menus = {link for menu in root.iter(*_MENUS) if not _is_of_content(menu) for link in menu.iter("a")}
    found: dict[str, PageLink] = {}
    for link, url in islice(_followed(root, addresses), _MOST_LINKS):
        position: Position = (
            "next" if url == following else "record" if url in records else _position(link, main, menus)
        )
        text = rough_text(link)[:_LONGEST]
        key = address_key(url)
        is_heading = _is_heading(link)
        if key not in found or (text and not found[key].text) or (is_heading and not found[key].is_heading):
            rel = tuple((link.get("rel") or "").lower().split())
            found[key] = PageLink(url, text, position, rel, is_heading)
    return _counted(list(found.values()))


def with_next(links: list[PageLink], root: Any, page: Page) -> list[PageLink]:
    """Return the links of a page that turned out to be a list, with the link to its next page marked as "next"."""
    if any(link.position == "next" for link in links):
        return links
    following = next_page(root, page)
    return [replace(link, position="next") if link.url == following and link.like < _MANY else link for link in links]


def _followed(root: Any, addresses: Addresses) -> Iterator[tuple[Any, str]]:
    for link in root.iter("a", "area"):
        url = addresses(link.get("href"))
        if url and can_be_page(url) and link.get("download") is None:
            yield link, url


def _is_of_content(menu: Any) -> bool:
    """Whether a header or footer belongs to an article, not to the page."""
    return menu.tag != "nav" and next(menu.iterancestors("article", "section", "main", "li"), None) is not None


def _is_heading(link: Any) -> bool:
    around = islice(link.iterancestors(), _HEADING_LEVELS)
    return any(each.tag in HEADING_LEVELS for each in around) or next(link.iter(*HEADING_LEVELS), None) is not None


class _MainBlocks:
    """The elements that are blocks of main content, found by their texts; each element is examined once."""

    def __init__(self, page: Page) -> None:
        self._texts = {one_line(block.text) for block in page.blocks if block.is_main}
        self._longest = max(map(len, self._texts), default=0)
        self._known: dict[Any, bool] = {}

    def __contains__(self, element: Any) -> bool:
        found = self._known.get(element)
        if found is None:
            found = self._known[element] = element.tag not in ("body", "html") and self._text(element) in self._texts
        return found

    def _text(self, element: Any) -> str | None:
        """The text of an element, or None if it is longer than any block."""
        parts: list[str] = []
        length = 0
        for part in element.itertext():
            parts.append(part)
            length += len(one_line(part))
            if length > self._longest:
                return None
        return one_line("".join(parts))


def _position(link: Any, main: _MainBlocks, menus: set[Any]) -> Position:
    if link in menus:
        return "navigation"
    around = list(islice(link.iterancestors(), _LEVELS))
    if any(each.get("role") == "navigation" for each in around):
        return "navigation"
    return "text" if any(each in main for each in (link, *around)) else "elsewhere"


def _counted(links: list[PageLink]) -> list[PageLink]:
    patterns = [(host_of(link.url), pattern_of(link.url).fine) for link in links]
    counts = Counter(patterns)
    beside = _beside_titles(links, patterns)
    return [
        replace(link, like=counts[pattern], position="beside" if pattern in beside else link.position)
        for link, pattern in zip(links, patterns, strict=True)
    ]


def _beside_titles(links: Sequence[PageLink], patterns: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """The patterns of links that stand beside the titles of records, such as links to the last post."""
    rows: dict[tuple[str, str], list[int]] = {}
    for place, (link, pattern) in enumerate(zip(links, patterns, strict=True)):
        if link.position == "record":
            rows.setdefault(pattern, []).append(place)
    found = set()
    for one, other in combinations(rows, 2):
        order = sorted([(place, one) for place in rows[one]] + [(place, other) for place in rows[other]])
        changes = sum(first[1] != second[1] for first, second in pairwise(order))
        if changes >= _IN_TURNS * max(len(rows[one]), len(rows[other])):
            words = [len(" ".join({links[place].text for place in rows[each]}).split()) for each in (one, other)]
            is_first = other[1].startswith(one[1]) or words[0] >= _ALMOST * words[1]
            found.add(one if one[1].startswith(other[1]) or not is_first else other)
    return found


def following_page(root: Any, page: Page) -> str | None:
    """Return the URL of the next page of an item, or None if no linked page may belong to the same item.

    The URLs of the pages of an item differ only in a number. The URL may also be that of the next item: `are_of_one`
    decides this once the page is fetched.
    """
    found = next_page(root, page)
    url = page.url or ""
    return found if found and may_follow(url, found) else None


def first_page(root: Any, page: Page) -> str | None:
    """Return the URL of the first, or an earlier, page of an item if ``page`` is a later page of it; else None."""
    url = page.url or ""
    number = page_number_of(root, url, [block.text for block in page.blocks])
    candidates: list[str | None] = []
    if number.address or number.previous_page:
        candidates = [canonical_url(root, url), previous_url(root, url), without_page_in_address(url)]
        candidates = [each for each in candidates if each and may_follow(each, url)]
    if (number.current or 1) > 1:  # for instance if the URL names a post on the page
        candidates += _first_of_pager(root, url)
    return next((each for each in candidates if each and address_key(each) != address_key(url)), None)


def _first_of_pager(root: Any, url: str) -> Iterator[str]:
    """Yield the URLs of links with the text "1" whose path is that of the page, or one above it."""
    addresses, own = Addresses(base_url(root, url) or ""), address_of(url)
    for link in root.iter("a"):
        if rough_text(link) == "1" and (found := without_page_in_address(addresses(link.get("href")) or "")):
            path = address_of(found).path.rstrip("/")
            if path and host_of(found) == own.host and f"{own.path}/".startswith(f"{path}/"):
                yield found


def are_of_one(first: Page, later: Page) -> bool:
    """Return whether two pages belong to one item: their titles are equal except for the page number."""
    return have_same_title(first.title, later.title)


def have_same_title(one: str | None, other: str | None) -> bool:
    """Return whether two titles are equal except for the page number."""
    titles = [letters_of(without_page_number(title or "")) for title in (one, other)]
    return bool(titles[0]) and titles[0] == titles[1]
