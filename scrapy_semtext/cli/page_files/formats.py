"""Which format a file of pages has: by its first bytes where these are certain, otherwise by its name."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The formats that pages are read from.
FORMATS = ("jsonl", "html", "csv", "parquet", "warc")

#: The endings of names of HTML files.
HTML_NAMES = (".html", ".htm", ".xhtml")

#: The endings of names by format; each may be followed by .gz or .xz.
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "html": HTML_NAMES,
    "csv": (".csv", ".tsv"),
    "parquet": (".parquet", ".pq"),
    "warc": (".warc",),
    "jsonl": (".jsonl", ".jl", ".ndjson", ".json"),
}
_COMPRESSED = (".gz", ".xz")
_FOREIGN = {b"PK\3\4": "a ZIP archive or an office document", b"%PDF-": "a PDF", b"\x28\xb5\x2f\xfd": "Zstandard data"}
_GZIP, _XZ, _ARCHIVE = b"\x1f\x8b", b"\xfd7zXZ\0", b"WARC/"
_BEGINNINGS = {b"PAR1": "parquet", _ARCHIVE: "warc", _GZIP: "warc"}  # all else was decompressed
_BOM = b"\xef\xbb\xbf"


def decompressed(file: io.BufferedReader, name: str) -> io.BufferedReader:
    """Return a file decompressed if it begins like gzip or xz data; a web archive in gzip data as it is."""
    head = file.peek(len(_XZ))
    if head.startswith(_GZIP) and not _packs_archive(head):
        return io.BufferedReader(gzip.GzipFile(fileobj=file))
    if head.startswith(_XZ):
        return io.BufferedReader(lzma.LZMAFile(file))
    if head and not head.startswith(_GZIP) and name.lower().endswith(_COMPRESSED):
        raise CommandError(f"{name} cannot be read to its end: it is not compressed as its name says")
    return file


def _packs_archive(head: bytes) -> bool:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(head, len(_ARCHIVE)) == _ARCHIVE
    except zlib.error:
        return False


def format_of_name(name: str) -> str | None:
    """Return the format that a name ends in, a further .gz or .xz aside; None for other names."""
    ending = ending_of(name)
    return next((form for form, endings in ENDINGS.items() if ending in endings), None)


def ending_of(name: str) -> str:
    """Return the ending of a name in lower case, a further .gz or .xz aside; "" for a name without."""
    path = Path(name.lower())
    return (path.with_suffix("") if path.suffix in _COMPRESSED else path).suffix


def format_of(head: bytes, name: str) -> str:
    """Return the format of a file that begins with ``head``; raise CommandError if it cannot be told."""
    for beginning, what in _FOREIGN.items():
        if head.startswith(beginning):
            raise CommandError(f"{name} is {what}; expected is one of {', '.join(FORMATS)}.")
    for beginning, form in _BEGINNINGS.items():
        if head.startswith(beginning):
            return form
    start = head.removeprefix(_BOM).lstrip()
    form_of_name = format_of_name(name)
    if form_of_name in (None, "jsonl") and start.startswith(b"[") and start[1:].lstrip()[:1] == b"{":
        raise CommandError(f"{name} is one JSON array; expected are JSON lines, as written by: jq -c '.[]' {name}")
    if form_of_name is not None:
        return form_of_name
    if not start or start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"<"):
        return "html"
    raise CommandError(
        f"the format of {'standard input' if name == '-' else name} cannot be told by its name or its beginning; say"
        f" it by --from: {', '.join(FORMATS)}."
    )
