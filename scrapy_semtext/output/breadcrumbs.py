"""The breadcrumb trail of a page: what its markup states, otherwise what it shows."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_semtext.details import Crumb
from scrapy_semtext.dom.element_text import text_line, text_of_html
from scrapy_semtext.output.addresses import absolute, stated_address
from scrapy_semtext.output.metadata import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.output.schema import Item

_NAMED = re.compile(r"bread-?_?crumb", re.IGNORECASE)
_SEPARATORS = " \t\n\r\f\xa0/\\|»›>→·•:-–—"
_MOST, _LONGEST, _MOST_TRAILS = 20, 200, 10


def breadcrumbs_of(root: Any, items: Iterable[Item], base: str | None) -> list[Crumb]:
    """Return the entries of the trail, outermost first; none where the page has no trail.

    ``items`` are the schema.org items of the page, ``base`` is what its addresses are relative to. Of microdata, the
    elements themselves are read.
    """
    from scrapy_semtext.output.schema import ORDER, types_of

    for item in items:
        if "BreadcrumbList" in types_of(item) and ORDER not in item and (stated := _stated(item, base)):
            return stated
    return _shown(root, base)


def _stated(trail: Item, base: str | None) -> list[Crumb]:
    entries = trail.get("itemListElement") or []
    entries = [entry for entry in (entries if isinstance(entries, list) else [entries]) if isinstance(entry, dict)]
    crumbs = []
    for entry in sorted(entries, key=_position):
        target = entry.get("item")
        inner = target if isinstance(target, dict) else {}
        name = text_of_html(plain(entry.get("name")) or plain(inner.get("name")) or "")
        addresses = (stated_address(each, base) for each in (target, *map(inner.get, ("@id", "url")), entry.get("url")))
        if name:
            crumbs.append(Crumb(name, next(filter(None, addresses), None)))
    return crumbs


def _position(entry: Item) -> float:
    try:
        return float(plain(entry.get("position")) or entry.get("position") or 0)
    except (TypeError, ValueError):
        return 0.0


def _shown(root: Any, base: str | None) -> list[Crumb]:
    """The entries of the first element that says that it is a breadcrumb trail and has a link."""
    elements = root.iter("nav", "div", "ul", "ol", "p", "section", "span", "table", "td")
    for element in islice(filter(_is_named, elements), _MOST_TRAILS):
        entries = [entry for entry in element.iter("li") if next(islice(entry.iter("li"), 1, None), None) is None]
        crumbs = list(filter(None, (_entry(entry, base) for entry in entries or element.iter("a"))))
        if any(crumb.url for crumb in crumbs) and len(crumbs) <= _MOST:
            return crumbs
    return []


def _is_named(element: Any) -> bool:
    return any(_NAMED.search(element.get(name) or "") for name in ("class", "id", "aria-label", "itemtype"))


def _entry(element: Any, base: str | None) -> Crumb | None:
    link = element if element.tag == "a" else next(element.iter("a"), None)
    name = text_line(element).strip(_SEPARATORS)
    address = None if link is None else absolute(link.get("href"), base)
    return Crumb(name, address) if 0 < len(name) <= _LONGEST else None
