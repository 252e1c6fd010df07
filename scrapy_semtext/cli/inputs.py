"""The pages that commands read, and files that are created once they are complete; both plain or compressed.

One page comes from a file, standard input or the web; many from files and folders of JSON lines, HTML, CSV, Parquet and
web archives, one after the other.
"""

from __future__ import annotations

import argparse
import csv
import glob
import gzip
import io
import json
import lzma
import os
import re
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, Any

from scrapy_semtext.bulk.row import Row, row_of, with_body
from scrapy_semtext.bulk.warc import ArchiveError, ArchiveFilter, rows_of_archive
from scrapy_semtext.cli.fetching import Document, add_timeout, fetch, is_address
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.limits import COMMAND_LIMITS, Limits
from scrapy_semtext.utils.extras import MissingExtraError, load_extra
from scrapy_semtext.utils.replacing import replacing_file
from scrapy_semtext.viewer.folder import PAGES, is_view_folder
from scrapy_semtext.words.decoding import NotAPageError, html_text

#: The formats that pages are read from.
FORMATS = ("jsonl", "html", "csv", "parquet", "warc")

#: The file name extensions of HTML files.
HTML_NAMES = (".html", ".htm", ".xhtml")

#: The file name extensions by format; each may be followed by .gz or .xz.
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
_BEGINNINGS = {b"PAR1": "parquet", _ARCHIVE: "warc", _GZIP: "warc"}  # everything else was decompressed
_FIRST_CHARACTERS = {b"": "jsonl", b"{": "jsonl", b"<": "html"}
_ARRAY = re.compile(rb"\[\s*\{")
_BOM = b"\xef\xbb\xbf"

#: The maximum ratio of a line of JSON or row of CSV to its page: each byte may be written as \\u0000.
_ESCAPED = 6

#: The errors of damaged files.
UNREADABLE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, OSError)


@contextmanager
def replacing(name: str, temporary: Path | None = None) -> Iterator[IO[bytes]]:
    """Open a file for writing, compressed if the name ends in .gz or .xz; "-" is standard output.

    A temporary file, by default with a unique name, is renamed to it on success; on an error an existing file is not
    changed. Special files, such as /dev/null or a pipe, are written to directly.
    """
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = require_writable(name)
    with ExitStack() as stack:
        try:
            raw = stack.enter_context(target.open("wb") if is_special(name) else replacing_file(target, temporary))
        except OSError as error:
            raise CommandError(f"{name} cannot be written: {error.strerror or error}") from error
        compressed = _compressed(raw, name)
        yield compressed if compressed is raw else stack.enter_context(compressed)


def require_writable(name: str) -> Path:
    """Return the path of a file to write, with links resolved; raise CommandError if it or its folder is unusable."""
    target = Path(os.path.realpath(name))  # otherwise a symbolic link itself would be replaced
    if target.is_dir() or not target.parent.is_dir():
        raise CommandError(
            f"{name} cannot be written: {'it is a folder' if target.is_dir() else 'there is no such folder'}."
        )
    return target


def is_special(name: str) -> bool:
    """Return whether a name is that of a pipe or a device: reading changes it, and it is written to directly."""
    target = Path(name)
    return target.exists() and not target.is_file()


