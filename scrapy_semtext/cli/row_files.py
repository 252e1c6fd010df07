"""Files of rows: JSON lines, CSV and Parquet. A row is a dict of plain values, of a page, or a pair or chunk of one."""

from __future__ import annotations

import csv
import io
import json
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.bulk.results import column_type, text_cell
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.page_files import ENDINGS, ending_of, format_of_name
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy_semtext.qa.pair_rows import Row

#: The formats that rows are written in.
FORMATS = ("jsonl", "csv", "parquet")

#: What a row stands for.
ROWS = ("pages", "pairs", "chunks")

#: How many rows of a Parquet file are in memory until they are written.
_ROWS_PER_GROUP = 10_000


#: What a cell of CSV begins with that a spreadsheet may take for a formula; the last four are full-width.
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


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


def row_columns(rows: str, names: Sequence[str]) -> dict[str, str]:
    """Return the types of the columns of a table by their names; ``names`` are those of the values that pages have."""
    if rows == "pairs":
        from scrapy_semtext.qa.pair_rows import COLUMN_TYPES

        return COLUMN_TYPES
    if rows == "chunks":
        from scrapy_semtext.chunks import rows as chunks

        return {"id": "string", **chunks.COLUMN_TYPES} if "id" in names else chunks.COLUMN_TYPES
    return {name: column_type(name) for name in names}


def rows_of_page(rows: str, page: Row) -> Iterable[Row]:
    """Return the rows that the row of a page becomes."""
    if rows == "pairs":
        from scrapy_semtext.qa.pair_rows import rows_of

        return rows_of(page, {}, {})
    if rows == "chunks":
        from scrapy_semtext.chunks import rows as chunks

        identity = {"id": page["id"]} if "id" in page else {}
        return ({**identity, **chunk} for chunk in chunks.rows_of(page, {}))
    return (page,)


def row_writer(file: IO[bytes], form: str, rows: str, names: Sequence[str]) -> RowWriter:
    """Return a writer for a format; ``rows`` is one of ROWS, ``names`` are those of the values that pages have."""
    return _WRITERS[form](file, rows, row_columns(rows, names))


def as_line(row: Row) -> bytes:
    """Return a row as a line of JSON. UTF-8 cannot encode a lone surrogate: it becomes a JSON escape."""
    return f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")


class RowWriter:
    """Writes rows to a file: lines of JSON. ``columns`` are the names and types of all values, for tables."""

    done = errors = 0  # of rows that the file had from the beginning

    def __init__(self, file: IO[bytes], rows: str, columns: Mapping[str, str]) -> None:
        self._file, self._rows, self._columns = file, rows, columns

    def add(self, pages: Iterable[Row]) -> int:
        """Write the rows that the rows of pages become; return how many there are."""
        count = 0
        for page in pages:
            for row in rows_of_page(self._rows, page):
                self.write(row)
                count += 1
        return count

    def write(self, row: Row) -> None:
        """Write a row."""
        self._file.write(as_line(row))

    def close(self) -> None:
        """Write what is left; the file itself stays open."""


class _CSV(RowWriter):
    """CSV with a header; lists and dicts are JSON in their cells.

    A spreadsheet runs a text that looks like a formula, and pages choose their texts: such a text gets an apostrophe
    before it.
    """

    def __init__(self, file: IO[bytes], rows: str, columns: Mapping[str, str]) -> None:
        super().__init__(file, rows, columns)
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


class _Parquet(RowWriter):
    """Parquet, compressed by Zstandard; lists and dicts are JSON in their cells."""

    def __init__(self, file: IO[bytes], rows: str, columns: Mapping[str, str]) -> None:
        super().__init__(file, rows, columns)
        try:
            self._arrow: Any = load_extra("pyarrow", "parquet")
            parquet: Any = load_extra("pyarrow.parquet", "parquet")
        except MissingExtraError as error:
            raise CommandError(f"Parquet cannot be written: {error}") from error
        self._schema = self._arrow.schema([(name, getattr(self._arrow, kind)()) for name, kind in columns.items()])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[Row] = []

    def write(self, row: Row) -> None:
        self._waiting.append(
            {name: text_cell(value) if self._columns[name] == "string" else value for name, value in row.items()}
        )
        if len(self._waiting) == _ROWS_PER_GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(self._arrow.Table.from_pylist(self._waiting, schema=self._schema))
        self._waiting = []


_WRITERS = {"jsonl": RowWriter, "csv": _CSV, "parquet": _Parquet}
