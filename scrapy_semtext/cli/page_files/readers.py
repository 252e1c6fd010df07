"""The rows of each format: pages as JSON lines, one in HTML, in a column of CSV or Parquet, in a web archive."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.bulk.row import Row, row_of, with_body
from scrapy_semtext.bulk.warc import ArchiveError, rows_of_archive
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from scrapy_semtext.bulk.warc import ArchiveFilter
    from scrapy_semtext.limits import Limits

#: How much longer than a page its line of JSON or row of CSV may be: each byte may be written as \\u0000.
_ESCAPED = 6


def rows_of_html(file: IO[bytes], name: str, _: str, limits: Limits) -> Iterator[Row]:
    """Yield the page that a file is."""
    yield with_body(Row(1, name), file.read(limits.body + 1), limits=limits)


def rows_of_lines(file: IO[bytes], _: str, html_key: str, limits: Limits) -> Iterator[Row]:
    """Yield the non-blank lines of a file; a line that is not a page, or too long for one, has an error."""
    longest = _ESCAPED * limits.body
    for number, line in enumerate(iter(partial(file.readline, longest), b""), 1):
        if len(line) == longest:
            yield with_body(Row(number), line, limits=limits)
            while line and not line.endswith(b"\n"):
                line = file.readline(longest)  # noqa: PLW2901  the rest, which is left out
        elif line.strip():
            yield _row(number, line, html_key, limits)


def _row(number: int, line: bytes, html_key: str, limits: Limits) -> Row:
    try:
        values = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        return Row(number, error=f"not a line of JSON: {error}")
    if not isinstance(values, dict):
        return Row(number, error="not a JSON object")
    return row_of(number, values, html_key, limits)


def rows_of_csv(file: IO[bytes], name: str, html_key: str, limits: Limits) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header, or of one with tabs if the name says so."""
    longest = left = min(_ESCAPED * limits.body, 2**31 - 1)  # what fits a C long on every system
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
    """Yield the rows of a Parquet file; columns but id, url and the page are not read."""
    if not file.seekable():
        raise CommandError(f"{name} is Parquet, which has to be a file, not a pipe.")
    try:
        parquet: Any = load_extra("pyarrow.parquet", "parquet")
        arrow: Any = load_extra("pyarrow", "parquet")
    except MissingExtraError as error:
        raise CommandError(f"{name} is Parquet, but {error}") from error
    try:
        table = parquet.ParquetFile(file)
        columns = table.schema_arrow.names
        _require_column(name, html_key, columns)
        wanted = [column for column in ("id", "url", html_key) if column in columns]
        rows = table.iter_batches(batch_size=1, columns=wanted)  # a few bytes may stand for many equal pages
        for number, row in enumerate(rows, 1):
            yield row_of(number, row.to_pylist()[0], html_key, limits)
    except arrow.ArrowException as error:
        raise CommandError(f"{name} cannot be read as Parquet: {error}") from error


def _require_column(name: str, html_key: str, columns: Collection[str]) -> None:
    if html_key not in columns:
        found = ", ".join(columns) or "none"
        raise CommandError(
            f"{name} has no column {html_key!r}; it has {found}. Name the column of the pages with --html-key."
        )


def rows_of_warc(file: IO[bytes], name: str, wanted: ArchiveFilter) -> Iterator[Row]:
    """Yield the pages of an archive."""
    try:
        yield from rows_of_archive(file, wanted)
    except MissingExtraError as error:
        raise CommandError(f"{name} is a web archive, but {error}") from error
    except ArchiveError as error:
        raise CommandError(f"{name} cannot be read to its end: {error}") from error
