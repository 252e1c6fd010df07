"""Folds of pages by forum engine: all pages of an engine are in the same fold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scrapy_semtext.train.datasets import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.train.posts import PairPage


def assign_folds(engines: Sequence[str], folds: int) -> list[int]:
    """The fold of each page: all pages of an engine are in one fold, and folds are of similar size."""
    sizes = Counter(engines)
    load = [0] * folds
    where = {}
    for engine, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        where[engine] = min(range(folds), key=load.__getitem__)
        load[where[engine]] += size
    return [where[engine] for engine in engines]


def folds_of(pages: Sequence[PairPage], parts: int) -> list[int]:
    """The fold of each page: all pages of an engine are in the same fold.

    Pages without information about pairs do not change the folds of other pages.
    """
    engines = [page.engine for page in pages if page.says_pairs]
    where = dict(zip(engines, assign_folds(engines, parts), strict=True))
    return [where[page.engine] if page.engine in where else fold(page.engine, 1, parts) for page in pages]
