"""HTML to a tree and its text blocks: the first half of the way, which all labellers and their training share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext import tree
from scrapy_semtext.segment import combined, search

if TYPE_CHECKING:
    from scrapy_semtext.segment import TextBlock


@dataclass(slots=True)
class Described:
    """A page's tree, its text blocks in page order, and what it says of itself.

    ``pieces`` are the blocks of the search phase, of which ``text_blocks`` were combined. ``title`` is the text of its
    <title>, "" without one; ``lang`` its language tag, None if it states none.
    """

    root: Any
    pieces: list[TextBlock]
    text_blocks: list[TextBlock]
    title: str
    lang: str | None


def describe(html: str, url: str | None) -> Described:
    """Parse a page and cut it into blocks; any text will do."""
    root = tree.parse(html, url)
    pieces = search(root)
    return Described(root, pieces, combined(pieces), root.findtext(".//title") or "", tree.language(root))
