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
        scope, plain = block.scope, " ".join(block.text.casefold().split())
        place = places.get(scope)
        if place is None:
            place = places[scope] = _place((each.tag, each.names) for each in scope.ancestry())
        text = blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8, key=place).digest()
        number = (int.from_bytes(text, "big") or 1) if _LETTER.search(plain) else 0
        rows.append((number, int.from_bytes(place, "big"), len(block.text), scope.tag in HEADING_LEVELS))
    return PagePrint(*zip(*rows, strict=True)) if rows else PagePrint((), (), (), ())


def _place(path: Iterable[tuple[str, str]]) -> bytes:
    levels = (f"{tag} {_DIGITS.sub('0', names)}" for tag, names in islice(path, LEVELS))
    return blake2b("\n".join(levels).encode("utf-8", "surrogatepass"), digest_size=8).digest()
