"""An extractor and a reader of web archives for datatrove pipelines. Requires the extra ``datatrove``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.pipeline.readers.base import BaseDiskReader

from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.row import BESIDE_TEXT
from scrapy_semtext.bulk.warc import ArchiveFilter, rows_of_archive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from datatrove.data import Document, DocumentsPipeline
    from typing_extensions import Self


class _ReadText(str):
    """The main text of a page, with its row, because datatrove's sandbox returns a single value."""

    row: dict[str, Any]
    __slots__ = ("row",)

    def __new__(cls, row: dict[str, Any]) -> Self:
        """Create the value from the text of a row."""
        text = super().__new__(cls, row["main_text"])
        text.row = row
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        """Include the row in the pickle."""
        return _ReadText, (self.row,)


class ArchiveReader(BaseDiskReader):  # type: ignore[misc]  # datatrove has no type hints that mypy reads
    """Reads the HTML pages of web archives, decoded as in browsers, with ``metadata["url"]``.

    The metadata also identify the record of each page, as in rows. ``wanted`` selects the records that are pages; all
    other arguments are those of `WarcReader`.
    """

    name = "🕷 Warc, HTML pages"

    def __init__(self, *arguments: Any, wanted: ArchiveFilter | None = None, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.wanted = wanted

    def read_file(self, filepath: str) -> Iterator[Document]:
        """Yield the pages of an archive; those that cannot be decoded are counted."""
        with self.data_folder.open(filepath, "rb") as file:
            for row in rows_of_archive(file, self.wanted, filepath):
                if row.error is not None:
                    self.stat_update("unreadable")
                    continue
                values = {"text": row.html, "id": row.id, "url": row.url, **row.archived}
                if (document := self.get_document_from_dict(values, filepath, row.number)) is not None:
                    yield document


class SemtextExtractor(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of documents by their main text.

    Each page is processed in a separate process, which is replaced if the page takes longer than ``timeout`` seconds;
    the document is then dropped and counted, as it is if an error occurs. The URL of the page is ``metadata["url"]``.
    Values named in ``metadata`` are added to the document's metadata if the page has them. ``options`` and the rest are
    those of `RowReader`.
    """

    name = "⛏ semtext"

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        metadata: Iterable[str] = BESIDE_TEXT,
        timeout: float = 10,
        **reader: Any,
    ) -> None:
        super().__init__(timeout)
        self.reader = RowReader(options, **reader)
        self.metadata = self.reader.require_columns(metadata)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the documents that have a main text. The model is loaded here, so that forked sandboxes share it."""
        self.reader.load()
        for document in super().run(map(_with_address, data), rank, world_size):
            row = document.text.row
            document.text = str(document.text)
            document.metadata |= {name: row[name] for name in self.metadata if row[name] not in (None, [], "")}
            yield document

    def extract(self, text: str, url: str | None = None) -> str | Exception:
        """Return the main text, or a RuntimeError for a page that fails. Runs in the sandbox.

        The sandbox raises an exception that is returned; an exception raised here would end its process.
        """
        row = self.reader.read_one(text, url)
        return RuntimeError(row["error"]) if "error" in row else _ReadText(row)


def _with_address(document: Document) -> Document:
    """Make the sandbox pass the URL to `SemtextExtractor.extract` as well."""
    document.text = (document.text, document.metadata.get("url"))
    return document
