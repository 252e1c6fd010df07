"""The attributes that elements of an outline keep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,40})")
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
    elif tag in _KEPT and (text := " ".join((element.get(_KEPT[tag]) or "").split())):
        yield _KEPT[tag], text


def _number(value: str | None) -> int | None:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
