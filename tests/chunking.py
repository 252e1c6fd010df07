"""Chunks of pages whose text is all main content: common parts of the tests of chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.models.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.page import Chunk, Page

URL = "https://example.com/guide?v=2"


class AllMain:
    """A labeler that labels all blocks as main content."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        counts = [len(page.text_blocks) for page in pages]
        return [Scores(np.full(count, 0.9), np.ones(count, dtype=np.bool_)) for count in counts]


def page_in_chunks(html: str, size: Any = True, **options: Any) -> Page:
    """Extract a page; ``size`` is the option ``chunks``."""
    extractor = Extractor(AllMain(), "viterbi", Options(chunks=size, markup=False, **options))
    return extractor.read(html, URL)


def chunks_of(html: str, size: Any = True, **options: Any) -> list[Chunk]:
    """Return the chunks of a page."""
    return page_in_chunks(html, size, **options).chunks


def require_whole(page: Page) -> None:
    """Raise AssertionError unless the chunks of a page are slices of its main text that omit only white space."""
    at = 0
    for position, chunk in enumerate(page.chunks):
        assert chunk.position == position
        assert chunk.text == page.main_text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip("\n").rstrip()
        assert chunk.text.strip()
        assert page.main_text[at : chunk.start].strip() == ""
        at = chunk.end
    assert page.main_text[at:].strip() == ""


def sentences(count: int, words: int = 10, first: int = 0) -> str:
    """Return sentences of ``words`` words each, all of them different."""
    return " ".join(
        f"Sentence {number} {' '.join(f'w{number}x{word}' for word in range(words - 2))}."
        for number in range(first, first + count)
    )
