"""A page's own title, without the name of its site.

Three places name a page: ``<h1>``, ``og:title`` and ``<title>``; the last two often with the site's name behind or
before. Where a heading says the same as one of the others, that heading is the title. Otherwise the others are cut at
their separators where one side is known to be the site's name, that of another page (a board of a forum), or no name.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from scrapy_semtext.dom.element_text import unscripted_text
from scrapy_semtext.dom.elements import elements_of
from scrapy_semtext.qa.page_number import without_page_number
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.text.tokens import lower_tokens
from scrapy_semtext.utils.address import without_www

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

    from scrapy_semtext.dom.elements import Naming

# What stands between a page's title and its site's name, with space around it where it could be part of a word.
_SEPARATOR = re.compile(r"\s+(?:[|·•»«›‹~/:–—-]|::)\s+|\s*[|»]\s+|\s*｜\s*")
# Parts of titles that name nothing; and those behind which the title of a thread stands.
_NO_NAME = re.compile(
    r"powered by .*|forums?|index|(?:page|seite|página|pagina|страница) \d+(?: \w+ \d+)?", re.IGNORECASE
)
_ANNOUNCING = re.compile(
    r"(?:view|show|read)(?:ing)? (?:topic|thread|message|post)|thema anzeigen|voir le sujet|ver tema|просмотр темы",
    re.IGNORECASE,
)
_SITE_WORDS = frozenset("forum forums community board boards blog wiki documentation docs".split())
_MARK = "\0"  # in place of separators
_PART = re.compile(rf"[^{_MARK}]+")
_LEADING = re.compile(r"[|·•»«›‹~/:–—-]\s*$")
# The link to itself that documentation puts behind a heading.
_PERMALINK = re.compile(r" ?¶$|(?:^| )#$")
_HOST = re.compile(r"https?://([^/:?#@]+)", re.IGNORECASE)

# What is read of the head, and the address that the page is to be read at.
_READ = frozenset(("title", "og:title", "og:site_name", "application-name", "canonical", "og:url", "base"))

# Longer values of the head are cut, in characters.
_LONGEST = 1000
_MOST_HEADINGS = 20

# How alike (word F1) a heading and the title are if one of them can be left out.
_SAME = 0.6

#: How alike (word F1) a heading and another naming of the page are when they are taken to say the same.
ALIKE = 0.3


def title_of(root: etree._Element, naming: Sequence[Naming] | None = None) -> str | None:
    """Return the page's title with white space collapsed, or None if the page names itself nowhere.

    ``naming`` are the elements of the page that name it, if they have been looked for.
    """
    naming = elements_of(root, None).naming if naming is None else naming
    head = _Head(root.base or "", naming)
    headings = _headings(naming)
    sites = head.site_names()
    sites |= _site_parts(head.names, headings, sites)
    cut = [_without_site(name, sites) for name in head.names]
    headings = [heading for heading in headings if _squeezed(heading) not in sites]
    agreed = _agreed(headings, [*cut, *head.names])
    if agreed is None and cut:
        return _without_places(cut[0], sites, root)
    return agreed or next(iter(headings), None)


def same_title(heading: str, title: str) -> bool:
    """Whether a heading says the same as the title of its page, but for case, punctuation and few words.

    So does a heading that is the title up to a separator, behind which the title may still name the site.
    """
    squeezed = _squeezed(heading)
    if not squeezed:
        return False
    begin = _SEPARATOR.split(title, maxsplit=1)[0]
    return squeezed in (_squeezed(title), _squeezed(begin)) or _likeness(_words(heading), _words(title)) >= _SAME


def _agreed(headings: list[str], names: list[str]) -> str | None:
    """The heading that is most like one of the names, if it is at all."""
    best, best_likeness = None, ALIKE
    named = [_words(name) for name in names]
    for heading in headings:
        words = _words(heading)
        likeness = max((_likeness(words, name) for name in named), default=0.0)
        if likeness > best_likeness:
            best, best_likeness = heading, likeness
    return best


def _site_parts(names: list[str], headings: list[str], sites: set[str]) -> set[str]:
    """Parts of the names that can only be the site's: what one name has more than the other, or the site's heading."""
    parts: set[str] = set()
    shown = {_squeezed(heading) for heading in headings}
    for name in names:
        pieces = _SEPARATOR.split(name)
        squeezed = [_squeezed(part) for part in pieces]
        if len(squeezed) > 1 and squeezed[-1] in shown and sites.isdisjoint(squeezed):
            # If no heading says what stands before it, the last part may be the title, behind the site's name.
            last = _words(pieces[-1])
            is_site = not shown.isdisjoint(squeezed[:-1]) or not last.isdisjoint(_SITE_WORDS)
            if is_site or len(last) <= len(_words(name)) / 2:
                parts.add(squeezed[-1])
        for other in names:
            if name.startswith(other) and _SEPARATOR.match(name, len(other)):
                parts.add(_squeezed(name[len(other) :]))
            elif name.endswith(other) and _LEADING.search(name[: -len(other)]):
                parts.add(_squeezed(name[: -len(other)]))
    return parts - {""}


def _without_site(name: str, sites: set[str]) -> str:
    """Cut the site's name off either end."""
    cuts = list(_SEPARATOR.finditer(name))
    for cut in cuts:
        if _squeezed(name[cut.end() :]) in sites:
            return name[: cut.start()]
    for cut in reversed(cuts):
        if _squeezed(name[: cut.start()]) in sites:
            return name[cut.end() :]
    return name.rpartition(" | ")[0] or name  # what stands behind a bar is the site's by convention


