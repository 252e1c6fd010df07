"""The address of the following page of a list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_semtext.dom.address import address_of
from scrapy_semtext.records.columns import Addresses
from scrapy_semtext.records.cues import IS_NEXT, NAMED_NEXT, NAMED_PAGER
from scrapy_semtext.records.shown_text import rough_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 30  # characters of the text of a link to the next page
_LEVELS = 4  # how many elements around a page number may have the name of a pager
_NUMBER = re.compile(r"(?:\w+ )?(\d{1,4})")
_IN_ADDRESS = re.compile(r"(?:[?&](?:page|paged|p|pg|pagina|seite|pn)=|/page[/-]?|/p)(\d{1,4})(?=$|[/?&#.])")


def next_page_of(root: Any, url: str | None, base: str) -> str | None:
    """Return the address of the next page: of the same host, never of the page itself; None if it has no link to it.

    A link that says so goes first (``rel="next"``), then one whose text or label does, then the page number behind the
    current one.
    """
    addresses = Addresses(base)
    host, own = _host(url or base), addresses(url)
    for href in _candidates(root, url or ""):
        found = addresses(href)
        if found and found != own and _host(found) == host:
            return found
    return None


def _host(url: str) -> str:
    return address_of(url).host.removeprefix("www.")


def _candidates(root: Any, url: str) -> Iterator[str | None]:
    links = [link for link in root.iter("a", "link") if link.get("href")]
    yield from (link.get("href") for link in links if "next" in (link.get("rel") or "").lower().split())
    links = [link for link in links if link.tag == "a"]
    texts = [rough_text(link) for link in links]
    yield from (link.get("href") for link, text in zip(links, texts, strict=True) if _says_next(link, text))
    following = str(_current(root, url) + 1)
    for link, text in zip(links, texts, strict=True):
        number = _NUMBER.fullmatch(text)
        if number and number[1] == following and _is_in_pager(link):
            yield link.get("href")


def _says_next(link: Any, text: str) -> bool:
    if len(text) > _LONGEST:
        return False
    if text:
        sign = not any(map(str.isalnum, text))
        return IS_NEXT.fullmatch(text) is not None and (not sign or _is_in_pager(link))
    label = link.get("aria-label") or link.get("title") or ""
    return IS_NEXT.fullmatch(label) is not None or bool(
        NAMED_NEXT.search(link.get("class") or "") and _is_in_pager(link)
    )


def _current(root: Any, url: str) -> int:
    """The number of the page, by the mark of the current entry of a pager or by the address; 1 if neither says."""
    for element in root.iterfind(".//*[@aria-current]"):
        if element.get("aria-current") in ("page", "true") and (number := _NUMBER.fullmatch(rough_text(element))):
            return int(number[1])
    found = _IN_ADDRESS.search(url)
    return int(found[1]) if found else 1


def _is_in_pager(link: Any) -> bool:
    """Whether a link stands in a pager: named so, or beside another link to a page number."""
    for element, _ in zip((link, *link.iterancestors()), range(_LEVELS), strict=False):
        names = f"{element.get('class') or ''} {element.get('id') or ''} {element.get('aria-label') or ''}"
        if NAMED_PAGER.search(names) or element.get("role") == "navigation":
            return True
    beside = link.getparent()
    around = None if beside is None else beside.getparent()
    group = beside if around is None or len(around) > 40 else around
    others = () if group is None else group.iter("a")
    return any(other is not link and rough_text(other).isdecimal() for other in others)
