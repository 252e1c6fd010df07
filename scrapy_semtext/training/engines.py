"""The forum engine of a page, to divide pages into folds by engine.

It is used in training and evaluation only. Extraction does not depend on the engine.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Marks of each engine in the HTML, in the order in which they are tried.
_MARKS = {
    "xenforo": re.compile(r"xenforo|data-xf-", re.IGNORECASE),
    "phpbb": re.compile(r"phpbb", re.IGNORECASE),
    "vbulletin": re.compile(r"vbulletin|vb_", re.IGNORECASE),
    "discourse": re.compile(r'content="Discourse|discourse_theme'),
    "invision": re.compile(r"Invision|ipsType|ipsComment|ipb"),
    "vanilla": re.compile(r"vanilla(?:forums| forums|_)|Item-BodyWrap|CommentHeader", re.IGNORECASE),
    "smf": re.compile(r"Simple Machines"),
    "mybb": re.compile(r"MyBB"),
    "fluxbb": re.compile(r"FluxBB|PunBB"),
    "drupal": re.compile(r"drupal", re.IGNORECASE),
    "stackexchange": re.compile(r"cdn\.sstatic"),
}


def engine_of(html: str, stated: str | None, domain: str) -> str:
    """Return the family of a page's engine: as stated by the page set, or else by marks in the HTML.

    Without either it is the domain.
    """
    for name in _MARKS:
        if stated is not None and stated.startswith(name):
            return name
    if stated is not None:
        return stated
    return next((name for name, mark in _MARKS.items() if mark.search(html)), domain)


def assign_folds(engines: Sequence[str], folds: int) -> list[int]:
    """The fold of each page: all pages of an engine are in one fold, and folds are of similar size."""
    sizes = Counter(engines)
    load = [0] * folds
    where = {}
    for engine, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        where[engine] = min(range(folds), key=load.__getitem__)
        load[where[engine]] += size
    return [where[engine] for engine in engines]
