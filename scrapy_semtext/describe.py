"""HTML to described blocks: the first half of the way, which reading and training share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext import tree
from scrapy_semtext.model.inputs import PageInput, page_input
from scrapy_semtext.segment import TextBlock, combined, search

if TYPE_CHECKING:
    from scrapy_semtext.model.config import NetworkConfig


@dataclass(slots=True)
class Described:
    """A page's tree, its text blocks in page order, and what a network is told of them.

    ``pieces`` are the blocks of the search phase, of which ``text_blocks`` were combined.
    """

    root: Any
    pieces: list[TextBlock]
    text_blocks: list[TextBlock]
    input: PageInput


def describe(html: str, url: str | None, config: NetworkConfig) -> Described:
    """Parse a page, cut it into blocks and describe them for a network of this configuration; any text will do."""
    root = tree.parse(html, url)
    pieces = search(root)
    blocks = combined(pieces)
    title = root.findtext(".//title") or ""
    return Described(root, pieces, blocks, page_input(blocks, config, title=title, lang=tree.language(root)))
