"""Fingerprints of blocks, by which blocks of one page are found on others.

As in deboiler (Mashayekh 2023), subtrees are compared as plain text. The place of a block is identified separately, by
the tags and names of the elements around it, without digits, since forums number their posts. Blocks are equal if both
text and place are. A place whose blocks differ from page to page holds content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

from scrapy_semtext.dom.tags import HEADING_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.dom.segmentation import Scope, TextBlock

#: The number of ancestors, from the innermost, that identify the place of a block.
LEVELS = 4

_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class PagePrint:
    """The fingerprints of a page; all tuples have an entry for each block, in page order.

    ``blocks``: 64-bit hashes of text and place, 0 for a block without letters, which is never compared. ``places``:
    64-bit hashes of the places. ``sizes``: lengths in characters. ``headings``: whether a block is a heading.
    """

    blocks: tuple[int, ...]
    places: tuple[int, ...]
    sizes: tuple[int, ...]
    headings: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.blocks)


def page_print(blocks: Sequence[TextBlock]) -> PagePrint:
    """Return the fingerprints of a page's blocks; linear in the page's text."""
    places: dict[Scope, bytes] = {}
    rows = []
    for block in blocks:
        place = places.get(block.scope)
        if place is None:
            place = places[block.scope] = _place((scope.tag, scope.names) for scope in block.scope.ancestry())
        rows.append(_row(block.text, place, block.scope.tag))
    return _as_print(rows)


def _as_print(rows: list[tuple[int, int, int, bool]]) -> PagePrint:
    blocks, places, sizes, headings = zip(*rows, strict=True) if rows else ((), (), (), ())
    return PagePrint(blocks, places, sizes, headings)


def _row(text: str, place: bytes, tag: str) -> tuple[int, int, int, bool]:
    block = 0
    if _LETTER.search(text):
        plain = " ".join(text.casefold().split())
        block = _hash(plain.encode("utf-8", "surrogatepass"), place) or 1
    return block, int.from_bytes(place, "big"), len(text), tag in HEADING_LEVELS


def _place(path: Iterable[tuple[str, str]]) -> bytes:
    levels = (f"{tag} {_DIGITS.sub('0', names)}" for tag, names in islice(path, LEVELS))
    return blake2b("\n".join(levels).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _hash(text: bytes, place: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8, key=place).digest(), "big")
