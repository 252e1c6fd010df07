"""Near-duplicates of test pages, which are left out of training."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from scrapy_semtext.training.scoring import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.training.datasets import AnnotatedPage

#: Texts are near-duplicates if they share this part of the shingles (n-grams of words) of the shorter one.
SHARE = 0.3
_WORDS = 8


def without_copies(pages: Iterable[AnnotatedPage], tested: Sequence[AnnotatedPage]) -> tuple[list[AnnotatedPage], int]:
    """The pages that are not copies of a tested page, and the number of copies.

    Copies have the same HTML, the same URL, or true texts that share three tenths of the eight-word shingles of the
    shorter text.
    """
    html = {page.html for page in tested}
    urls = {page.url for page in tested if page.url}
    shingles = [_shingles(page.text) for page in tested]
    where: defaultdict[int, list[int]] = defaultdict(list)
    for place, known in enumerate(shingles):
        for shingle in known:
            where[shingle].append(place)
    kept, dropped = [], 0
    for page in pages:
        if page.html in html or page.url in urls or _is_copy(_shingles(page.text), shingles, where):
            dropped += 1
        else:
            kept.append(page)
    return kept, dropped


def _is_copy(own: set[int], shingles: Sequence[set[int]], where: dict[int, list[int]]) -> bool:
    common = Counter(place for shingle in own for place in where.get(shingle, ()))
    return any(count >= SHARE * min(len(own), len(shingles[place])) for place, count in common.items())


def _shingles(text: str) -> set[int]:
    found = words(text)
    return {hash(tuple(found[at : at + _WORDS])) for at in range(max(len(found) - _WORDS + 1, min(len(found), 1)))}