def _compressed(raw: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".gz"):  # without the time, so that equal rows give equal bytes
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)  # type: ignore[return-value]
    if name.endswith(".xz"):
        return lzma.LZMAFile(raw, "wb")
    return raw


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments for a single page."""
    parser.add_argument("page", metavar="FILE|URL|-", help="a file, an http or https URL, or - for standard input")
    _add_url(parser)


def _add_url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="the URL of a page read from a file, to make its links absolute")
    add_timeout(parser)


def read_page(source: str, arguments: argparse.Namespace) -> Document:
    """Read a page from a file, standard input or the web, using --url, --timeout and the limits.

    Raises CommandError, LimitError, or OSError for a file.
    """
    try:
        document = _document(source, arguments.limits, arguments.timeout)
    except NotAPageError as error:
        raise CommandError(f"{source} is {error}.") from error
    return document._replace(url=arguments.url or document.url)


def _document(source: str, limits: Limits, timeout: float) -> Document:
    if is_address(source):
        return fetch(source, timeout, limits.body)
    if "://" in source:
        raise CommandError(f"{source}: only http and https URLs can be fetched.")
    with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
        body = file.read(limits.body + 1)
    limits.check_body(len(body))
    return Document(html_text(body), None)


def add_pages(parser: argparse.ArgumentParser, name: str = "pages", *, least: str = "+") -> None:
    """Declare PAGES, stored as the attribute ``name``; ``least`` is "+" for at least one, "*" for any number."""
    parser.add_argument(
        name,
        nargs=least,
        metavar="PAGES",
        help="files and folders as for `semtext batch`, folders of views, http or https URLs; - for standard input",
    )
    _add_url(parser)
    add_input_options(parser)


def pages_of(arguments: argparse.Namespace, names: Sequence[str]) -> Iterator[Row]:
    """Yield the pages of files and URLs in order; a page that cannot be fetched has an error.

    Raises CommandError for missing files, before the first page, and if --url is given for several pages.
    """
    if arguments.url is not None and len(names) > 1:
        raise CommandError("--url is the URL of one page.")
    given = (arguments.html_key, arguments.form, arguments.limits)
    readers = [name if is_address(name) else PageFiles([name], *given) for name in names]
    for reader in readers:
        if isinstance(reader, str):
            yield _fetched(reader, arguments)
        else:
            yield from _pages_in(reader, arguments.url)


def _pages_in(files: PageFiles, url: str | None) -> Iterator[Row]:
    for row in files:
        if url is not None and row.number > 1:
            raise CommandError(f"--url is the URL of one page, and {files.names[0]} has several.")
        row.file = row.file or files.names[0]
        row.url = url or row.url
        yield row


def refuse_inside(folder: Path, names: Sequence[str]) -> None:
    """Raise CommandError if one of the names is, or is in, a folder whose files will be replaced."""
    for name in names:
        path = Path(name).resolve()
        if name != "-" and not is_address(name) and folder.resolve() in (path, *path.parents):
            raise CommandError(f"{name} is in {folder}, whose files are replaced; name another folder.")


def _fetched(address: str, arguments: argparse.Namespace) -> Row:
    try:
        html, url = read_page(address, arguments)
    except CommandError as error:
        return Row(1, address, address, error=str(error))
    return Row(1, address, url, html)


def name_of(row: Row) -> str:
    """Return the name of a page in messages."""
    return str(row.url or row.id or f"{row.file}, line {row.number}")


def decompressed(file: io.BufferedReader, name: str) -> io.BufferedReader:
    """Decompress a file that begins like gzip or xz data; a gzipped web archive is returned unchanged."""
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
    """Return the format of a file name's extension, ignoring a final .gz or .xz; None for other names."""
    ending = ending_of(name)
    return next((form for form, endings in ENDINGS.items() if ending in endings), None)


def ending_of(name: str) -> str:
    """Return the extension of a name in lower case, ignoring a final .gz or .xz; "" without one."""
    path = Path(name.lower())
    return (path.with_suffix("") if path.suffix in _COMPRESSED else path).suffix


def format_of(head: bytes, name: str) -> str:
    """Return the format of a file that begins with ``head``; raise CommandError if it cannot be determined.

    A file of another format, such as a PDF, that is named like HTML is one page, which has an error.
    """
    form_of_name = format_of_name(name)
    foreign = _begun(head, _FOREIGN)
    if foreign is not None and form_of_name != "html":
        raise CommandError(f"{name} is {foreign}; expected is one of {', '.join(FORMATS)}.")
    if (form := _begun(head, _BEGINNINGS)) is not None:
        return form
    start = head.removeprefix(_BOM).lstrip()
    if form_of_name in (None, "jsonl") and _ARRAY.match(start):
        raise CommandError(f"{name} is one JSON array; convert it to JSON lines: jq -c '.[]' {name}")
    known = form_of_name or _FIRST_CHARACTERS.get(start[:1])
    if known is None:
        raise CommandError(
            f"the format of {'standard input' if name == '-' else name} cannot be determined from its name or content;"
            f" say it by --from: {', '.join(FORMATS)}."
        )
    return known


def _begun(head: bytes, beginnings: Mapping[bytes, str]) -> str | None:
    return next((what for beginning, what in beginnings.items() if head.startswith(beginning)), None)


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare IN, one or more files or folders."""
    parser.add_argument(
        "input",
        nargs="+",
        metavar="IN",
        help="JSON lines, HTML, CSV, Parquet or WARC files (plain, .gz or .xz), folders of HTML files, or patterns such"
        " as 'saved/*.html'; - for standard input",
    )


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options for reading IN."""
    parser.add_argument(
        "--from", choices=FORMATS, dest="form", help="the format of IN (default: by the names and beginnings of files)"
    )
    parser.add_argument(
        "--html-key", default="html", metavar="KEY", help="the key or column that holds the page (%(default)s)"
    )


