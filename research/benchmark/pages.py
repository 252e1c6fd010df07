"""The pages that are measured: samples, pages of any size composed of real ones, and a page to warm up with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from research.benchmark.stopwatch import size_in_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Source

_BODY = re.compile(r"<body\b[^>]*>(.*)</body\s*>", re.IGNORECASE | re.DOTALL)

#: Read before measuring. It has a little of everything: an article, a list, a question, and schema.org markup.
WARM_UP = """<!DOCTYPE html>
<html lang="en"><head><title>How long does bread keep?</title><meta name="description" content="On keeping bread.">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": [
{"@type": "Question", "name": "Can bread be frozen?", "acceptedAnswer": {"@type": "Answer", "text": "Yes."}}]}</script>
</head><body><nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/bread">Bread</a></li></ul></nav>
<main><h1>How long does bread keep?</h1><p class="byline">By A. Baker, 3 May 2024</p>
<p>A loaf of rye keeps for a week in a cupboard, a white one for two days, and both for three months in a freezer.</p>
<ul><li>Let it cool first.</li><li>Do not put it in a fridge, where it goes stale sooner.</li></ul>
<h2>Can bread be frozen?</h2><p>Yes. Slice it, freeze it in a closed bag, and toast the slices while still frozen.</p>
<table><tr><th>Loaf</th><th>Days</th></tr><tr><td>Rye</td><td>7</td></tr></table></main>
<footer><p>Copyright. All rights reserved. <a href="/privacy">Privacy</a></p></footer></body></html>
"""


def sample(pages: Sequence[Source], count: int | None) -> list[Source]:
    """At most ``count`` evenly spaced pages; all of them for None."""
    if count is None or count >= len(pages):
        return list(pages)
    return [pages[place * len(pages) // count] for place in range(count)]


def page_of_size(pages: Sequence[Source], size: int) -> str:
    """One page of at least ``size`` bytes whose body repeats the bodies of the pages.

    It is cut between two tags, so it is only slightly longer. Raises ValueError if no page has a body.
    """
    parts: list[str] = []
    length = 0
    for part in _bodies(pages):
        rest = size - length
        whole = part if len(part) <= rest else _cut(part, rest)
        parts.append(whole)
        length += size_in_bytes(whole)
        if length >= size or whole is not part:
            break
    return f"<html><head><title>Page</title></head><body>{''.join(parts)}</body></html>"


def _bodies(pages: Sequence[Source]) -> Iterator[str]:
    bodies = [match[1] for page in pages if (match := _BODY.search(page.html))]
    if not bodies:
        raise ValueError("No page of the data has a body to compose larger pages of.")
    while True:
        yield from bodies


def _cut(part: str, length: int) -> str:
    """The beginning of a page, up to the first tag at or after this many characters."""
    end = part.find("<", length)
    return part if end < 0 else part[:end]
