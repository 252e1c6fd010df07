"""The extractor with the shipped models, which is loaded once for all tests of a process."""

from __future__ import annotations

from functools import cache

from scrapy_semtext import Extractor


@cache
def extractor() -> Extractor:
    """Return the extractor; pass options to its calls, and undo what is set on it."""
    return Extractor.load(device="cpu")
