"""Files of rows: JSON lines, CSV and Parquet. A row is a dict of plain values."""

from __future__ import annotations

import csv
import io
import json
from typing import IO, TYPE_CHECKING, Any, Protocol

from scrapy_semtext.bulk.results import text_cell
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.page_files.formats import ENDINGS, ending_of, format_of_name
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_semtext.qa.pair_rows import Row

#: The formats that rows are written in.
FORMATS = ("jsonl", "csv", "parquet")

#: How many rows of a Parquet file are in memory until they are written.
_ROWS_PER_GROUP = 10_000


#: What a cell of CSV begins with that a spreadsheet may take for a formula; the last four are full-width.
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


class RowWriter(Protocol):
    """Writes rows to a file."""

    def write(self, row: Row) -> None:
        """Write a row."""
        ...

    def close(self) -> None:
        """Write what is left; the file itself stays open."""
        ...


def row_format(name: str, given: str | None) -> str:
    """Return the format of a file to write: the given one, or that of its name; JSON lines if it has no ending.

    Raises CommandError for an ending that is that of pages, or that is not known.
    """
    form = format_of_name(name)
    if given is None and form in ("html", "warc"):
        raise CommandError(
            f"{name} would be overwritten, but its name is that of pages. If it is the file to write, say its format"
            f" with --to: {', '.join(FORMATS)}."
        )
    if given is None and form is None and ending_of(name):
        known = ", ".join(ending for form in FORMATS for ending in ENDINGS[form])
        raise CommandError(
            f"{name} has an ending that is not known; these are: {known}, each also with .gz or .xz. Or say the format"
            f" with --to: {', '.join(FORMATS)}."
        )
    return given or form or "jsonl"


def row_writer(file: IO[bytes], form: str, columns: Mapping[str, str]) -> RowWriter:
    """Return a writer for a format; ``columns`` are the names and types of all values, for the tables."""
    return _WRITERS[form](file, columns)


def as_line(row: Row) -> bytes:
    """Return a row as a line of JSON. UTF-8 cannot encode a lone surrogate: it becomes a JSON escape."""
    return f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")


class _Lines:
    def __init__(self, file: IO[bytes], _: Mapping[str, str]) -> None:
        self._file = file

    def write(self, row: Row) -> None:
        self._file.write(as_line(row))

    def close(self) -> None:
        pass


class _CSV:
    """CSV with a header; lists and dicts are JSON in their cells.

    A spreadsheet runs a text that looks like a formula, and pages choose their texts: such a text gets an apostrophe
    before it.
    """

    def __init__(self, file: IO[bytes], columns: Mapping[str, str]) -> None:
        self._text = io.TextIOWrapper(file, "utf-8", errors="replace", newline="", write_through=True)
        self._writer = csv.DictWriter(self._text, list(columns), lineterminator="\n")
        self._writer.writeheader()

    def write(self, row: Row) -> None:
        self._writer.writerow({name: self._cell(value) for name, value in row.items()})

    def close(self) -> None:
        self._text.detach()

    def _cell(self, value: Any) -> Any:
        if isinstance(value, list | dict):
            return json.dumps(value, ensure_ascii=False)
        if not isinstance(value, str):
            return value
        # a lone carriage return is not quoted before Python 3.13, and would end the row
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        return f"'{text}" if text.startswith(_BEGIN_FORMULAS) else text


class _Parquet:
    """Parquet, compressed by Zstandard; lists and dicts are JSON in their cells."""

    def __init__(self, file: IO[bytes], columns: Mapping[str, str]) -> None:
        try:
            self._arrow: Any = load_extra("pyarrow", "parquet")
            parquet: Any = load_extra("pyarrow.parquet", "parquet")
        except MissingExtraError as error:
            raise CommandError(f"Parquet cannot be written: {error}") from error
        self._schema = self._arrow.schema([(name, getattr(self._arrow, kind)()) for name, kind in columns.items()])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[Row] = []

    def write(self, row: Row) -> None:
        self._rows.append({name: self._value(name, value) for name, value in row.items()})
        if len(self._rows) == _ROWS_PER_GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _value(self, name: str, value: Any) -> Any:
        return text_cell(value) if self._arrow.types.is_string(self._schema.field(name).type) else value

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []


_WRITERS: dict[str, Callable[[IO[bytes], Mapping[str, str]], RowWriter]] = {
    "jsonl": _Lines,
    "csv": _CSV,
    "parquet": _Parquet,
}
