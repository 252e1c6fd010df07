"""Items of schema.org in the form of JSON-LD: dicts with types under ``@type`` and properties under their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Item = dict[str, Any]

#: The key of a microdata item's position on the page, counted in items.
ORDER = "@order"

# Types whose author and date apply to the page, best first.
_ARTICLES = WORDS["articles"]


def listed(value: Any) -> list[Any]:
    """Return the values of a property, which may be missing, single or a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def walk(items: list[Item]) -> Iterator[Item]:
    """Yield the items and every item inside them, outer ones first, in order."""
    stack: list[Any] = items[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack += list(value.values())[::-1]
        elif isinstance(value, list):
            stack += value[::-1]


def types_of(item: Item) -> set[str]:
    """Return the names of an item's types without their vocabulary: "Question" for "https://schema.org/Question"."""
    return {re.split(r"[/#:]", name.strip())[-1] for name in listed(item.get("@type")) if isinstance(name, str)}


def articles_among(items: Sequence[Item]) -> list[Item]:
    """Return the items whose author and date apply to the page, best first."""
    ranked = [(min(map(_ARTICLES.index, types)), item) for item in items if (types := types_of(item) & set(_ARTICLES))]
    return [item for _, item in sorted(ranked, key=lambda pair: pair[0])]


def items_by_id(items: Iterable[Item]) -> dict[str, Item]:
    """Return the items by ``@id``, which other items may refer to; of duplicates, the last non-empty one."""
    return {item["@id"]: item for item in items if isinstance(item.get("@id"), str) and len(item) > 1}


def plain(value: Any) -> str | None:
    """Return the text of a value of schema.org markup, several values as lines; None if it has an item, or no text."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain, value))) or None
    if isinstance(value, dict):
        value = value.get("@value")
    return value if isinstance(value, str) else None
