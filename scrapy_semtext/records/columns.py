"""Columns: groups of elements in similar positions that may be the titles of records, each with its URL.

Candidates are links, the elements in them that contain text, and headings outside links. Candidates with the same path
form a column. Paths consist of tags, of tags and the closest class names, or of tags and all class names. Tags group
records whose class names differ; class names separate lists with the same tags.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import methodcaller
from typing import Any

from scrapy_semtext.dom.element_text import is_read, shown_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import from_outside_in
from scrapy_semtext.qa.bylines import is_dated
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.utils.address import address_of, parsed, resolved
from scrapy_semtext.utils.remembering import remembered

_SHARED = -1
#: The maximum number of elements between two records that can belong to them.
_MOST_BEHIND = 6
#: The share of records that counts as most of them.
_MOST = 0.6
#: The number of pieces of text that are read for a date beside a title, and its maximum length in characters.
_PIECES, _SHORT = 12, 60


class Extents:
    """The elements of the records with the given titles (elements in page order). Takes linear time.

    ``elements``: the element of each record. ``height``: the most common number of
    levels from a title up to its record, and the most that are used. ``alike``: the share of records that reach it.
    """

    def __init__(self, titles: Sequence[Any]) -> None:
        chains = _chains(titles)
        self.height = _usual_height(chains)
        self.alike = sum(len(chain) > self.height for chain in chains) / len(titles)
        self.elements = [chain[min(len(chain) - 1, self.height)] for chain in chains]


def elements_of_records(titles: Sequence[Any], columns: Sequence[int]) -> list[list[Any]]:
    """Return the elements of the record of each title. Titles are in page order; ``columns`` numbers their columns.

    A record is one element and those beside it, if most records of its column have as many elements between them.
    """
    chains = _chains(titles)
    records: list[list[Any]] = [[] for _ in titles]
    for column in sorted(set(columns)):
        places = [place for place, number in enumerate(columns) if number == column]
        height = _usual_height([chains[place] for place in places])
        elements = [chains[place][min(len(chains[place]) - 1, height)] for place in places]
        for place, record in zip(places, _with_neighbors(elements), strict=True):
            records[place] = record
    return records


def _usual_height(chains: Sequence[Sequence[Any]]) -> int:
    heights = Counter(map(len, chains))
    return max(heights, key=lambda height: (heights[height], height)) - 1


def _with_neighbors(elements: Sequence[Any]) -> list[list[Any]]:
    """Return each record's element and those beside it, if as many are between most records.

    The edges of a list show which are before a title and which behind it: only those of the first record precede the
    list, and only those of the last one follow it.
    """
    gaps = [_between(one, other) for one, other in pairwise(elements)]
    counted = Counter(len(gap) for gap in gaps if gap is not None)
    common, times = counted.most_common(1)[0] if counted else (0, 0)
    if not common or times < _MOST * len(gaps):
        return [[element] for element in elements]
    kinds = [[*map(_kind, gap)] for gap in gaps if gap is not None and len(gap) == common]
    usual = [Counter(place).most_common(1)[0][0] for place in zip(*kinds, strict=True)]
    edges = [place for place, gap in enumerate([None, *gaps, None]) if gap is None]
    firsts = [[*map(_kind, _siblings(elements[edge], common, preceding=True))] for edge in edges[:-1]]
    lasts = [[*map(_kind, _siblings(elements[edge - 1], common))] for edge in edges[1:]]
    split = max(  # the number of elements behind a title; as many as possible
        range(common, -1, -1), key=lambda number: _fit(lasts, usual[:number]) + _fit(firsts, usual[number:][::-1])
    )
    records: list[list[Any]] = []
    for element, gap in zip(elements, [None, *gaps], strict=True):
        near = _siblings(element, common, preceding=True) if gap is None else gap[::-1]
        before = [one for one, kind in zip(near, usual[split:][::-1], strict=False) if _kind(one) == kind]
        if records:
            last = records[-1]
            last += _siblings(last[-1], split) if gap is None else gap[: min(split, len(gap) - len(before))]
        records.append([*before[::-1], element])
    return [*records[:-1], [*records[-1], *_siblings(elements[-1], split)]]


def _kind(element: Any) -> tuple[str, str, bool]:
    """Return what the same parts of different records have in common: tag, class names, whether it is a date."""
    text = one_line(" ".join(islice(element.itertext(), _PIECES)))
    return element.tag, _steady_names(element.get("class", "")), len(text) <= _SHORT and is_dated(text)


def _fit(edges: Iterable[Sequence[Any]], kinds: Sequence[Any]) -> int:
    return sum(one == other for edge in edges for one, other in zip(edge, kinds, strict=False))


def _siblings(element: Any, count: int, *, preceding: bool = False) -> list[Any]:
    """Return the elements behind an element, or before it, nearest first."""
    return [*islice(element.itersiblings("*", preceding=preceding), count)]


def _chains(titles: Sequence[Any]) -> list[list[Any]]:
    """Return, for each title, the title and its ancestors that contain no other title, innermost first."""
    owners: dict[Any, int] = {}
    chains: list[list[Any]] = [[] for _ in titles]
    for number, title in enumerate(titles):
        element = title
        while element is not None:
            owner = owners.get(element)
            if owner is None:
                owners[element] = number
                chains[number].append(element)
            elif owner == _SHARED:
                break
            else:
                owners[element] = _SHARED
            element = element.getparent()
    for number, chain in enumerate(chains):
        while chain and owners[chain[-1]] != number:
            chain.pop()
        if not chain:  # a title that contains another, such as a heading with links
            chain.append(titles[number])
    return chains


def _between(one: Any, other: Any) -> list[Any] | None:
    """Return the elements between two siblings, or None if they are not siblings or are too far apart."""
    behind = [*islice(one.itersiblings("*"), _MOST_BEHIND + 1)]
    return behind[: behind.index(other)] if other in behind else None


#: The minimum number of members of a column, and of distinct URLs in it.
LEAST = 3
#: The minimum share of distinct texts in a column.
_DISTINCT = 0.3
#: Two columns alternate if the number of changes between them is more than this share of the shorter column.
_IN_TURNS = 0.8
#: The maximum length of a title, in characters.
LONGEST = 300

# The maximum depth at which text is read inside a link.
_DEPTH = 10
# Elements that contain no titles of records.
_OUTSIDE = ("nav", "footer")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_DIGITS = re.compile(r"\d+")
# Class names that differ between the records of one list.
_MODIFIER = re.compile(r"(?:^|[-_])(?:odd|even|first|last|active|selected|current|sponsored|promoted|featured|alt)$")


@dataclass(slots=True, eq=False)
class Member:
    """A candidate for a title. ``url`` is None for a heading outside links until the URL of its record is found.

    ``order`` is the position among the candidates of the page.
    """

    element: Any
    text: str
    url: str | None
    order: int


@dataclass(slots=True, eq=False)
class Column:
    """Candidates with the same path: of tags (``level`` 0), also of the closest class names (1), or of all (2)."""

    members: list[Member]
    level: int
    whole: int  # the number of candidates with the same tags


@dataclass(slots=True)
class _Paths:
    """Numbers the paths of elements: by tags, by tags and the closest class names, by tags and all class names."""

    known: dict[Any, tuple[int, int]] = field(default_factory=dict)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def of(self, element: Any) -> tuple[int, int, int]:
        tags, names = from_outside_in(element, self.known, methodcaller("getparent"), self._within) or (-1, -1)
        outer = element.getparent()
        outside = "" if outer is None else outer.get("class", "")
        near = (tags, _steady_names(element.get("class", "")), _steady_names(outside))
        return tags, self._number(("near", *near)), names

    def _within(self, element: Any, outer: tuple[int, int] | None) -> tuple[int, int]:
        tags, names = outer or (-1, -1)
        return (
            self._number((tags, element.tag)),
            self._number((names, element.tag, _steady_names(element.get("class", "")))),
        )

    def _number(self, key: tuple[Any, ...]) -> int:
        return self.numbers.setdefault(key, len(self.numbers))


def columns_of(root: Any, addresses: Addresses) -> list[Column]:
    """Return the columns of a page, in linear time."""
    paths = _Paths()
    groups: tuple[dict[int, list[Member]], ...] = (defaultdict(list), defaultdict(list), defaultdict(list))
    keys: list[tuple[int, int, int]] = []  # by order
    for order, (element, text, url) in enumerate(_candidates(root, addresses)):
        member, found = Member(element, text, url, order), paths.of(element)
        keys.append(found)
        for group, key in zip(groups, found, strict=True):
            group[key].append(member)
    columns = []
    for level, group in enumerate(groups):
        for members in group.values():
            if len(members) < LEAST:
                continue
            of_first = zip(groups[:level], keys[members[0].order], strict=False)
            wider = [len(others[key]) for others, key in of_first]
            if len(members) not in wider and _is_column(members):
                columns.append(Column(members, level, wider[0] if wider else len(members)))
    return sorted(columns, key=lambda column: (column.members[0].order, column.level))


class Addresses:
    """The absolute URLs of the links of a page, without fragments. Each is computed once."""

    def __init__(self, base: str) -> None:
        """Resolve links relative to the URL ``base``."""
        self.base = base
        host = address_of(base).netloc
        self._origin = f"{base.partition(':')[0]}://{host}" if host and "://" in base else ""
        self._known: dict[str | None, str | None] = {}

    def __call__(self, href: str | None) -> str | None:
        """Return the URL that a link leads to, or None if it does not lead to another page."""
        if href not in self._known:
            self._known[href] = self._absolute(href)
        return self._known[href]

    def _absolute(self, href: str | None) -> str | None:
        href = (href or "").strip().partition("#")[0]
        if not href or ((not href.isascii() or "[" in href or "]" in href) and parsed(href) is None):
            return None
        if href.startswith(("http://", "https://")):
            return href
        if self._origin and href[0] == "/" and not href.startswith(("//", "/.")):
            return self._origin + href  # ten times as fast as urljoin
        if (scheme := _SCHEME.match(href)) and scheme[1].lower() not in ("http", "https"):
            return None
        return resolved(href, self.base)


def stand_in_turns(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether the members of two columns, given their orders, alternate: they belong to the same records."""
    orders = sorted([(order, 0) for order in one] + [(order, 1) for order in other])
    changes = sum(first != second for (_, first), (_, second) in pairwise(orders))
    return changes > _IN_TURNS * min(len(one), len(other))


