"""The true records of overview pages, by rule: links of the page whose text is a line of the page's true main text.

The rule looks at all links of a page, not at what `scrapy_semtext.records` takes for lists. It groups them by the tags
of all elements around them, and keeps the groups that are nearly all in the truth and whose texts differ: titles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom.element_text import shown_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import base_url, parse
from scrapy_semtext.records.columns import stand_in_turns
from scrapy_semtext.utils.address import address_of, resolved, without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.training.datasets import AnnotatedPage

#: A group of links is a list if so many addresses are in the truth, and this share of all of its links.
_LEAST, _MATCHED = 3, 0.75
#: The share of distinct texts in a list of titles, and the fewest words that they have on average.
_DISTINCT, _LEAST_WORDS = 0.8, 1.5
#: How many words a text needs to count as a title where it is only the beginning of a line, "Title - lead".
_BEGINNING = 4
#: The most words of a title, if a link holds a shorter text as well.
_LONGEST = 20
#: How many elements one goes up from a heading to find its only link.
_LEVELS = 4
#: The share of addresses of a list that have to be alike.
_ALIKE = 0.5
#: A list of other addresses is as much a main list from so many words a title on, and with this share of its titles.
_HEADLINE, _LARGE = 5, 0.3
_NO_TARGET = ("#", "javascript:", "mailto:", "tel:", "data:")
_OUTSIDE = frozenset(("nav", "footer"))
_WORDS, _DIGITS = re.compile(r"\w+"), re.compile(r"\d+")


class TrueRecord(NamedTuple):
    """A record as it is annotated: its title in words, see `words_of`, and its address without fragment."""

    title: str
    url: str


@dataclass(slots=True)
class _Link:
    order: int
    url: str
    texts: list[list[str]]  # of headings in the link; of the link and all else in it
    is_heading: bool
    names: str  # of the element around it, without digits
    title: str | None = None


def words_of(text: str) -> str:
    """The words of a text in lower case: what titles are compared by."""
    return " ".join(_WORDS.findall(text.casefold()))


def true_records(page: AnnotatedPage) -> list[TrueRecord]:
    """Return the records of an overview page in page order; none if the truth has no list of titles."""
    root = parse(page.html, page.url)
    lines = _Lines(page.text)
    groups: dict[tuple[str, ...], list[_Link]] = defaultdict(list)
    for order, (path, link) in enumerate(_links(root, base_url(root, page.url) or "")):
        link.order = order
        link.title = lines.title_of(link.texts)
        groups[path].append(link)
    lists = [found for path, links in groups.items() if _OUTSIDE.isdisjoint(path) for found in _lists_of(links)]
    records: dict[str, TrueRecord] = {}
    for link in sorted(_main_lists(_without_facts(lists)), key=lambda link: link.order):
        records.setdefault(link.url, TrueRecord(link.title or "", link.url))
    return [*records.values()]


def _lists_of(links: Sequence[_Link]) -> list[list[_Link]]:
    """The links of one path as a list of titles; if they are none, those of them with equal names around them."""
    if whole := _titles(links):
        return [whole]
    parts: dict[str, list[_Link]] = defaultdict(list)
    for link in links:
        parts[link.names].append(link)
    return [found for part in parts.values() if (found := _titles(part))]


class _Lines:
    """The lines of a true text, to be compared with the texts of links."""

    def __init__(self, text: str) -> None:
        lines = {words_of(line) for line in text.split("\n")} - {""}
        lines |= {re.sub(r"^\d+ ", "", line) for line in lines}
        self._lines = lines
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            self._beginnings[_beginning(line)].append(line)

    def title_of(self, texts: Sequence[Sequence[str]]) -> str | None:
        """The longest text that is a line, of the first of some groups of texts that has one; a lead is none."""
        for group in texts:
            found = [text for text in group if self.holds(text)]
            if short := [text for text in found if len(text.split()) <= _LONGEST]:
                return max(short, key=len)
            if found:
                return max(found, key=len)
        return None

    def holds(self, text: str) -> bool:
        """Whether a text, given by `words_of`, is a line or its beginning."""
        if text in self._lines or len(text.split()) < _BEGINNING:
            return text in self._lines and bool(text)
        return any(line.startswith(f"{text} ") for line in self._beginnings[_beginning(text)])


def _beginning(text: str) -> str:
    return " ".join(text.split()[:_BEGINNING])


def _links(root: Any, base: str) -> Iterator[tuple[tuple[str, ...], _Link]]:
    """Yield the links with an address, and headings outside of links that stand beside one address only."""
    for element in root.iter("a", *HEADING_LEVELS):
        holder = element
        if element.tag == "a":
            others = element.iter("a", "strong", "b", "span", "p", "div")
            texts = [[*map(_text, element.iter(*HEADING_LEVELS))], [*map(_text, others)]]
        elif next(element.iter("a"), None) is None and next(element.iterancestors("a"), None) is None:
            holder, texts = _only_link(element), [[_text(element)]]
        else:
            continue
        url = None if holder is None else _target(holder, base)
        if url:
            path = tuple(str(each.tag) for each in (element, *element.iterancestors()))
            yield path, _Link(0, url, texts, _is_heading(element), _names_around(element))


def _is_heading(link: Any) -> bool:
    return any(outer.tag in HEADING_LEVELS for outer in (link, *islice(link.iterancestors(), 2))) or (
        next(link.iter(*HEADING_LEVELS), None) is not None
    )


def _names_around(element: Any) -> str:
    outer = element.getparent()
    return "" if outer is None else " ".join(sorted(_DIGITS.sub("", outer.get("class") or "").split()))


def _only_link(heading: Any) -> Any | None:
    for level, outer in enumerate(heading.iterancestors()):
        links = {link.get("href"): link for link in outer.iter("a") if link.get("href")}
        if len(links) > 1 or level == _LEVELS:
            return None
        if links:
            return next(iter(links.values()))
    return None


def _target(link: Any, base: str) -> str | None:
    href = (link.get("href") or "").strip()
    if not href or href.lower().startswith(_NO_TARGET):
        return None
    found = resolved(href, base)
    return None if found is None else without_fragment(found)


def _text(element: Any) -> str:
    return words_of(shown_text(element))


def _titles(links: Sequence[_Link]) -> list[_Link]:
    """The links of a group that are titles in the truth, none if the group is not a list of titles."""
    found = [link for link in links if link.title]
    urls, titles = {link.url for link in found}, {link.title for link in found}
    if len(urls) < _LEAST or len(urls) < _MATCHED * len({link.url for link in links}):
        return []
    words = sum(len((link.title or "").split()) for link in found) / len(found)
    return found if len(titles) >= _DISTINCT * len(urls) and words >= _LEAST_WORDS else []


def _main_lists(lists: Sequence[list[_Link]]) -> Iterator[_Link]:
    """Yield the links of the list with most text, and of those that lead to like addresses or are much like it."""
    if not lists:
        return
    main = max(lists, key=lambda links: sum(len(link.title or "") for link in links))
    places = {_place(link.url) for link in main}
    for links in lists:
        alike = sum(_place(link.url) in places for link in links) >= _ALIKE * len(links)
        words = sum(len((link.title or "").split()) for link in links) / len(links)
        if alike or (words >= _HEADLINE and len(links) >= _LARGE * len(main)):
            yield from links


def _place(url: str) -> tuple[str, str]:
    """The host of an address and the first part of its path; numbers, as of a year, are all alike."""
    parts = address_of(url)
    path = parts.path.strip("/").split("/")
    return parts.netloc, _DIGITS.sub("0", path[0]) if len(path) > 1 else ""


def _without_facts(lists: Sequence[list[_Link]]) -> list[list[_Link]]:
    """The links of all lists but those that stand in turns with longer ones: authors, categories."""
    kept: list[list[_Link]] = []
    for links in sorted(lists, key=_weight, reverse=True):
        orders = [link.order for link in links]
        if not any(stand_in_turns(orders, [link.order for link in other]) for other in kept):
            kept.append(links)
    return kept


def _weight(links: Sequence[_Link]) -> tuple[bool, float]:
    """Headings before all else, then by mean length."""
    headings = sum(link.is_heading for link in links) > len(links) / 2
    return headings, sum(len(link.title or "") for link in links) / len(links)
