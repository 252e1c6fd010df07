"""Pages in a web archive (WARC 1.0 and 1.1, ISO 28500), read by warcio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.bulk.row import Row, with_body
from scrapy_semtext.utils.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator


class ArchiveError(ValueError):
    """A web archive cannot be read to its end."""


@dataclass(frozen=True, slots=True)
class ArchiveFilter:
    """Which records of an archive are pages: responses and resources of certain types.

    ``statuses`` are the first digits of HTTP statuses, ``types`` media types in lower case. ``least`` and ``most``
    bound the length of the body in bytes, decompressed. ``truncated``: whether bodies count that the crawler cut off.
    """

    statuses: tuple[str, ...] = ("2",)
    types: tuple[str, ...] = ("text/html", "application/xhtml+xml")
    least: int = 0
    most: int | None = None
    truncated: bool = True

    def content_type(self, record: Any) -> str | None:
        """Return the Content-Type of a record that holds a page, None for others."""
        headers = record.http_headers if record.rec_type == "response" else record.rec_headers
        if record.rec_type not in ("response", "resource") or headers is None:
            return None
        if record.rec_type == "response" and not (headers.get_statuscode() or "").startswith(self.statuses):
            return None
        if not self.truncated and record.rec_headers.get_header("WARC-Truncated"):
            return None
        content_type: str = headers.get_header("Content-Type") or ""
        return content_type if content_type.partition(";")[0].strip().lower() in self.types else None

    def fits(self, body: bytes) -> bool:
        """Return whether a body has the right length."""
        return self.least <= len(body) and (self.most is None or len(body) <= self.most)


def rows_of_archive(file: IO[bytes], wanted: ArchiveFilter | None = None) -> Iterator[Row]:
    """Yield the pages of an archive; by default the HTML of answers with a status of 200 to 299, and of resources.

    ``file`` is plain or compressed record by record. The id of a page is its record's. A body that cannot be read is an
    error of its page. Raises ArchiveError if the file is damaged, MissingExtraError without warcio.
    """
    iterator: Any = load_extra("warcio.archiveiterator", "warc").ArchiveIterator
    broken: Any = load_extra("warcio.exceptions", "warc").ArchiveLoadFailed
    wanted = wanted or ArchiveFilter()
    try:
        for number, record in enumerate(iterator(file), 1):
            content_type = wanted.content_type(record)
            if content_type is not None and (row := _row(number, record, content_type, wanted)) is not None:
                yield row
    except broken as error:
        raise ArchiveError(str(error)) from error


def _row(number: int, record: Any, content_type: str, wanted: ArchiveFilter) -> Row | None:
    headers = record.rec_headers
    url = (headers.get_header("WARC-Target-URI") or "").strip("<>")  # early writers put it in brackets
    row = Row(number, headers.get_header("WARC-Record-ID"), url or None)
    try:
        body = record.content_stream().read()
        return with_body(row, body, content_type) if wanted.fits(body) else None
    except Exception as error:  # noqa: BLE001  a body that is not compressed as it says, for example
        row.error = f"the body cannot be read: {error}"
        return row
