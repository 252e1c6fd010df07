"""The pages that a command gets: files and folders in any of the formats, one after the other."""

from __future__ import annotations

import glob
import gzip
import io
import lzma
import os
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.bulk.row import Row, error_row
from scrapy_semtext.bulk.warc import ArchiveFilter
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import is_special
from scrapy_semtext.cli.page_files.formats import FORMATS, HTML_NAMES, decompressed, format_of
from scrapy_semtext.cli.page_files.readers import (
    rows_of_csv,
    rows_of_html,
    rows_of_lines,
    rows_of_parquet,
    rows_of_warc,
)
from scrapy_semtext.limits import COMMAND_LIMITS, Limits

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

__all__ = ["PageFiles", "Row", "add_input_options", "add_inputs", "error_row"]

_UNREADABLE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, OSError)


_READERS = {
    "jsonl": rows_of_lines,
    "html": rows_of_html,
    "csv": rows_of_csv,
    "parquet": rows_of_parquet,
}


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
    """Declare how IN is read."""
    parser.add_argument(
        "--from", choices=FORMATS, dest="form", help="the format of IN (default: by the names and beginnings of files)"
    )
    parser.add_argument(
        "--html-key", default="html", metavar="KEY", help="the key or column that holds the page (%(default)s)"
    )


class PageFiles:
    """Iterates over the pages of files, folders and patterns, in order; can be iterated over more than once.

    ``names`` are the files; ``size`` is their size in bytes, None if unknown, and ``position`` how many of these have
    been read. ``archived`` says which records of web archives are pages; those that ``limits`` forbid have an error.
    Raises CommandError for names that there are not, folders without HTML files, and unknown formats; while iterating,
    for files that cannot be read to their end.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        html_key: str = "html",
        form: str | None = None,
        archived: ArchiveFilter | None = None,
        limits: Limits = COMMAND_LIMITS,
    ) -> None:
        self.names = [name for each in inputs for name in _files_of(each)]
        self._html_key, self._form, self._limits = html_key, form, limits
        self._archived = replace(archived or ArchiveFilter(), limits=limits)
        self._sizes = [_size_of(name) for name in self.names]
        self.size = None if None in self._sizes else sum(filter(None, self._sizes))
        self._before = 0  # the sizes of the files that have been read
        self._current: IO[bytes] | None = None
        for name in self.names:
            if name != "-" and not is_special(name):
                with Path(name).open("rb") as file:
                    self._format_of(self._unpacked(file, name), name)

    @property
    def position(self) -> int:
        """How many (compressed) bytes have been read."""
        return self._before + (self._current.tell() if self._current is not None and self.size else 0)

    def __iter__(self) -> Iterator[Row]:
        self._before = 0
        for name, size in self._files():
            self._current = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115  closed below
            try:
                yield from self._rows(self._current, name)
            finally:
                if name != "-":
                    self._current.close()
                self._current = None
                self._before += size or 0

    def description(self) -> list[list[Any]]:
        """The names, sizes and times of change of the files, None for pipes."""
        return [[name, size, None if size is None else Path(name).stat().st_mtime_ns] for name, size in self._files()]

    def _files(self) -> Iterator[tuple[str, int | None]]:
        yield from zip(self.names, self._sizes, strict=True)

    def _rows(self, raw: IO[bytes], name: str) -> Iterator[Row]:
        label = name if len(self.names) > 1 else ""
        try:
            file = self._unpacked(raw, name)
            form = self._format_of(file, name)
            if form == "warc":
                rows = rows_of_warc(file, name, self._archived)
            else:
                rows = _READERS[form](file, name, self._html_key, self._limits)
            for row in rows:
                row.file = label
                yield row
        except _UNREADABLE as error:
            raise CommandError(f"{name} cannot be read to its end: {error}") from error

    def _unpacked(self, raw: IO[bytes], name: str) -> io.BufferedReader:
        # standard input may be replaced by a file object without peek()
        return decompressed(raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw), name)  # type: ignore[arg-type]

    def _format_of(self, file: io.BufferedReader, name: str) -> str:
        try:
            return self._form or format_of(file.peek(512), name)
        except _UNREADABLE as error:
            raise CommandError(f"{name} cannot be read to its end: {error}") from error


def _files_of(name: str) -> list[str]:
    """The files that an argument stands for: itself, the HTML files of a folder, or what a pattern matches.

    The HTML files of a folder of views are no pages; its pages are in one file.
    """
    if name == "-" or os.path.isfile(name):  # noqa: PTH113  a name as it was given
        return [name]
    if Path(name).is_dir():
        if (pages := Path(name, "pages.jsonl")).is_file() and _is_view_folder(Path(name)):
            return [str(pages)]
        found = sorted(str(path) for path in Path(name).rglob("*") if path.is_file() and is_html_name(path.name))
        if not found:
            raise CommandError(f"{name} is a folder without HTML files ({', '.join(HTML_NAMES)}).")
        return found
    if glob.has_magic(name):
        found = sorted(path for path in glob.glob(name, recursive=True) if Path(path).is_file())  # noqa: PTH207
        if not found:
            raise CommandError(f"no file matches {name}.")
        return found
    return [name]


def _is_view_folder(path: Path) -> bool:
    from scrapy_semtext.viewer.folder import is_view_folder  # not for other folders: it loads the viewer

    return is_view_folder(path)


def is_html_name(name: str) -> bool:
    """Return whether a file is HTML by its name."""
    return name.lower().endswith(HTML_NAMES)


def _size_of(name: str) -> int | None:
    return None if name == "-" or is_special(name) else Path(name).stat().st_size
