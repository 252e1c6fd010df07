"""The links of a page with what stands around them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from scrapy_semtext.crawling.addresses import address_key, can_be_page, host_of, pattern_of
from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.records.columns import Addresses
from scrapy_semtext.records.pager import next_page_of
from scrapy_semtext.records.shown_text import rough_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.page import Page

#: Where on a page a link stands: in the title of a record, in main content, in a menu, or elsewhere. A link to the
#: next page of the list is "next" wherever it stands.
Position = Literal["next", "record", "text", "navigation", "elsewhere"]

_MENUS = ("nav", "header", "footer")
_LEVELS = 3  # elements around a link that may be its block
_MOST_LINKS = 2000  # of a page
_LONGEST = 200  # characters of the text of a link that are kept


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to another page: ``url`` is absolute, ``text`` what is shown of it, ``rel`` the words of its relation.

    ``like`` is the number of links of the page whose addresses have the same pattern, this one among them.
    """

    url: str
    text: str
    position: Position
    rel: tuple[str, ...] = ()
    like: int = 1


def next_page(root: Any, page: Page) -> str | None:
    """Return the address of the page that follows: as it was read with the records, else by the links of the page."""
    return page.next_page or next_page_of(root, page.url, base_url(root, page.url) or "")


def page_links(root: Any, page: Page) -> list[PageLink]:
    """Return the links of a page in page order, one for each address. Time is linear in the page."""
    addresses = Addresses(base_url(root, page.url) or "")
    records = {record.url for record in page.records}
    main = {_plain(block.text) for block in page.blocks if block.is_main}
    menus = {link for menu in root.iter(*_MENUS) for link in menu.iter("a")}
    found: dict[str, PageLink] = {}
    for link, url in islice(_followed(root, addresses), _MOST_LINKS):
        position = _known_position(url, page, records) or _position(link, main, menus)
        text = rough_text(link)[:_LONGEST]
        key = address_key(url)
        if key not in found or (text and not found[key].text):
            rel = tuple((link.get("rel") or "").lower().split())
            found[key] = PageLink(url, text, position, rel)
    return _counted(list(found.values()))


def _followed(root: Any, addresses: Addresses) -> Iterator[tuple[Any, str]]:
    for link in root.iter("a", "area"):
        url = addresses(link.get("href"))
        if url and can_be_page(url) and link.get("download") is None:
            yield link, url


def _known_position(url: str, page: Page, records: set[str]) -> Position | None:
    return "next" if url == page.next_page else "record" if url in records else None


def _position(link: Any, main: set[str], menus: set[Any]) -> Position:
    if link in menus:
        return "navigation"
    for around in islice(link.iterancestors(), _LEVELS):
        if around.get("role") == "navigation":
            return "navigation"
    for around in (link, *islice(link.iterancestors(), _LEVELS)):
        if around.tag not in ("body", "html") and _plain("".join(around.itertext())) in main:
            return "text"
    return "elsewhere"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _counted(links: list[PageLink]) -> list[PageLink]:
    patterns = [(host_of(link.url), pattern_of(link.url).fine) for link in links]
    counts = Counter(patterns)
    return [
        PageLink(link.url, link.text, link.position, link.rel, counts[pattern])
        for link, pattern in zip(links, patterns, strict=True)
    ]
