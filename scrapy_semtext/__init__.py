"""Clean main text for every item of a Scrapy crawl, by semantic classification of text blocks.

Importing this package loads neither torch nor Scrapy; each public name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    from scrapy_semtext.chunks.size import ChunkOptions
    from scrapy_semtext.extractor import Extractor, Options, Source, extract
    from scrapy_semtext.integration.addon import Addon
    from scrapy_semtext.integration.pages import page_of, use_page
    from scrapy_semtext.page import Block, Chunk, Comment, Page, QAPair, Record, Section, Segment

__all__ = [
    "Addon",
    "Block",
    "Chunk",
    "ChunkOptions",
    "Comment",
    "Extractor",
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
    "Addon": "integration.addon",
    "Block": "page",
    "Chunk": "page",
    "ChunkOptions": "chunks.size",
    "Comment": "page",
    "Extractor": "extractor",
    "Options": "extractor",
    "Page": "page",
    "QAPair": "page",
    "Record": "page",
    "Section": "page",
    "Segment": "page",
    "Source": "extractor",
    "extract": "extractor",
    "page_of": "integration.pages",
    "use_page": "integration.pages",
}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that holds it (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
