"""The pages that are measured: even samples, and pages of any size made of real ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Source

_BODY = re.compile(r"<body\b[^>]*>(.*)</body\s*>", re.IGNORECASE | re.DOTALL)


def bytes_of(html: str) -> int:
    """The size of a page in UTF-8."""
    return len(html.encode("utf-8", "replace"))


def sample(pages: Sequence[Source], count: int | None) -> list[Source]:
    """At most ``count`` of the pages, at even distances from the first on; all for None."""
    if count is None or count >= len(pages):
        return list(pages)
    return [pages[place * len(pages) // count] for place in range(count)]


def page_of_size(pages: Sequence[Source], size: int) -> str:
    """One page of at least ``size`` bytes whose body holds those of the pages, one behind the other, over and over.

    It is cut between two elements, so that it is hardly longer.
    """
    parts: list[str] = []
    length = 0
    for part in _bodies(pages):
        rest = size - length
        whole = part if len(part) <= rest else _cut(part, rest)
        parts.append(whole)
        length += bytes_of(whole)
        if length >= size or whole is not part:
            break
    return f"<html><head><title>Page</title></head><body>{''.join(parts)}</body></html>"


def _bodies(pages: Sequence[Source]) -> Iterator[str]:
    bodies = [match[1] for page in pages if (match := _BODY.search(page.html))]
    if not bodies:
        raise ValueError("No page of the data has a body to build larger pages of.")
    while True:
        yield from bodies


def _cut(part: str, length: int) -> str:
    """The beginning of a page, up to the tag that begins at or behind this many characters."""
    end = part.find("<", length)
    return part if end < 0 else part[:end]
