"""The attributes that elements of an outline keep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_semtext.text.folding import one_line
from scrapy_semtext.utils.address import parsed, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,40})")
_LINKS = frozenset(("", "http", "https", "mailto", "tel"))
_IGNORED_IN_URL = re.compile(r"[\t\n\r]")  # as browsers do, see the URL standard, "basic URL parser"
_KEPT = {"abbr": "title", "dfn": "title", "img": "alt", "time": "datetime"}


def attributes_of(tag: str, element: Any) -> Iterator[tuple[str, str]]:
    """Yield the few attributes that carry meaning, as an element that is written as ``tag`` has them."""
    if tag in ("td", "th"):
        for name in ("colspan", "rowspan"):
            if (value := _number(element.get(name))) and 1 < value <= 1000:  # the limit of the HTML standard
                yield name, str(value)
    elif tag == "ol":
        if (value := _number(element.get("start"))) is not None and value != 1:
            yield "start", str(value)
    elif tag in ("pre", "code"):
        if language := _LANGUAGE.search(element.get("class") or ""):
            yield "class", f"language-{language[1]}"
    elif tag in _KEPT and (text := one_line(element.get(_KEPT[tag]))):
        yield _KEPT[tag], text


def link_of(element: Any, base_url: str | None) -> str:
    """Return the address that a link leads to, absolute with a base; empty if there is none that is safe to follow."""
    href = _IGNORED_IN_URL.sub("", element.get("href") or "").strip("".join(map(chr, range(33))))
    found = resolved(href, base_url) if base_url and href else href
    address = None if found is None else parsed(found)
    return found if found and address is not None and address.scheme in _LINKS else ""


def _number(value: str | None) -> int | None:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
