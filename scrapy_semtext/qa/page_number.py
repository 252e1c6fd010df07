"""The number of a page within its thread, as far as the page or its URL states it."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import resolved, without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Patterns of page numbers in URLs, each with the highest number that the first page may have.
_IN_ADDRESS = (
    (
        re.compile(
            r"[?&;](?:page|pg|seite|sivu)=(\d+)|/(?:page|seite|sivu)[-/]?(\d+)(?=[/?#.]|$)"
            r"|[-_](?:page|seite|sivu)[-_]?(\d+)",
            re.IGNORECASE,
        ),
        1,
    ),
    (re.compile(r"[?&;](?:start|offset|st)=(\d+)", re.IGNORECASE), 0),
)
# The number of digits that are read for comparisons; a URL may have thousands.
_DIGITS = 9
_LONGEST = 60  # maximum length in characters of a text that states the page number
_OF = r"(?:of|out of|von|sur|de|di|van|av|из|/|／|z)"
_PAGE = r"(?:page|pg\.?|seite|página|pagina|strona|sida|sivu|страница|стр\.?)"
# At the end of a title: "- Page 3", "(page 3 of 12)".
_IN_TITLE = re.compile(
    rf"(?<![\s|,(·–—-])[\s|,(·–—-]+{_PAGE} ?(\d{{1,5}})(?: {_OF} \d+)?\)?(?=$|\s*[|·–—-])", re.IGNORECASE
)
_STATED = re.compile(rf"\W*{_PAGE} *:? *(\d{{1,5}}) *{_OF} *(\d{{1,5}})(?!\d).*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w#.,:/-])\d{1,5}(?![\w.,:/-])")
_CURRENT = re.compile(r"(?:^|[\s_-])(?:current|active|selected|on|this|cur)(?:$|[\s_-])|(?:current|selected)[-_]?page")
_AROUND = 3  # ancestors of a link to another page that may be its pager
_MOST_TEXT, _MOST_ELEMENTS = 400, 200  # maximum number of characters and of elements in a pager
_LETTERS, _MOST_WORDS = re.compile(r"[^\W\d_]+"), 3  # words beside the number of the current page, as "Go to page 1"


class PageNumber(NamedTuple):
    """Evidence of the page's number within a thread; numbers are None if there is no evidence.

    ``address``: whether the URL is that of a later page; ``stated``: the number in "Page 3 of 12" or at the end of the
    title; ``current``: the entry of a pager that is not a link; ``previous``: whether a previous page is linked as such
    with a URL that differs only by page number, or with any URL; ``following``: whether a next page is linked as such.
    """

    address: bool
    stated: int | None
    current: int | None
    previous_page: bool
    previous: bool
    following: bool

    @property
    def is_later(self) -> bool:
        """Whether this is not the first page."""
        known = [number for number in (self.stated, self.current) if number is not None]
        return self.address or self.previous_page or (bool(known) and min(known) > 1)


def page_number_of(root: Any, url: str | None, texts: Sequence[str]) -> PageNumber:
    """Collect the evidence for the number of a page; ``texts`` are its blocks' texts. Time is linear in the page."""
    rels: dict[str, str] = {}
    for link in root.iter("a", "link"):
        for relation in (link.get("rel") or "").lower().split():
            rels.setdefault(relation, link.get("href") or "")
    previous = rels.get("prev") or rels.get("previous")
    return PageNumber(
        is_later_address(url),
        _stated(root, texts),
        current_page(root.iter("a")),
        bool(previous and url and same_but_for_page(previous, url)),
        bool(previous),
        bool(rels.get("next")),
    )


def is_later_address(url: str | None) -> bool:
    """Return whether a URL contains the number of a later page, or of a post after the first."""
    return any(
        int(next(filter(None, found.groups()))[:_DIGITS]) > least
        for pattern, least in _IN_ADDRESS
        for found in pattern.finditer(url or "")
    )


def number_in_address(url: str) -> int | None:
    """Return the number of a page, or of its first post, in a URL; None if there is none."""
    for pattern, _ in _IN_ADDRESS:
        if (found := pattern.search(url)) is not None:
            return int(next(filter(None, found.groups()))[:_DIGITS])
    return None


def without_page_in_address(url: str) -> str:
    """Return a URL without the page number."""
    for pattern, _ in _IN_ADDRESS:
        url = pattern.sub("", url, count=1)
    return url


def without_page_number(title: str) -> str:
    """Return a title without the page number at its end."""
    return _IN_TITLE.sub("", title)


def same_but_for_page(one: str, other: str) -> bool:
    """Return whether two URLs, the first of which may be relative, differ only by the page number.

    A "prev" link may also lead to the previous thread instead of the previous page.
    """
    found = resolved(one, other)
    return found is not None and _without_page(found) == _without_page(other)


def _without_page(url: str) -> str:
    for pattern, _ in _IN_ADDRESS:
        url = pattern.sub("", url)
    return without_fragment(url).rstrip("/?&").partition("://")[2]


def _stated(root: Any, texts: Sequence[str]) -> int | None:
    title = root.find(".//title")
    if title is not None and (found := _IN_TITLE.search(title.text or "")):
        return int(found[1])
    for text in texts:
        if len(text) <= _LONGEST and (found := _STATED.fullmatch(text)) and int(found[1]) <= int(found[2]):
            return int(found[1])
    return None


def current_page(links: Iterable[Any]) -> int | None:
    """Return the number in a pager that is not a link, or whose element is named as current; None without any."""
    pagers: dict[Any, list[tuple[Any, int]]] = defaultdict(list)
    for link in links:
        if (text := (link.text or "").strip()).isdecimal() and len(text) <= 5 and link.get("href"):
            for around in islice(link.iterancestors(), _AROUND):
                pagers[around].append((link, int(text)))
    for pager, entries in pagers.items():
        linked = {number for _, number in entries}
        for link, number in entries:
            if len(entries) > 1 and (link.get("aria-current") or _is_current(link) or _is_current(link.getparent())):
                return number
        unlinked = _unlinked(pager, {link for link, _ in entries})
        found = {number for number in unlinked if number - 1 in linked or number + 1 in linked}
        if len(found) == 1:
            return found.pop()
    return None


def _is_current(element: Any) -> bool:
    return _CURRENT.search((element.get("class") or "").lower()) is not None


def _unlinked(pager: Any, links: set[Any]) -> Iterator[int]:
    """Yield the numbers in an element's text outside its links; nothing if the element is too large for a pager.

    The number at the end of a title, or in a sentence, is not a page number.
    """
    left = _MOST_TEXT
    for element in islice(pager.iter(), _MOST_ELEMENTS):
        is_other = element in links or element.tag in HEADING_LEVELS or not isinstance(element.tag, str)
        inside = "" if is_other else element.text or ""
        behind = "" if element is pager else element.tail or ""
        for text in (inside, behind):
            left -= len(text)
            if left < 0:
                return
            if len(_LETTERS.findall(text)) <= _MOST_WORDS:
                yield from (int(found[0]) for found in _NUMBER.finditer(text))
