"""The address of the following page of a list or a thread."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from scrapy_semtext.dom.element_text import rough_text
from scrapy_semtext.qa.page_number import current_page, same_but_for_page
from scrapy_semtext.records.columns import Addresses
from scrapy_semtext.text.word_tables import alternatives
from scrapy_semtext.utils.address import host_of

# The whole text of a link to the next page, a word or a sign or both.
_IS_NEXT = re.compile(rf"\W*(?:{alternatives('next')})\W*|[»›>→❯⟩]{{1,2}}|&gt;", re.IGNORECASE)
# A name or label of such a link whose text is a drawing.
_NAMED_NEXT = re.compile(r"(?:^|[\s_-])(?:next|nextpage|pagination-next|pager-next|older)(?:$|[\s_-])", re.IGNORECASE)
# Names of elements around page numbers.
_NAMED_PAGER = re.compile(
    r"pagin|pager|page-?num|page-?nav|page-?links?|(?:^|\s)pages(?:\s|$)|wp-pagenavi|seiten|nav-?links", re.IGNORECASE
)
_LONGEST = 30  # characters of the text of a link to the next page
_BESIDE = 2  # in how many elements around a page number others stand beside it
_LEVELS = 4  # how many elements around a page number may have the name of a pager
_NUMBER = re.compile(r"(?:\w+ )?(\d{1,4})")
_IN_ADDRESS = re.compile(r"(?:[?&](?:page|paged|pg|pagina|seite|pn)=|/page[/-]?|/p)(\d{1,4})(?=$|[/?&#.])")


def next_page_of(root: Any, url: str | None, base: str, *, of_thread: bool = False) -> str | None:
    """Return the address of the next page: of the same host, never of the page itself; None if it has no link to it.

    A link that says so goes first (``rel="next"``), then one whose text or label does, then the page number behind the
    current one. In a thread (``of_thread``) this goes before texts, where the page marks the current number, and links
    outside a pager that may lead to another thread are left out. Time is linear in the page.
    """
    addresses = Addresses(base)
    host, own = host_of(url or base), _bare(addresses(url) or "")
    for href in _candidates(root, url or "", of_thread=of_thread):
        found = addresses(href)
        if found and _bare(found) != own and host_of(found) == host:
            return found
    return None


def _bare(url: str) -> str:
    """An address without scheme and slash at the end, which make no other page."""
    return url.partition("://")[2].rstrip("/")


def _candidates(root: Any, url: str, *, of_thread: bool) -> Iterator[str | None]:
    links = [link for link in root.iter("a", "link") if link.get("href")]
    yield from (link.get("href") for link in links if "next" in (link.get("rel") or "").lower().split())
    pager = _Pager([link for link in links if link.tag == "a"])
    shown, said = current_page(link for link, _ in pager.links), pager.named_first(_says_next)
    after = 1 + (shown or int((_IN_ADDRESS.search(url) or ("", 1))[1]))
    following = pager.named_first(lambda link, text, pager: _is(after, text) and pager.holds(link))
    if of_thread:  # a word outside of the pager may lead to the next thread, and a sign to the last page
        held = {*pager.named_first(lambda link, _text, pager: pager.holds(link))}
        said = [href for href in said if href in held or same_but_for_page(href, url)]
    yield from (*following, *said) if of_thread and shown else (*said, *following)


class _Pager:
    """The links of a page, and which of them stand in a pager: in an element named so, or beside a page number."""

    def __init__(self, links: Sequence[Any]) -> None:
        self.links = [(link, rough_text(link)) for link in links]
        self._numbers = Counter(
            around for link, text in self.links if text.isdecimal() for around in islice(link.iterancestors(), _BESIDE)
        )

    def named_first(self, chosen: Callable[[Any, str, _Pager], bool]) -> list[str]:
        """The addresses of links that are chosen, those in elements named for pagers first."""
        found = [link for link, text in self.links if chosen(link, text, self)]
        return [link.get("href") for link in sorted(found, key=lambda link: not _is_named(link))]

    def holds(self, link: Any) -> bool:
        """Whether a link stands in a pager, or in a menu, where a sign may be an arrow to the next page."""
        own = rough_text(link).isdecimal()
        beside = any(self._numbers[around] > own for around in islice(link.iterancestors(), _BESIDE))
        return (
            beside
            or _is_named(link)
            or any(each.tag == "nav" or each.get("role") == "navigation" for each in _levels_around(link))
        )


def _levels_around(link: Any) -> Iterator[Any]:
    return islice(chain((link,), link.iterancestors()), _LEVELS)


def _is_named(link: Any) -> bool:
    """Whether a link, or an element right around it, is named for pagers."""
    return any(
        _NAMED_PAGER.search(f"{each.get('class') or ''} {each.get('id') or ''} {each.get('aria-label') or ''}")
        for each in _levels_around(link)
    )


def _says_next(link: Any, text: str, pager: _Pager) -> bool:
    if len(text) > _LONGEST:
        return False
    if text:
        sign = not any(map(str.isalnum, text))
        return _IS_NEXT.fullmatch(text) is not None and (not sign or pager.holds(link))
    label = link.get("aria-label") or link.get("title") or ""
    return _IS_NEXT.fullmatch(label) is not None or bool(
        _NAMED_NEXT.search(link.get("class") or "") and pager.holds(link)
    )


def _is(wanted: int, text: str) -> bool:
    return (number := _NUMBER.fullmatch(text)) is not None and int(number[1]) == wanted
