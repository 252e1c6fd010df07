"""Rows for files in which each column has a single type, whatever the pages contain: typed JSON lines, and Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import IO, Any

from scrapy_semtext.utils.extras import load_extra

#: The value that replaces None, by column type. A JSON float is never written as an integer.
_EMPTY: dict[str, Any] = {"string": "", "bool_": False, "float64": 0.0}

#: What JSON readers interpret as a time: they then reject other texts in the column, in this file or the next.
_TIME = re.compile(r"\A(\d{4}-\d\d-\d\d)(?:[T ](\d\d)(?::?(\d\d))?(?::?(\d\d))?)?(Z|[+-]\d\d(?::?\d\d)?)?\Z", re.ASCII)


_GROUP_ROWS = 10_000


def text_cell(value: Any) -> str | None:
    """Return a value as the text of a table cell: lists and dicts as JSON, without lone surrogates; None is kept."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # lone surrogates cannot be encoded


def typed_row(row: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return a row whose values have the pyarrow types in ``kinds``, so that files of rows are compatible.

    None becomes an empty value, and an empty list becomes a list of one empty text. ISO 8601 dates get milliseconds, so
    that readers keep them as text; other texts are not changed.
    """
    return {name: _typed(name, value, kinds[name]) for name, value in row.items()}


def _typed(name: str, value: Any, kind: str) -> Any:
    if value is None:
        return _EMPTY.get(kind, 0)
    if isinstance(value, list):
        return value or [""]
    if kind == "float64":
        return float(value)
    if kind != "string":
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _TIME.sub(_with_milliseconds, text) if name.endswith("date") else text


def _with_milliseconds(time: re.Match[str]) -> str:
    hour, minute, second = (each or "00" for each in time.group(2, 3, 4))
    return f"{time[1]}T{hour}:{minute}:{second}.000{time[5] or ''}"


class ParquetRows:
    """Writes rows to a Parquet file; ``columns`` maps names to types. Values of text columns are converted to text.

    Up to _GROUP_ROWS rows are kept in memory until they are written. Raises MissingExtraError without pyarrow.
    """

    def __init__(self, file: IO[bytes], columns: Mapping[str, str]) -> None:
        self._arrow: Any = load_extra("pyarrow", "parquet")
        self._columns = columns
        self._schema = self._arrow.schema([(name, getattr(self._arrow, kind)()) for name, kind in columns.items()])
        parquet: Any = load_extra("pyarrow.parquet", "parquet")
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; values that are not columns are dropped, missing ones are null."""
        values = ((name, kind, row.get(name)) for name, kind in self._columns.items())
        self._waiting.append({name: text_cell(value) if kind == "string" else value for name, kind, value in values})
        if len(self._waiting) >= _GROUP_ROWS:
            self._flush()

    def close(self) -> None:
        """Write the remaining rows and the end of the file; the file itself stays open."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        rows, self._waiting = self._waiting, []
        if rows:
            self._writer.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))
