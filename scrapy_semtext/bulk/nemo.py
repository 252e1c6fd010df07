"""Extractors for NeMo Curator. Requires the package ``nemo-curator``."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from nemo_curator.stages.text.download import DocumentExtractor
from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm

from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.row_values import BESIDE_TEXT
from scrapy_semtext.utils.cells import text_cell

logger = logging.getLogger(__name__)

#: The columns of records that are kept.
_KEPT = ("url", "warc_id", "source_id")


class SemtextAlgorithm(HTMLExtractorAlgorithm):  # type: ignore[misc]
    """Main texts for `CommonCrawlDownloadExtractStage(html_extraction=...)`; the arguments are those of `RowReader`.

    The stage passes an algorithm only the text, without its URL. `SemtextDocumentExtractor` has the URL.
    """

    def __init__(self, options: Mapping[str, Any] | None = None, **reader: Any) -> None:
        self.reader = RowReader(options, **reader)

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:  # noqa: ARG002
        """Return the lines of the main text; None if it is empty or an error occurs, which is logged."""
        row = self.reader.read_one(html)
        if "error" in row:
            logger.warning("A page could not be read: %s", row["error"])
            return None
        return row["main_text"].splitlines() or None


class SemtextDocumentExtractor(DocumentExtractor):  # type: ignore[misc]
    """Converts records of a `DocumentIterator` with HTML in ``content`` to records with ``text`` and ``columns``.

    The URL is read from ``url``. Lists become JSON. A page without main text, or with an error (which is logged), is
    dropped. ``options`` and the rest are those of `RowReader`.
    """

    def __init__(
        self, options: Mapping[str, Any] | None = None, *, columns: Iterable[str] = BESIDE_TEXT, **reader: Any
    ) -> None:
        super().__init__()
        self.reader = RowReader(options, **reader)
        self.columns = self.reader.require_columns(columns)

    def extract(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return the record of a page, None if it is dropped."""
        row = self.reader.read_one(record["content"], record["url"])
        if "error" in row:
            logger.warning("%s could not be read: %s", record["url"], row["error"])
            return None
        if not row["main_text"]:
            return None
        kept = {name: record[name] for name in _KEPT if name in record}
        values = {
            name: text_cell(value) if isinstance(value := row[name], list | dict) else value for name in self.columns
        }
        return {**kept, "text": row["main_text"], **values}

    def input_columns(self) -> list[str]:
        """The columns of records that are read."""
        return [*_KEPT, "content"]

    def output_columns(self) -> list[str]:
        """The columns of the records that `extract` returns."""
        return [*_KEPT, "text", *self.columns]
