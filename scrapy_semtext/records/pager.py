"""The URL of the next page of a list or a thread."""

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

# The whole text of a link to the next page: a word, a sign, or both.
_IS_NEXT = re.compile(rf"\W*(?:{alternatives('next')})\W*|[»›>→❯⟩]{{1,2}}|&gt;", re.IGNORECASE)
# A name or label of a link to the next page that shows an icon.
_NAMED_NEXT = re.compile(r"(?:^|[\s_-])(?:next|nextpage|pagination-next|pager-next|older)(?:$|[\s_-])", re.IGNORECASE)
# Names of elements around page numbers.
_NAMED_PAGER = re.compile(
    r"pagin|pager|page-?num|page-?nav|page-?links?|(?:^|\s)pages(?:\s|$)|wp-pagenavi|seiten|nav-?links", re.IGNORECASE
)
_LONGEST = 30  # the maximum length of the text of a link to the next page, in characters
_BESIDE = 2  # the number of ancestors of a link that are searched for page numbers
_LEVELS = 4  # the number of elements, the link and its ancestors, that may have the name of a pager
_NUMBER = re.compile(r"(?:\w+ )?(\d{1,4})")
_IN_ADDRESS = re.compile(r"(?:[?&](?:page|paged|pg|pagina|seite|pn)=|/page[/-]?|/p)(\d{1,4})(?=$|[/?&#.])")


def next_page_of(root: Any, url: str | None, base: str, *, of_thread: bool = False) -> str | None:
    """Return the URL of the next page, or None if there is no link to it. It has the same host as ``url``.

    Links with ``rel="next"`` come first, then links whose text or label means "next", then the page number after the
    current one. In a thread (``of_thread``), page numbers come before texts if the page marks the current number, and
    links outside a pager that may lead to another thread are skipped. Takes linear time.
    """
    addresses = Addresses(base)
    host, own = host_of(url or base), _bare(addresses(url) or "")
    for href in _candidates(root, url or "", of_thread=of_thread):
        found = addresses(href)
        if found and _bare(found) != own and host_of(found) == host:
            return found
    return None


def _bare(url: str) -> str:
    """Remove what does not make another page: the scheme of a URL and its trailing slash."""
    return url.partition("://")[2].rstrip("/")


def _candidates(root: Any, url: str, *, of_thread: bool) -> Iterator[str | None]:
    links = [link for link in root.iter("a", "link") if link.get("href")]
    yield from (link.get("href") for link in links if "next" in (link.get("rel") or "").lower().split())
    pager = _Pager([link for link in links if link.tag == "a"])
    shown, said = current_page(link for link, _ in pager.links), pager.named_first(_says_next)
    after = 1 + (shown or int((_IN_ADDRESS.search(url) or ("", 1))[1]))
    following = pager.named_first(lambda link, text, pager: _is(after, text) and pager.holds(link))
    if of_thread:  # outside a pager, "next" may lead to the next thread, and an arrow to the last page
        held = {*pager.named_first(lambda link, _text, pager: pager.holds(link))}
        said = [href for href in said if href in held or same_but_for_page(href, url)]
    yield from (*following, *said) if of_thread and shown else (*said, *following)


class _Pager:
    """The links of a page. Those in an element with the name of a pager or beside a page number are in a pager."""

    def __init__(self, links: Sequence[Any]) -> None:
        self.links = [(link, rough_text(link)) for link in links]
        self._numbers = Counter(
            around for link, text in self.links if text.isdecimal() for around in islice(link.iterancestors(), _BESIDE)
        )

    def named_first(self, chosen: Callable[[Any, str, _Pager], bool]) -> list[str]:
        """Return the ``href`` of the chosen links, those in elements with the name of a pager first."""
        found = [link for link, text in self.links if chosen(link, text, self)]
        return [link.get("href") for link in sorted(found, key=lambda link: not _is_named(link))]

    def holds(self, link: Any) -> bool:
        """Return whether a link is in a pager or in a menu. In a menu, a sign may be an arrow to the next page."""
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
    """Return whether a link or one of its closest ancestors has the name of a pager."""
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