def _without_places(name: str, sites: set[str], root: etree._Element) -> str:
    """Cut off either end of a name what is the site's or no name, then what links on the page are called.

    Links lead to boards and sections; but a thread may link to itself, so the longest part stays.
    """
    parts = [part.span() for part in _PART.finditer(_SEPARATOR.sub(_marked, name))]
    texts = [name[slice(*part)] for part in parts]
    announced = [place for place, text in enumerate(texts[:-1], 1) if _ANNOUNCING.fullmatch(text)]
    parts = parts[announced[-1] :] if announced else parts
    parts = _stripped(parts, [_is_no_name(name[slice(*part)], sites) for part in parts])
    if len(parts) > 1:
        longest = max(end - begin for begin, end in parts)
        linked = {_squeezed(text) for text in map(_text, root.iter("a")) if len(text) < longest}
        parts = _stripped(parts, [_squeezed(name[slice(*part)]) in linked for part in parts])
    return name[parts[0][0] : parts[-1][1]]


def _is_no_name(part: str, sites: set[str]) -> bool:
    return _NO_NAME.fullmatch(part) is not None or _squeezed(part) in sites


def _stripped(parts: list[tuple[int, int]], flags: list[bool]) -> list[tuple[int, int]]:
    """Parts without those that are flagged at either end; all of them if all are flagged."""
    if all(flags):
        return parts
    return parts[flags.index(False) : len(flags) - flags[::-1].index(False)]


def _marked(separator: re.Match[str]) -> str:
    """As many marks as a separator has characters."""
    return _MARK * len(separator[0])


class _Head:
    """What the elements of the head say about the page and its site."""

    def __init__(self, address: str, naming: Sequence[Naming]) -> None:
        self._values: dict[str, str] = {"base": address}
        for element, tag, key, _ in naming:
            if key in _READ and (value := _value(element, tag)):
                self._values.setdefault(key, one_line(value)[:_LONGEST])
        #: og:title and <title>, as far as there are any, without "Page 3".
        names = map(self._values.get, ("og:title", "title"))
        self.names = [without_page_number(name) or name for name in names if name]

    def site_names(self) -> set[str]:
        """The names of the site that the page gives away, squeezed: og:site_name, and the labels of its host."""
        names = [self._values.get("og:site_name"), self._values.get("application-name")]
        address = self._values["base"] or self._values.get("canonical") or self._values.get("og:url") or ""
        if match := _HOST.match(address):
            host = without_www(match[1])
            names += [match[1], host, *host.split(".")[:-1]]
        return {_squeezed(name) for name in names if name} - {""}


def _value(element: etree._Element, tag: str) -> str | None:
    name = {"meta": "content", "link": "href"}.get(tag)
    return element.get(name) if name else element.text


def _headings(naming: Sequence[Naming]) -> list[str]:
    headings = (element for element, tag, *_ in naming if tag == "h1")
    texts = map(_text, islice(headings, _MOST_HEADINGS))
    return [text for text in texts if text and len(text) <= 200]


def _text(heading: etree._Element) -> str:
    return _PERMALINK.sub("", unscripted_text(heading))


def _likeness(first: set[str], second: set[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _words(text: str) -> set[str]:
    return set(lower_tokens(text))


def _squeezed(text: str) -> str:
    return "".join(lower_tokens(text))