class PageFiles:
    """Iterates over the pages of files, folders and patterns, in order; can be iterated over more than once.

    ``names`` are the files; ``size`` is their total size in bytes, None if unknown, and ``position`` the number of
    bytes read so far; ``archives`` is whether there may be web archives among them. Pages that exceed ``limits`` have
    an error. Raises CommandError for missing files, folders without HTML files, and unknown formats; during iteration,
    for files that cannot be read to the end.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        html_key: str = "html",
        form: str | None = None,
        limits: Limits = COMMAND_LIMITS,
    ) -> None:
        self.names = [name for each in inputs for name in _files_of(each)]
        self._html_key, self._form, self._limits = html_key, form, limits
        self._sizes = {
            name: None if name == "-" or is_special(name) else Path(name).stat().st_size for name in self.names
        }
        self.size = None if None in self._sizes.values() else sum(filter(None, map(self._sizes.get, self.names)))
        self._before = 0  # the total size of the previous files
        self._current: IO[bytes] | None = None
        self.archives = False
        for name in self.names:
            known = form
            if name != "-" and not is_special(name):
                with Path(name).open("rb") as file:
                    known = self._format_of(self._unpacked(file, name), name)
            self.archives |= known in (None, "warc")

    @property
    def position(self) -> int:
        """The number of (compressed) bytes that have been read."""
        return self._before + (self._current.tell() if self._current is not None and self.size else 0)

    def __iter__(self) -> Iterator[Row]:
        self._before = 0
        for name in self.names:
            self._current = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115  closed below
            try:
                yield from self._rows(self._current, name)
            finally:
                if name != "-":
                    self._current.close()
                self._current = None
                self._before += self._sizes[name] or 0

    def description(self) -> list[list[Any]]:
        """The names, sizes and modification times of the files, None for pipes."""
        sizes = [(name, self._sizes[name]) for name in self.names]
        return [[name, size, None if size is None else Path(name).stat().st_mtime_ns] for name, size in sizes]

    def _rows(self, raw: IO[bytes], name: str) -> Iterator[Row]:
        label = name if len(self.names) > 1 else ""
        try:
            file = self._unpacked(raw, name)
            form = self._format_of(file, name)
            for row in _READERS[form](file, name, self._html_key, self._limits):
                row.file = label
                yield row
        except UNREADABLE as error:
            raise CommandError(f"{name} cannot be read to its end: {error}") from error

    def _unpacked(self, raw: IO[bytes], name: str) -> io.BufferedReader:
        # standard input may have been replaced by a file object without peek()
        return decompressed(raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw), name)  # type: ignore[arg-type]

    def _format_of(self, file: io.BufferedReader, name: str) -> str:
        try:
            return self._form or format_of(file.peek(512), name)
        except UNREADABLE as error:
            if format_of_name(name) == "html":
                return "html"  # one page, which has an error
            raise CommandError(f"{name} cannot be read to its end: {error}") from error


def _files_of(name: str) -> list[str]:
    """Return the files that an argument refers to: itself, the HTML files of a folder, or the matches of a pattern.

    The HTML files of a folder of views are not pages; its pages are in a single file.
    """
    path, given = Path(name), [name]
    if name == "-" or os.path.isfile(name):  # noqa: PTH113  a name as given
        return given
    if path.is_dir():
        if is_view_folder(path):
            return [str(path / PAGES)]
        inside = (file for file in path.rglob("*") if file.is_file() and format_of_name(file.name) == "html")
        given = sorted(map(str, inside))
        problem = f"{name} is a folder without HTML files ({', '.join(HTML_NAMES)})."
    elif glob.has_magic(name):
        given = sorted(filter(os.path.isfile, glob.glob(name, recursive=True)))  # noqa: PTH207
        problem = f"no file matches {name}."
    if not given:
        raise CommandError(problem)
    return given


def rows_of_html(file: IO[bytes], name: str, _: str, limits: Limits) -> Iterator[Row]:
    """Yield the page that is the whole file; one that cannot be decompressed to its end has an error."""
    try:
        yield with_body(Row(1, name), file.read(limits.body + 1), limits=limits)
    except UNREADABLE as error:
        yield Row(1, name, error=f"cannot be read to its end: {error}")


def rows_of_lines(file: IO[bytes], _: str, html_key: str, limits: Limits) -> Iterator[Row]:
    """Yield the non-blank lines of a file; a line that is not a page, or too long for one, has an error."""
    longest = _ESCAPED * limits.body
    for number, line in enumerate(iter(partial(file.readline, longest), b""), 1):
        if len(line) == longest:
            yield with_body(Row(number), line, limits=limits)
            while line and not line.endswith(b"\n"):
                line = file.readline(longest)  # noqa: PLW2901  the rest, which is dropped
        elif line.strip():
            yield _row(number, line, html_key, limits)


def _row(number: int, line: bytes, html_key: str, limits: Limits) -> Row:
    try:
        values = json.loads(line.decode("utf-8-sig"), parse_constant=str)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        return Row(number, error=f"not a line of JSON: {error}")
    if not isinstance(values, dict):
        return Row(number, error="not a JSON object")
    return row_of(number, values, html_key, limits)


def rows_of_csv(file: IO[bytes], name: str, html_key: str, limits: Limits) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; it is tab-separated if its name says so."""
    longest = left = min(_ESCAPED * limits.body, 2**31 - 1)  # fits a C long on every system
    csv.field_size_limit(longest)
    text = io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline="")

    def lines() -> Iterator[str]:
        nonlocal left
        while line := text.readline(left):
            left -= len(line)
            if not left:
                raise csv.Error(f"a row is longer than {longest:,} characters (limits: --no-limits)")
            yield line

    reader = csv.DictReader(lines(), delimiter="\t" if ".tsv" in name else ",")
    try:
        _require_column(name, html_key, reader.fieldnames or ())
        for number, values in enumerate(reader, 1):
            left = longest
            yield row_of(number, values, html_key, limits)
    except csv.Error as error:
        raise CommandError(f"{name} cannot be read as CSV: line {reader.line_num}: {error}") from error
    finally:
        text.detach()  # otherwise the file would be closed with it


