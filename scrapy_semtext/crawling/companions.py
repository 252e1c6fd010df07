"""Companion pages: pages that a site has for each of its items, at a URL derived from the URL of the item.

Examples are discussions, histories, feeds, reply forms and print views. An item links to its own companion but rarely
to those of other items, which distinguishes companions from pages that share part of a URL by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from scrapy_semtext.crawling.addresses import address_key, may_follow
from scrapy_semtext.qa.page_number import number_in_address
from scrapy_semtext.utils.address import address_of, host_of, parsed
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_semtext.crawling.links import PageLink

_NAME = "{}"  # in a template, the name of the item
#: The number of items that have to link to their companion before its template counts, and the number if it is below.
_LEAST, _LEAST_BELOW = 3, 6
_MOST_MISSES = 0.25  # pages that contradict a template, as a share of those that support it
_FAMILY = 2  # templates that share a word before a colon; all URLs with this word are then companions
_MOST_TEMPLATES = 200  # of a host
_LONGEST = 300  # characters of a template

_DIGITS = re.compile(r"\d+")
_ENDING = re.compile(r"\.[a-z]{2,5}$")
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_WORD = re.compile(r"([^\W\d_]\w{1,30}):.")


class _AddressPart(NamedTuple):
    """A part of a URL: a segment of its path, or the value of a key of its query."""

    text: str
    key: str | None = None


@dataclass(slots=True)
class Template:
    """The evidence about URLs with the name of an item in one place: pages that support or contradict companions there.

    ``names`` are the first items that supported them; ``is_below`` says whether the URLs begin with the item's URL.
    """

    hits: int = 0
    misses: int = 0
    names: list[str] = field(default_factory=list)
    is_below: bool = False

    @property
    def is_companion(self) -> bool:
        """Whether the URLs are companion pages."""
        least = _LEAST_BELOW if self.is_below else _LEAST
        return len(self.names) >= _LEAST and self.hits >= least and self.misses <= _MOST_MISSES * self.hits


@dataclass(slots=True)
class Companions:
    """The companions of the items of one host, learnt from the links of these items."""

    templates: dict[str, Template] = field(default_factory=dict)
    _families: set[str] | None = None

    def learn(self, url: str, links: Iterable[PageLink]) -> None:
        """Learn from the links of an item; ``url`` is its URL."""
        names, host, key = _names(url), host_of(url), address_key(url)
        own = {template for template, _ in _templates(url)}
        values = {place.text for place in _places(url) if place.key is not None} or names
        found: dict[str, tuple[str, bool]] = {}  # the templates that the page supports
        against = {template for template in own & self.templates.keys() if self.templates[template].is_below}
        for link in links:
            if host_of(link.url) != host or address_key(link.url) == key:
                continue
            is_content = link.position in ("record", "text", "next")
            for template, name in _templates(link.url):
                if name not in names or is_content or not _may_accompany(url, link.url):
                    against.add(template)
                elif template not in own and not _has_any(template, values):
                    found[template] = name, _is_below(url, link.url)
        for template in against & self.templates.keys():
            self.templates[template].misses += 1
        for template, (name, is_below) in found.items():
            self._speak_for(template, name, is_below=is_below)
        self._families = None

    def holds(self, url: str) -> bool:
        """Return whether a URL is a companion page."""
        if any(template in self.templates and self.templates[template].is_companion for template, _ in _templates(url)):
            return True
        return not self.families.isdisjoint(_words(url))

    @property
    def families(self) -> set[str]:
        """The words before a colon that several templates share: prefixes of pages about the site or its items."""
        if self._families is None:
            words = (word for each, found in self.templates.items() if found.is_companion for word in _words_of(each))
            self._families = {word for word, count in Counter(words).items() if count >= _FAMILY}
        return self._families

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        return {name: [each.hits, each.misses, each.names, each.is_below] for name, each in self.templates.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Companions:
        """Restore the state from the result of `to_dict`."""
        return cls({name: Template(*each) for name, each in values.items()})

    def _speak_for(self, template: str, name: str, *, is_below: bool) -> None:
        if template not in self.templates:
            if len(self.templates) >= _MOST_TEMPLATES:
                self._forget()
            self.templates[template] = Template(is_below=is_below)
        found = self.templates[template]
        found.hits += 1
        if name not in found.names and len(found.names) < _LEAST:
            found.names.append(name)

    def _forget(self) -> None:
        """Forget the templates that the fewest items support, the older ones first."""
        rare = sorted(self.templates, key=lambda each: self.templates[each].hits)
        for template in rare[: _MOST_TEMPLATES // 10]:
            del self.templates[template]


def _places(url: str) -> list[_AddressPart]:
    parts = parsed(url)
    if parts is None:
        return []
    path = [_AddressPart(unquote(segment)) for segment in parts.path.strip("/").split("/")]
    query = sorted(parse_qsl(parts.query, keep_blank_values=True))
    return [*path, *(_AddressPart(value, key) for key, value in query)]


@remembered(4096)  # most links are on each page of a site
def _templates(url: str) -> tuple[tuple[str, str], ...]:
    """Return the templates that a URL may match, each with the name that the URL has in it."""
    places = _places(url)
    shown = [_shown(place, _DIGITS.sub("#", place.text)) for place in places]
    found = []
    for number, place in enumerate(places):
        for before, name, behind in _cuts(place):
            part = _shown(place, f"{_DIGITS.sub('#', before)}{_NAME}{behind}")
            template = "/".join([*shown[:number], part, *shown[number + 1 :]])
            if name and len(template) <= _LONGEST:
                found.append((template, name))
    return tuple(found)


def _shown(place: _AddressPart, text: str) -> str:
    return text if place.key is None else f"?{place.key}={text}"


def _cuts(place: _AddressPart) -> Iterator[tuple[str, str, str]]:
    """Yield the text before a name, the name and the text after it; the name is the whole part or follows a colon."""
    before, text = "", place.text
    if place.key is not None and "/" in text:  # a URL in a query
        folders, _, text = text.rstrip("/").rpartition("/")
        before = f"{'/' if folders else ''}"
    ending = _ENDING.search(text)
    behind = ending[0] if ending else ""
    text = text.removesuffix(behind)
    yield before, text, behind
    word, colon, rest = text.partition(":")
    if colon:
        yield f"{before}{word}:", rest, behind


def _names(url: str) -> set[str]:
    """The names of an item in its URL: the last part of the path, a number beside it, and the values of the query."""
    places = _places(url)
    path = [_ENDING.sub("", place.text) for place in places if place.key is None]
    names = {place.text for place in places if place.key is not None} | {*path[-1:]}
    if len({name.isdecimal() for name in path[-2:]}) == 2:
        names.update(path[-2:])
    return {name for name in names if len(name) > 1 or name.isdecimal()}


def _has_any(template: str, names: set[str]) -> bool:
    """Whether a template contains a name of the item elsewhere, so that it would match no other item."""
    return any(part.rpartition("=")[2] in names for part in template.split("/"))


def _may_accompany(url: str, other: str) -> bool:
    """Whether ``other`` is neither a later page of an item nor the item itself, shortened or in another language."""
    if number_in_address(other) is not None or may_follow(url, other) or _is_below(other, url):
        return False
    own, places = Counter(_places(url)), Counter(_places(other))
    added = [*(places - own)]
    if any(_LANGUAGE.fullmatch(place.text) for place in added):
        return False
    is_path = all(place.key is None for place in (*own, *places))
    is_swap = is_path and own.total() == places.total() and len(added) == 1 and _last(url) == _last(other)
    return not (is_swap and ":" not in added[0].text)


def _last(url: str) -> str:
    return address_of(url).path.rstrip("/").rpartition("/")[2]


def _is_below(url: str, other: str) -> bool:
    one, two = address_of(url), address_of(other)
    return not one.query and not two.query and two.path.startswith(f"{one.path.rstrip('/')}/")


def _words(url: str) -> Iterator[str]:
    """Yield the words before a colon at the beginning of parts of a URL."""
    return (found[1] for place in _places(url) if (found := _WORD.match(place.text)))


def _words_of(template: str) -> Iterator[str]:
    """Yield the words before a colon in a template, except one directly before the name of an item."""
    for part in template.split("/"):
        found = _WORD.match(part.rpartition("=")[2])
        if found and _NAME not in part:
            yield found[1]
