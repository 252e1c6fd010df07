"""Columns: what stands at like places of a page and may be the titles of records, each with its address.

Candidates are links, the elements in them that hold text, and headings outside of links. Those with the same path make
up a column: with the tags of all elements around them, with their names as well (without digits), or with the names of
the nearest ones. A list whose records differ in names has the first as its column, one beside another list the second.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import methodcaller
from typing import Any

from scrapy_semtext.dom.element_text import is_read, shown_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import from_outside_in
from scrapy_semtext.utils.address import address_of, parsed, resolved
from scrapy_semtext.utils.remembering import remembered

_SHARED = -1
#: At most so many elements behind a record, up to the next, belong to it.
_MOST_BEHIND = 6
#: The share of records that is most of them.
_MOST = 0.6


class Extents:
    """The records around some titles, elements in page order. Time is linear in the elements around them.

    ``elements``: that of each record. ``height``: how many levels most records stand above their titles; those that
    could be higher, such as a lone record in a box, are not. ``alike``: the share of records of that height or more.
    """

    def __init__(self, titles: Sequence[Any]) -> None:
        chains = _chains(titles)
        self.height = _usual_height(chains)
        self.alike = sum(len(chain) > self.height for chain in chains) / len(titles)
        self.elements = [chain[min(len(chain) - 1, self.height)] for chain in chains]


def elements_of_records(titles: Sequence[Any], columns: Sequence[int]) -> list[list[Any]]:
    """The elements of the record of each title, given the number of the column that it is of; titles in page order.

    A record has one element and, where most records of its column have as many, those behind it up to the next.
    """
    chains = _chains(titles)
    records: list[list[Any]] = [[] for _ in titles]
    for column in sorted(set(columns)):
        places = [place for place, number in enumerate(columns) if number == column]
        height = _usual_height([chains[place] for place in places])
        elements = [chains[place][min(len(chains[place]) - 1, height)] for place in places]
        for place, element, behind in zip(places, elements, _behind_each(elements), strict=True):
            records[place] = [element, *behind]
    return records


def _usual_height(chains: Sequence[Sequence[Any]]) -> int:
    heights = Counter(map(len, chains))
    return max(heights, key=lambda height: (heights[height], height)) - 1


def _behind_each(elements: Sequence[Any]) -> list[list[Any]]:
    """The elements between each record and the next, if most have as many."""
    following = [_between(one, other) for one, other in pairwise(elements)]
    counted = Counter(len(between) for between in following if between is not None)
    common, times = counted.most_common(1)[0] if counted else (0, 0)
    if not common or times < _MOST * len(following):
        return [[] for _ in elements]
    return [
        between if between is not None and len(between) <= common else [*islice(element.itersiblings("*"), common)]
        for element, between in zip(elements, [*following, None], strict=True)
    ]


def _chains(titles: Sequence[Any]) -> list[list[Any]]:
    """For each title the elements around it that hold no other, from the inside out, itself first."""
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
        if not chain:  # a title that holds another, as a heading may hold links
            chain.append(titles[number])
    return chains


def _between(one: Any, other: Any) -> list[Any] | None:
    """The elements between two siblings; None if they are none, or stand too far apart."""
    behind = [*islice(one.itersiblings("*"), _MOST_BEHIND + 1)]
    return behind[: behind.index(other)] if other in behind else None


#: A column has at least so many members, of so many addresses.
LEAST = 3
#: The least share of distinct texts in a column.
_DISTINCT = 0.3
#: The share of changes from one to the other in two columns that stand in turns.
_IN_TURNS = 0.8
#: The longest title, in characters.
LONGEST = 300

# Levels of elements in a link that are looked at.
_DEPTH = 10
# Elements without titles of records.
_OUTSIDE = ("nav", "footer")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_DIGITS = re.compile(r"\d+")
# Names that tell a record from the others of its list.
_MODIFIER = re.compile(r"(?:^|[-_])(?:odd|even|first|last|active|selected|current|sponsored|promoted|featured|alt)$")


@dataclass(slots=True, eq=False)
class Member:
    """A candidate for a title; ``url`` is None for a heading, whose address is that of a link beside it.

    ``order`` numbers the candidates of the page in page order.
    """

    element: Any
    text: str
    url: str | None
    order: int


@dataclass(slots=True, eq=False)
class Column:
    """Candidates with the same path. ``level`` is 0 if only tags are compared, 1 with some names, 2 with all."""

    members: list[Member]
    level: int
    whole: int  # how many members the column of the same tags has


@dataclass(slots=True)
class _Paths:
    """Numbers for the paths of elements, equal for equal paths: of tags, of tags and near names, of tags and names."""

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
    """Return the columns of a page. Time is linear in the page."""
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
    """Absolute addresses of the links of a page, without fragments; each is computed once."""

    def __init__(self, base: str) -> None:
        """``base`` is what links are relative to."""
        self.base = base
        host = address_of(base).netloc
        self._origin = f"{base.partition(':')[0]}://{host}" if host and "://" in base else ""
        self._known: dict[str | None, str | None] = {}

    def __call__(self, href: str | None) -> str | None:
        """The address that a link leads to; None if that is no other page."""
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
            return self._origin + href  # urljoin takes ten times as long
        if (scheme := _SCHEME.match(href)) and scheme[1].lower() not in ("http", "https"):
            return None
        return resolved(href, self.base)


def stand_in_turns(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether the members of two columns, by their orders, stand in turns: they belong to the same records."""
    orders = sorted([(order, 0) for order in one] + [(order, 1) for order in other])
    changes = sum(first != second for (_, first), (_, second) in pairwise(orders))
    return changes > _IN_TURNS * min(len(one), len(other))


def _candidates(root: Any, addresses: Addresses) -> Iterator[tuple[Any, str, str | None]]:
    """Yield element, text and address of each candidate, in page order."""
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
    """Yield a link and the elements in it that hold a part of its text, each with its text; no parts of headings."""
    whole = shown_text(link)
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


def _is_column(members: list[Member]) -> bool:
    """Whether members are of several addresses, and their texts tell them apart."""
    urls = {member.url for member in members}
    texts = {member.text for member in members}
    return (len(urls) >= LEAST or None in urls) and len(texts) >= _DISTINCT * len(members)


@remembered(1 << 13)
def _steady_names(names: str) -> str:
    """The class names of an element without digits and modifiers, sorted."""
    if not names:
        return ""
    names = _DIGITS.sub("", names.lower())
    return " ".join(sorted({name for name in names.split() if not _MODIFIER.search(name)}))
