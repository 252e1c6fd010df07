"""Write page sets with the records of their overviews, found by the lines of the true text of each page.

    python -m research.true_records OUT.jsonl.xz DATA... --pages research/notes/record-pages.txt

Records whose title and URL a page set states stay as they are. If it only states their cells, nearly the same number
must be found. Pages without records are left out.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import defaultdict
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.read.lists import do_alternate
from scrapy_semtext.train.datasets import read_measured
from scrapy_semtext.train.records import TrueRecord, title_words
from scrapy_semtext.tree.elements import shown_text
from scrapy_semtext.tree.parsing import base_url, parse
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of, resolved, without_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.train.datasets import AnnotatedPage


#: The minimum number of URLs of a list of titles that are in the truth, and their minimum share of its URLs.
_LEAST, _MATCHED = 3, 0.75
#: The minimum share of distinct texts in a list of titles, and the minimum mean number of words.
_DISTINCT, _LEAST_WORDS = 0.8, 1.5
#: The minimum number of words of a title that is only the beginning of a line ("Title - lead").
_BEGINNING = 4
#: The maximum number of words of a title, if the link also has a shorter text.
_LONGEST = 20
#: The number of ancestors of a heading that are searched for its only link.
_LEVELS = 4
#: The share of URLs of a list that must be similar to those of the main list.
_ALIKE = 0.5
#: The words per title, and the share of the main list's length, that make a list with other URLs a main list.
_HEADLINE, _LARGE = 5, 0.3
#: The permitted ratio of records found in the true text to records stated by the page set.
_AS_MANY = (0.8, 1.25)
_NO_TARGET = ("#", "javascript:", "mailto:", "tel:", "data:")
_OUTSIDE = frozenset(("nav", "footer"))
_DIGITS = re.compile(r"\d+")
#: The page types of overviews.
_OVERVIEW_TYPES = ("listing", "collection")


@dataclass(slots=True)
class _Link:
    order: int
    url: str
    texts: list[list[str]]  # those of headings in the link; those of the link and other elements in it
    is_heading: bool
    names: str  # the class names of its parent, without digits
    title: str | None = None


def records_of_lines(page: AnnotatedPage) -> list[TrueRecord]:
    """Return the records of a page in page order: the titles among its links that are lines of its true text."""
    root = parse(page.html, page.url)
    lines = _RecordLines(page.text)
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
    """Return the links of a path if they are a list of titles, otherwise the lists among those with equal names."""
    if whole := _titles(links):
        return [whole]
    parts: dict[str, list[_Link]] = defaultdict(list)
    for link in links:
        parts[link.names].append(link)
    return [found for part in parts.values() if (found := _titles(part))]


class _RecordLines:
    """The lines of a true text, with which the texts of links are compared."""

    def __init__(self, text: str) -> None:
        lines = {title_words(line) for line in text.split("\n")} - {""}
        lines |= {re.sub(r"^\d+ ", "", line) for line in lines}
        self._lines = lines
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            self._beginnings[_beginning(line)].append(line)

    def title_of(self, texts: Sequence[Sequence[str]]) -> str | None:
        """Return the longest text that is a line, from the first group that has one, preferably not a lead."""
        for group in texts:
            found = [text for text in group if self.holds(text)]
            if short := [text for text in found if len(text.split()) <= _LONGEST]:
                return max(short, key=len)
            if found:
                return max(found, key=len)
        return None

    def holds(self, text: str) -> bool:
        """Return whether a text, in the form of `title_words`, is a line or the beginning of one."""
        if text in self._lines or len(text.split()) < _BEGINNING:
            return text in self._lines and bool(text)
        return any(line.startswith(f"{text} ") for line in self._beginnings[_beginning(text)])


def _beginning(text: str) -> str:
    return " ".join(text.split()[:_BEGINNING])


def _links(root: Any, base: str) -> Iterator[tuple[tuple[str, ...], _Link]]:
    """Yield the links with a URL, and headings outside links that have only one URL beside them."""
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
    return title_words(shown_text(element))


def _titles(links: Sequence[_Link]) -> list[_Link]:
    """Return the links of a group that are titles in the truth. Empty if the group is not a list of titles."""
    found = [link for link in links if link.title]
    urls, titles = {link.url for link in found}, {link.title for link in found}
    if len(urls) < _LEAST or len(urls) < _MATCHED * len({link.url for link in links}):
        return []
    words = sum(len((link.title or "").split()) for link in found) / len(found)
    return found if len(titles) >= _DISTINCT * len(urls) and words >= _LEAST_WORDS else []


def _main_lists(lists: Sequence[list[_Link]]) -> Iterator[_Link]:
    """Yield the links of the list with the most text, and of lists with similar URLs or many long titles."""
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
    """Return the host of a URL and the first part of its path. Numbers, such as years, count as equal."""
    parts = address_of(url)
    path = parts.path.strip("/").split("/")
    return parts.netloc, _DIGITS.sub("0", path[0]) if len(path) > 1 else ""


def _without_facts(lists: Sequence[list[_Link]]) -> list[list[_Link]]:
    """Drop lists that alternate with lists of headings or of longer titles, such as authors and categories."""
    kept: list[list[_Link]] = []
    for links in sorted(lists, key=_weight, reverse=True):
        orders = [link.order for link in links]
        if not any(do_alternate(orders, [link.order for link in other]) for other in kept):
            kept.append(links)
    return kept


def _weight(links: Sequence[_Link]) -> tuple[bool, float]:
    """Sort lists of headings last, then by the mean length of titles."""
    headings = sum(link.is_heading for link in links) > len(links) / 2
    return headings, sum(len(link.title or "") for link in links) / len(links)


def with_records(page: AnnotatedPage, ids: frozenset[str]) -> dict[str, Any] | None:
    """Return the row of a page with its records; None for pages without, and for overviews not in ``ids``."""
    stated = page.extra.get("records") or []
    if not (stated and isinstance(stated[0], dict)):
        if not stated and not (page.page_type in _OVERVIEW_TYPES and page.id in ids):
            return None
        found = records_of_lines(page)
        low, high = (share * len(stated) for share in _AS_MANY)
        if not found or (stated and not low <= len(found) <= high):
            return None
        stated = [record._asdict() for record in found]
    row = asdict(page)
    del row["domain"]
    return {**row, "extra": {**page.extra, "records": stated}}


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("out", type=Path, help="the file of JSON lines to write, .xz")
    parser.add_argument("data", type=Path, nargs="+", help="the page sets")
    parser.add_argument("--pages", type=Path, required=True, help="ids of the overviews, one or more a line")
    arguments = parser.parse_args()
    lines = arguments.pages.read_text(encoding="utf-8").splitlines()
    ids = frozenset(" ".join(line for line in lines if not line.startswith("#")).split())
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=2) as out:
        for page in read_measured(arguments.data):
            if row := with_records(page, ids):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
