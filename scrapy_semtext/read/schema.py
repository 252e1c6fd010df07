"""The schema.org items of a page from JSON-LD and microdata, all in the form of JSON-LD.

An item is a dict with its types under ``@type`` and its properties under their names. JSON-LD is read as JSON (RFC
8259); of scripts that are not valid JSON, what can be repaired. Microdata is read from the tree of the page as the HTML
standard says (https://html.spec.whatwg.org/multipage/microdata.html), with three differences: values are texts even of
``<a itemprop="name">``, where the standard wants the URL; any element may have ``content``; and an item that several
others refer to is only a part of the first.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from html import unescape
from itertools import chain
from typing import Any

from lxml import etree

from scrapy_semtext.read.title import same_title
from scrapy_semtext.tree.elements import all_text, text_of
from scrapy_semtext.words.characters import without_entities, without_surrogates
from scrapy_semtext.words.word_tables import WORDS

Item = dict[str, Any]
#: The key of a microdata item's position on the page, counted in items.
ORDER = "@order"
# Types whose author and date apply to the page, best first.
_ARTICLES = WORDS["articles"]
_ELSEWHERE = frozenset(WORDS["elsewhere"])
# Wrappers of JSON in a script: an HTML comment or a CDATA section, which may itself be commented out.
_WRAPPER = re.compile(r"(?:(?://|/\*)\s*)?(?:<!--|-->|<!\[CDATA\[|\]\]>)(?:\s*\*/)?")
# Outside a string: a comma before a closing bracket, or the beginning of a comment; strings, of which the last may be
# unterminated, are matched so that they are not changed.
_STRING_OR_WASTE = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[}\]])|//[^\n]*|/\*', re.DOTALL)
# A backslash that does not begin a JSON escape (RFC 8259, 7), such as \' from JavaScript.
_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9A-Fa-f]{4})')

_QUOTE = re.compile(r'(?<!\\)"')
_OBJECT = re.compile(r'\{\s*"')

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
# The number of failed objects after which the rest of a broken script is skipped, and the maximum number of times its
# length that is read: nested objects all fail at the same place.
_MAX_ATTEMPTS, _MAX_READINGS = 500, 20
# The maximum number of properties of a page that are read through ``itemref``.
_REFERENCES = 5_000
# The attributes with the value of a property, if it is neither the text nor in ``content``.
_VALUE_ATTRIBUTES = {"time": "datetime", "data": "value", "meter": "value", "link": "href"}


def as_list(value: Any) -> list[Any]:
    """Return the values of a property, which may be missing, single or a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def walk(items: list[Item], without: Container[str] = ()) -> Iterator[Item]:
    """Yield the items and every item inside them, outer ones first, in order, except in properties ``without``."""
    stack: list[Any] = items[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack += [inner for key, inner in value.items() if key not in without][::-1]
        elif isinstance(value, list):
            stack += value[::-1]


def types_of(item: Item) -> set[str]:
    """Return the names of an item's types without their vocabulary: "Question" for "https://schema.org/Question"."""
    return {re.split(r"[/#:]", name.strip())[-1] for name in as_list(item.get("@type")) if isinstance(name, str)}


def articles_in(items: list[Item], title: str | None) -> list[Item]:
    """Return the items whose author and date apply to a page with this title, best first.

    If the title is that of an item, others of its type with another title are teasers of other pages.
    """
    ranked: dict[int, list[Item]] = defaultdict(list)
    for item in walk(items, _ELSEWHERE):
        if types := types_of(item) & set(_ARTICLES):
            ranked[min(map(_ARTICLES.index, types))].append(item)
    return [item for rank in sorted(ranked) for item in _of_title(ranked[rank], title or "")]


def _of_title(items: list[Item], title: str) -> list[Item]:
    """Return the items without those of another title, if one of them has this title."""
    if len(items) == 1:
        return items
    names = [plain_text(item.get("headline")) or plain_text(item.get("name")) for item in items]
    has_title = [name is not None and (same_title(name, title) or same_title(title, name)) for name in names]
    if not any(has_title):
        return items
    return [item for item, name, is_same in zip(items, names, has_title, strict=True) if is_same or not name]


def items_by_id(items: Iterable[Item]) -> dict[str, Item]:
    """Return the items by ``@id``, which other items may refer to; of duplicates, the last non-empty one."""
    return {item["@id"]: item for item in items if isinstance(item.get("@id"), str) and len(item) > 1}


def plain_text(value: Any) -> str | None:
    """Return the text of a value of schema.org markup, several values as lines; None if it has an item, or no text.

    Many systems escape text for HTML before they write it into markup, some twice.
    """
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain_text, value))) or None
    if isinstance(value, dict):
        value = value.get("@value")
    return without_entities(value) if isinstance(value, str) else None


def jsonld_items(root: etree._Element) -> list[Item]:
    """Return the top-level items of all JSON-LD scripts; of a broken script, those that can be parsed."""
    scripts = (script for script in root.iter("script") if "ld+json" in (script.get("type") or "").lower())
    return [item for script in scripts for item in _script_items(script)]


def microdata_items(root: etree._Element) -> list[Item]:
    """Return the top-level items of the page's microdata; an element's text is a value object ({"@value": text})."""
    try:
        return _Microdata(root).items()
    except RecursionError:
        return []  # hundreds of nested items are unclosed elements, not data


