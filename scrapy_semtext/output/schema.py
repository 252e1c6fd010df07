"""The schema.org items of a page from JSON-LD and microdata, all in the form of JSON-LD.

An item is a dict with its types under ``@type`` and its properties under their names. extruct reads both syntaxes; this
module is imported only for pages with such items, because importing extruct takes a third of a second.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

from extruct.jsonld import JsonLdExtractor
from extruct.w3cmicrodata import LxmlMicrodataExtractor
from lxml import etree

from scrapy_semtext.dom.element_text import all_text, text_of
from scrapy_semtext.output.items import ORDER, walk
from scrapy_semtext.text.folding import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.output.items import Item

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
_ATTEMPTS, _READINGS = 500, 20


def jsonld_items(root: etree._Element) -> list[Item]:
    """Return the top-level items of all JSON-LD scripts; of a broken script, those that can be parsed."""
    scripts = (script for script in root.iter("script") if "ld+json" in (script.get("type") or "").lower())
    return [item for script in scripts for item in _script_items(script)]


def microdata_items(root: etree._Element) -> list[Item]:
    """Return the top-level items of the page's microdata; an element's text is a value object ({"@value": text})."""
    order = {element: n for n, element in enumerate(root.iter()) if element.get("itemscope") is not None}
    try:
        found = _Microdata(root).extract_items(root, base_url="")
        return [_as_jsonld(item, order) for item in found]
    except RecursionError:
        return []  # hundreds of nested items are unclosed elements, not data


def _script_items(script: etree._Element) -> list[Item]:
    text = all_text(script)
    try:
        data = JsonLdExtractor().extract_items(script)
    except (ValueError, RecursionError):
        data = []
    items = [item for item in data or _salvaged(text) if isinstance(item, dict)]
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
    text = _without_waste(text)
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    at = failures = wasted = 0
    while failures < _ATTEMPTS and wasted <= _READINGS * len(text) and (start := _OBJECT.search(text, at)):
        try:
            item, at = decoder.raw_decode(text, start.start())
            found.append(item)
        except (ValueError, RecursionError) as error:  # noqa: PERF203 - each object is tried separately
            at = start.start() + 1
            failures += 1
            wasted += error.pos - at if isinstance(error, json.JSONDecodeError) else 0
    return found


def _without_waste(text: str) -> str:
    """Remove comments and commas before closing brackets from JSON. An unterminated comment is kept."""
    parts: list[str] = []
    at, last = 0, text.rfind("*/")
    while token := _STRING_OR_WASTE.search(text, at):
        parts += (text[at : token.start()], token[1] or "")
        at = token.end()
        if token[0] == "/*" and at <= last:
            at = text.index("*/", at) + 2
        elif token[0] == "/*":
            parts.append("/*")
    parts.append(text[at:])
    return "".join(parts)


def _escape_inner(quote: re.Match[str]) -> str:
    """Escape a quotation mark in the middle of a string, where no JSON syntax precedes or follows it."""
    text, at = quote.string, quote.start()
    before = text[max(0, at - 80) : at].rstrip()[-1:]
    behind = text[at + 1 : at + 80].lstrip()[:1]
    return '"' if before in "{[,:" or behind in ",:}]" else '\\"'


def _as_jsonld(value: Any, order: dict[Any, int]) -> Any:
    if isinstance(value, list):
        return [_as_jsonld(part, order) for part in value]
    if not isinstance(value, dict) or "@value" in value:
        return value
    # An item without properties has a value: the text of its element.
    properties = value.get("properties") or {"text": value.get("value")}
    item = {name: _as_jsonld(part, order) for name, part in properties.items()}
    return {"@type": value.get("type", []), ORDER: order.get(value.get("htmlNode"), 0), **item}


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


# The maximum number of properties of a page that are read through ``itemref``.
_REFERENCES = 5_000

# The attributes with the value of a property, if it is neither the text nor in ``content``.
_VALUE_ATTRIBUTES = {"time": "datetime", "data": "value", "meter": "value", "link": "href"}


class _Microdata(LxmlMicrodataExtractor):  # type: ignore[misc]
    """extruct's microdata extractor with three changes.

    The original search for an item's properties compares all pairs of them (18 seconds for a question with 4,000
    answers, 0.3 here). Values are text as the rest of the project reads it, even of ``<a itemprop="name">``, where the
    specification wants the URL. The original resolves ``itemref`` by XPath, which raises ValueError for an id with
    control characters, and has no limit if all items refer to the same thousands of properties.
    """

    _xp_prop = staticmethod(_properties_within)

    def __init__(self, root: etree._Element) -> None:
        super().__init__(add_html_node=True)
        self._referable: dict[str, etree._Element] = {}
        for element in root.iter(etree.Element):
            if (name := element.get("id")) is not None:
                self._referable.setdefault(name, element)
        self._referred: dict[str, list[etree._Element]] = {}
        self._references_left = _REFERENCES

    def _extract_property_refs(
        self, _node: Any, refid: str, items_seen: Any, base_url: Any, itemids: Any
    ) -> Iterator[tuple[str, Any]]:
        if refid not in self._referred:
            self._referred[refid] = self._properties_at(self._referable.get(refid))
        for each in self._referred[refid]:
            if self._references_left <= 0:
                return
            self._references_left -= 1
            yield from self._extract_property(each, items_seen=items_seen, base_url=base_url, itemids=itemids)

    @staticmethod
    def _properties_at(element: etree._Element | None) -> list[etree._Element]:
        """Return the property elements that a reference adds: those in and at an element, or only itself if an item."""
        if element is None:
            return []
        itself = [element] if element.get("itemprop") is not None else []
        if itself and element.get("itemscope") is not None:
            return itself
        return itself + _properties_within(element)

    def _extract_property_value(
        self, node: Any, items_seen: Any, base_url: Any, itemids: Any, force: bool = False
    ) -> Any:
        if node.get("itemscope") is not None and not force:
            return self._extract_item(node, items_seen=items_seen, base_url=base_url, itemids=itemids)
        return node.get(_VALUE_ATTRIBUTES.get(node.tag, "content")) or {"@value": text_of(node)}
