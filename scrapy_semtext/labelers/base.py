"""The interface of labellers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.scores import Scores


class Labeler(Protocol):
    """Scores the text blocks of pages. Only called from one thread at a time."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        ...