def _script_items(script: etree._Element) -> list[Item]:
    """Return the top-level items of one JSON-LD script."""
    text = all_text(script)
    try:
        data = json.loads(text, strict=False)  # control characters are common in strings
    except (ValueError, RecursionError):
        data = _salvaged(text)
    items = [item for item in as_list(data) if item and isinstance(item, dict)]
    if not _SURROGATE_ESCAPE.search(text):
        return items
    try:
        return [without_surrogates(item) for item in items]
    except RecursionError:
        return []


def _salvaged(text: str) -> list[Any]:
    """Parse as much as possible of a script that is not valid JSON, with the better of two repairs."""
    if "&quot;" in text and '"@type"' not in text:
        text = unescape(text)
    text = _BAD_ESCAPE.sub("", _WRAPPER.sub("", text))
    readings = (_objects_in(text), _objects_in(_QUOTE.sub(_escape_inner, text)))
    return max(readings, key=lambda items: sum(1 for _ in walk(items)))


def _objects_in(text: str) -> list[Any]:
    """Return every object that can be decoded, outer ones first; parts of an undecodable one are tried separately."""
    text = _without_waste(_without_waste(text))  # a comma may be followed by a comment
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    offset = failures = wasted = 0
    while failures < _MAX_ATTEMPTS and wasted <= _MAX_READINGS * len(text) and (start := _OBJECT.search(text, offset)):
        try:
            item, offset = decoder.raw_decode(text, start.start())
            found.append(item)
        except (ValueError, RecursionError) as error:  # noqa: PERF203 - each object is tried separately
            offset = start.start() + 1
            failures += 1
            wasted += error.pos - offset if isinstance(error, json.JSONDecodeError) else 0
    return found


def _without_waste(text: str) -> str:
    """Remove comments and commas before closing brackets from JSON. An unterminated comment is kept."""
    parts: list[str] = []
    position, last_end = 0, text.rfind("*/")
    while token := _STRING_OR_WASTE.search(text, position):
        parts += (text[position : token.start()], token[1] or "")
        position = token.end()
        if token[0] == "/*" and position <= last_end:
            position = text.index("*/", position) + 2
        elif token[0] == "/*":
            parts.append("/*")
    parts.append(text[position:])
    return "".join(parts)


def _escape_inner(quote: re.Match[str]) -> str:
    """Escape a quotation mark in the middle of a string, where no JSON syntax precedes or follows it."""
    text, position = quote.string, quote.start()
    last_char = text[max(0, position - 80) : position].rstrip()[-1:]
    next_char = text[position + 1 : position + 80].lstrip()[:1]
    return '"' if last_char in "{[,:" or next_char in ",:}]" else '\\"'


def _properties_within(item: etree._Element) -> list[etree._Element]:
    """Return the property elements of an item in page order, without those of nested items."""
    found: list[etree._Element] = []
    stack = list(item)[::-1]
    while stack:
        element = stack.pop()
        if element.get("itemprop") is not None:
            found.append(element)
        if element.get("itemscope") is None:
            stack += list(element)[::-1]
    return found


class _Microdata:
    """The items of a page; takes linear time even if all items refer to the same thousands of properties."""

    def __init__(self, root: etree._Element) -> None:
        self._order = {element: n for n, element in enumerate(root.iter()) if element.get("itemscope") is not None}
        self._referable: dict[str, etree._Element] = {}
        for element in root.iter(etree.Element):
            if (name := element.get("id")) is not None:
                self._referable.setdefault(name, element)
        self._referred: dict[str, list[etree._Element]] = {}
        self._references_left = _REFERENCES
        self._seen: set[etree._Element] = set()

    def items(self) -> list[Item]:
        """Return the items that are no property of another, in page order. Raises RecursionError if nested deeply."""
        return [item for element in self._order if (item := self._item(element)) is not None]

    def _item(self, element: etree._Element) -> Item | None:
        """Return the item of an element, or None if it is known: it may refer to itself."""
        if element in self._seen:
            return None
        self._seen.add(element)
        types = element.get("itemtype", "").split()
        values_of: dict[str, list[Any]] = {}
        for child in chain(_properties_within(element), self._referred_by(element)):
            value = _value(child) if child.get("itemscope") is None else self._item(child)
            for name in (child.get("itemprop") or "").split():
                values_of.setdefault(name, []).append(value)
        properties = {name: values[0] if len(values) == 1 else values for name, values in values_of.items()}
        return {
            "@type": types[0] if len(types) == 1 else types,
            ORDER: self._order[element],
            **(properties or {"text": _value(element)}),  # an item without properties has the text of its element
        }

    def _referred_by(self, element: etree._Element) -> Iterator[etree._Element]:
        """Yield the property elements that an item refers to with ``itemref``."""
        for name in element.get("itemref", "").split():
            if name not in self._referred:
                self._referred[name] = _properties_at(self._referable.get(name))
            for child in self._referred[name]:
                if self._references_left <= 0:
                    return
                self._references_left -= 1
                yield child


def _properties_at(element: etree._Element | None) -> list[etree._Element]:
    """Return the property elements that a reference adds: those in and at an element, or only itself if an item."""
    if element is None:
        return []
    itself = [element] if element.get("itemprop") is not None else []
    if itself and element.get("itemscope") is not None:
        return itself
    return itself + _properties_within(element)


def _value(element: etree._Element) -> Any:
    """Return the value of a property element: that of an attribute, or else its text as a value object."""
    return element.get(_VALUE_ATTRIBUTES.get(str(element.tag), "content")) or {"@value": text_of(element)}
