"""Pages in a web archive (WARC 1.0 and 1.1, ISO 28500), read by warcio."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.page_files.row import Row, with_body
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

_HTML = ("text/html", "application/xhtml+xml")


def rows_of_warc(file: IO[bytes], name: str, _: str) -> Iterator[Row]:
    """Yield the HTML pages of an archive: answers with a status of 200 to 299, and resources.

    Their id is the record's. Other records (requests, robots.txt, pictures, redirects) are left out.
    """
    try:
        iterator: Any = load_extra("warcio.archiveiterator", "warc").ArchiveIterator
        broken: Any = load_extra("warcio.exceptions", "warc").ArchiveLoadFailed
    except MissingExtraError as error:
        raise CommandError(f"{name} is a web archive, but {error}") from error
    try:
        for number, record in enumerate(iterator(file), 1):
            content_type = _type_of_page(record)
            if content_type is not None:
                yield _row(number, record, content_type)
    except broken as error:
        raise CommandError(f"{name} cannot be read to its end: {error}") from error


def _row(number: int, record: Any, content_type: str) -> Row:
    headers = record.rec_headers
    url = (headers.get_header("WARC-Target-URI") or "").strip("<>")  # early writers put it in brackets
    row = Row(number, headers.get_header("WARC-Record-ID"), url or None)
    try:
        return with_body(row, record.content_stream().read(), content_type)
    except Exception as error:  # noqa: BLE001  a body that is not compressed as it says, for example
        row.error = f"the body cannot be read: {error}"
        return row


def _type_of_page(record: Any) -> str | None:
    """The Content-Type of a record that holds a page, None for others."""
    if record.rec_type == "response":
        if record.http_headers is None or not (record.http_headers.get_statuscode() or "").startswith("2"):
            return None
        content_type = record.http_headers.get_header("Content-Type") or ""
    elif record.rec_type == "resource":
        content_type = record.rec_headers.get_header("Content-Type") or ""
    else:
        return None
    return content_type if content_type.partition(";")[0].strip().lower() in _HTML else None