def _candidates(root: Any, addresses: Addresses) -> Iterator[tuple[Any, str, str | None]]:
    """Yield the element, text and URL of each candidate, in page order."""
    link, url = None, None
    tags = ("a", *HEADING_LEVELS)
    skipped = {element for outer in root.iter(*_OUTSIDE) for element in outer.iter(*tags)}
    for element in root.iter(*tags):
        if element in skipped:
            continue
        if element.tag == "a":
            link, url = element, addresses(element.get("href"))
            if url is not None:
                yield from ((inner, text, url) for inner, text in _texts_in(element))
        elif (link is None or link not in element.iterancestors()) and next(element.iter("a"), None) is None:
            text = shown_text(element)
            if 0 < len(text) <= LONGEST:
                yield element, text, None


def _texts_in(link: Any) -> Iterator[tuple[Any, str]]:
    """Yield a link and the elements in it that contain a part of its text, with their texts. Headings are not split."""
    whole = shown_text(link) or _label(link)
    if not whole:
        return
    if len(whole) <= LONGEST:
        yield link, whole
    if not len(link):
        return
    held = [(link, whole, 0)]
    while held:
        outer, text_around, depth = held.pop()
        inner = [(child, shown_text(child)) for child in outer if is_read(child) and child.tag != "a"]
        for child, text in inner:
            if text and text != text_around and len(text) <= LONGEST:
                yield child, text
        if depth < _DEPTH:
            held += [
                (child, text, depth + 1)
                for child, text in reversed(inner)
                if len(child) and text and child.tag not in HEADING_LEVELS
            ]


def _label(link: Any) -> str:
    """Return the label of an empty link that covers a record, if the record shows it as a text of its own."""
    label = "" if len(link) else one_line(link.get("aria-label") or link.get("title"))
    outer = link.getparent()
    is_shown = label and outer is not None and label in map(one_line, islice(outer.itertext(), _PIECES))
    return label if is_shown else ""


def _is_column(members: list[Member]) -> bool:
    """Return whether the members have several URLs and enough distinct texts."""
    urls = {member.url for member in members}
    texts = {member.text for member in members}
    return (len(urls) >= LEAST or None in urls) and len(texts) >= _DISTINCT * len(members)


@remembered(1 << 13)
def _steady_names(names: str) -> str:
    """Return the class names of an element, sorted, without digits and modifiers."""
    if not names:
        return ""
    names = _DIGITS.sub("", names.lower())
    return " ".join(sorted({name for name in names.split() if not _MODIFIER.search(name)}))