def rows_of_parquet(file: IO[bytes], name: str, html_key: str, limits: Limits) -> Iterator[Row]:
    """Yield the rows of a Parquet file; only the columns id, url and the page are read. A broken cell is an error."""
    if not file.seekable():
        raise CommandError(f"{name} is Parquet, which has to be a file, not a pipe.")
    try:
        parquet: Any = load_extra("pyarrow.parquet", "parquet")
        arrow: Any = load_extra("pyarrow", "parquet")
    except MissingExtraError as error:
        raise CommandError(f"{name} is Parquet, but {error}") from error
    broken = (ValueError, OverflowError, LookupError, arrow.ArrowException)  # text not in UTF-8, times, time zones
    try:
        table = parquet.ParquetFile(file)
        columns = table.schema_arrow.names
        _require_column(name, html_key, columns)
        wanted = [column for column in ("id", "url", html_key) if column in columns]
        rows = table.iter_batches(batch_size=1, columns=wanted)  # a few bytes may represent many equal pages
        for number, row in enumerate(rows, 1):
            values, unreadable = {}, None
            for column, cells in zip(row.schema.names, row.columns, strict=True):
                try:
                    values[column] = cells[0].as_py()
                except broken as error:  # noqa: PERF203  each cell may be
                    unreadable = f"{column} cannot be read: {error}"
            page = row_of(number, values, html_key, limits)
            page.error = unreadable or page.error
            yield page
    except arrow.ArrowException as error:
        raise CommandError(f"{name} cannot be read as Parquet: {error}") from error


def _require_column(name: str, html_key: str, columns: Collection[str]) -> None:
    if html_key not in columns:
        found = ", ".join(columns) or "none"
        raise CommandError(
            f"{name} has no column {html_key!r}; it has {found}. Name the column of the pages with --html-key."
        )


def rows_of_warc(file: IO[bytes], name: str, _: str, limits: Limits) -> Iterator[Row]:
    """Yield the pages of an archive."""
    raw = getattr(file, "raw", None)  # of a buffered reader
    try:
        for row in rows_of_archive(file, ArchiveFilter(limits=limits), Path(name).as_posix()):
            if isinstance(raw, gzip.GzipFile | lzma.LZMAFile):
                row.archived["warc_record_offset"] = None
            yield row
    except MissingExtraError as error:
        raise CommandError(f"{name} is a web archive, but {error}") from error
    except ArchiveError as error:
        raise CommandError(f"{name} cannot be read to its end: {error}") from error


_READERS = {
    "jsonl": rows_of_lines,
    "html": rows_of_html,
    "csv": rows_of_csv,
    "parquet": rows_of_parquet,
    "warc": rows_of_warc,
}
