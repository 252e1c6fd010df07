"""Clean main text for every item of a Scrapy crawl, by semantic classification of text blocks.

Importing this package loads neither torch nor Scrapy; each public name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Extractor, Options, Source, extract
    from scrapy_semtext.integration.addon import Addon
    from scrapy_semtext.integration.pages import page_of, use_page
    from scrapy_semtext.page import Block, Chunk, Comment, Message, Page, QAPair, Record, Section, Segment
    from scrapy_semtext.read.chunks import ChunkOptions

__all__ = [
    "Addon",
    "Block",
    "Chunk",
    "ChunkOptions",
    "Comment",
    "Extractor",
    "Message",
    "Options",
    "Page",
    "QAPair",
    "Record",
    "Section",
    "Segment",
    "Source",
    "__version__",
    "extract",
    "page_of",
    "use_page",
]

_HOMES = {
    name: module
    for module, names in {
        "read.chunks": ("ChunkOptions",),
        "extractor": ("Extractor", "Options", "Source", "extract"),
        "integration.addon": ("Addon",),
        "integration.pages": ("page_of", "use_page"),
        "page": ("Block", "Chunk", "Comment", "Message", "Page", "QAPair", "Record", "Section", "Segment"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
