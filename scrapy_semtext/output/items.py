"""Items of schema.org in the form of JSON-LD: dicts with types under ``@type`` and properties under their names."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from scrapy_semtext.output.title import same_title
from scrapy_semtext.text.folding import without_entities
from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

Item = dict[str, Any]

#: The key of a microdata item's position on the page, counted in items.
ORDER = "@order"

# Types whose author and date apply to the page, best first.
_ARTICLES = WORDS["articles"]
_ELSEWHERE = frozenset(WORDS["elsewhere"])


def listed(value: Any) -> list[Any]:
    """Return the values of a property, which may be missing, single or a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def walk(items: list[Item], without: Container[str] = ()) -> Iterator[Item]:
    """Yield the items and every item inside them, outer ones first, in order, except in properties ``without``."""
    stack: list[Any] = items[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack += [each for key, each in value.items() if key not in without][::-1]
        elif isinstance(value, list):
            stack += value[::-1]


def types_of(item: Item) -> set[str]:
    """Return the names of an item's types without their vocabulary: "Question" for "https://schema.org/Question"."""
    return {re.split(r"[/#:]", name.strip())[-1] for name in listed(item.get("@type")) if isinstance(name, str)}


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
    if len(items) == 1:
        return items
    names = [plain(item.get("headline")) or plain(item.get("name")) for item in items]
    same = [name is not None and (same_title(name, title) or same_title(title, name)) for name in names]
    return [item for item, name, is_same in zip(items, names, same, strict=True) if is_same or not (name and any(same))]


def items_by_id(items: Iterable[Item]) -> dict[str, Item]:
    """Return the items by ``@id``, which other items may refer to; of duplicates, the last non-empty one."""
    return {item["@id"]: item for item in items if isinstance(item.get("@id"), str) and len(item) > 1}


def plain(value: Any) -> str | None:
    """Return the text of a value of schema.org markup, several values as lines; None if it has an item, or no text.

    Many systems escape text for HTML before they write it into markup, some twice.
    """
    if isinstance(value, list):
        return "\n".join(filter(None, map(plain, value))) or None
    if isinstance(value, dict):
        value = value.get("@value")
    return without_entities(value) if isinstance(value, str) else None
