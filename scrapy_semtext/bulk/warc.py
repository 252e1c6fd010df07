"""Pages in a web archive (WARC 1.0 and 1.1, ISO 28500), read with warcio."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from scrapy_semtext.bulk.row import PROVENANCE, Row, with_body
from scrapy_semtext.limits import COMMAND_LIMITS, Limits
from scrapy_semtext.utils.extras import load_extra

#: The maximum number of bytes of a record's headers, and how many are unpacked at a time: Brotli may expand these to 80
#: MB.
_HEADERS, _STEP = 1 << 20, 128

# The beginning of gzip data, zlib's code for the format, and the number of bytes to unpack at a time.
_GZIP, _FORM_OF_GZIP, _CHUNK = b"\x1f\x8b", 31, 1 << 16


class ArchiveError(ValueError):
    """A web archive cannot be read to its end."""


@dataclass(frozen=True, slots=True)
class ArchiveFilter:
    """Which records of an archive are pages: responses and resources of certain types.

    ``statuses`` are the first digits of HTTP statuses, ``types`` media types in lower case. A body longer than
    ``limits`` allow is not read, and is an error.
    """

    statuses: tuple[str, ...] = ("2",)
    types: tuple[str, ...] = ("text/html", "application/xhtml+xml")
    limits: Limits = COMMAND_LIMITS

    def content_type(self, record: Any) -> str | None:
        """Return the Content-Type of a record that contains a page, None for others."""
        headers = record.http_headers if record.rec_type == "response" else record.rec_headers
        if record.rec_type not in ("response", "resource") or headers is None:
            return None
        if record.rec_type == "response" and not (headers.get_statuscode() or "").startswith(self.statuses):
            return None
        content_type: str = headers.get_header("Content-Type", "")
        return content_type if content_type.partition(";")[0].strip().lower() in self.types else None


class _Unpacked:
    """A file, decompressed if it is in gzip format, as input for warcio."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._data = file, self._parts()
        self._place = self._taken = 0  # bytes that were passed on, and bytes of the file
        self.error: Exception | None = None  # warcio would treat an EOFError as the end of the file
        self._begins: dict[int, int] | None = None  # maps unpacked positions of parts to positions in a packed file

    def tell(self) -> int:
        return self._place

    def read(self, _: int) -> bytes:
        try:
            data = next(self._data, b"")
        except Exception as error:
            self.error = error
            raise
        self._place += len(data)
        return data

    def offset(self, place: int) -> int | None:
        """Return the file position of the record at an unpacked position; None in the middle of a packed part."""
        return place if self._begins is None else self._begins.get(place)

    def _parts(self) -> Iterator[bytes]:
        packed = self._file.read(_CHUNK)
        self._taken += len(packed)
        if not packed.startswith(_GZIP):
            yield packed
            yield from iter(partial(self._file.read, _CHUNK), b"")
            return
        self._begins = {}
        while packed:
            self._begins[self._place] = self._taken - len(packed)
            packed = (yield from self._part(packed)).lstrip(b"\0")  # padding
            while not packed and (more := self._file.read(_CHUNK)):
                self._taken, packed = self._taken + len(more), more.lstrip(b"\0")

    def _part(self, packed: bytes) -> Generator[bytes, None, bytes]:
        """Yield the data of a part that is packed separately, and return what was read behind it."""
        unpacker = zlib.decompressobj(_FORM_OF_GZIP)
        while not unpacker.eof:
            if data := unpacker.decompress(packed, _CHUNK):
                yield data
            packed = unpacker.unconsumed_tail
            if not data and not packed and not unpacker.eof:
                if not (packed := self._file.read(_CHUNK)):
                    raise EOFError("its last record is not complete")
                self._taken += len(packed)
        return unpacker.unused_data


def rows_of_archive(file: IO[bytes], wanted: ArchiveFilter | None = None, name: str | None = None) -> Iterator[Row]:
    """Yield the pages of an archive; by default the HTML of responses with a status of 200 to 299, and of resources.

    ``file`` is plain or compressed by gzip, ``name`` is its name in rows. The id of a page is that of its record. A
    body that cannot be read is an error of its page. Raises ArchiveError if the file is damaged, MissingExtraError
    without warcio.
    """
    iterator: Any = load_extra("warcio.archiveiterator", "warc").ArchiveIterator
    broken: Any = load_extra("warcio.exceptions", "warc").ArchiveLoadFailed
    wanted, left = wanted or ArchiveFilter(), _HEADERS
    unpacked = _Unpacked(file)
    archive = iterator(unpacked)
    readline = archive.reader.readline

    def header(length: int | None = None) -> bytes:
        nonlocal left
        line: bytes = readline(min(length or left, left))
        left -= len(line)
        if not left:
            raise ArchiveError(f"the headers of a record are longer than {_HEADERS >> 20} MiB")
        return line

    archive.reader.readline = header
    try:
        for number, record in enumerate(archive, 1):
            content_type = wanted.content_type(record)
            row = None if content_type is None else _row(number, record, content_type, wanted)
            left = _HEADERS
            if row is not None:
                date, offset = record.rec_headers.get_header("WARC-Date"), unpacked.offset(archive.offset)
                row.archived = dict(zip(PROVENANCE, (date, name, offset), strict=True))
                yield row
        if unpacked.error is not None:
            raise unpacked.error
    except (broken, EOFError, zlib.error) as error:
        raise ArchiveError(str(error)) from error


def _row(number: int, record: Any, content_type: str, wanted: ArchiveFilter) -> Row:
    headers = record.rec_headers
    url = (headers.get_header("WARC-Target-URI") or "").strip("<>")  # early writers put it in brackets
    row = Row(number, headers.get_header("WARC-Record-ID"), url or None)
    try:
        return with_body(row, _body(record, wanted.limits.body), content_type, wanted.limits)
    except Exception as error:  # noqa: BLE001  for example, a body that is not compressed as declared
        row.error = f"the body cannot be read: {error or type(error).__name__}"
        return row


def _body(record: Any, most: int) -> bytes:
    """Return the body of a record, or a part of it that is longer than ``most`` bytes."""
    whole = record.raw_stream
    record.raw_stream = raw = load_extra("warcio.limitreader", "warc").LimitReader(whole, 2 * most + 1)
    stream, record.raw_stream = record.content_stream(), whole
    if encoding := getattr(stream, "decomp_type", None):  # it would unpack chunks of any length at once
        stream.set_decomp(None)
        reader = load_extra("warcio.bufferedreaders", "warc").BufferedReader
        stream = reader(stream, block_size=_STEP, decomp_type=encoding)
    body: bytes = stream.read(most + 1)
    return body if raw.limit else bytes(most + 1)  # chunked or compressed data of any length may contain little
