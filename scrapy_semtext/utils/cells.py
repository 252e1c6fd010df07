"""Rows for files whose columns have one type each, whatever pages state: typed JSON lines, and Parquet."""

from __future__ import annotations

import json
import re
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.utils.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What is written for None, by the type of the column. A float of JSON is never written as an integer.
_EMPTY: dict[str, Any] = {"string": "", "bool_": False, "float64": 0.0}

#: What readers of JSON take for a time: then the other texts of its column, in this file or the next, are errors.
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d)(?::?(\d\d))?(?::?(\d\d))?)?(Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII)


def text_cell(value: Any) -> str | None:
    """Return a value as the text of a table's cell: lists and dicts as JSON, without lone surrogates, None as it is."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # lone surrogates have no UTF-8 form


def typed_row(row: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return a row whose values have the types of ``kinds``, as pyarrow calls them, so that files of rows go together.

    None becomes an empty value, an empty list one of an empty text. Dates of ISO 8601 get milliseconds, with which
    readers leave them texts; the others are texts as they are.
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
    if not (name.endswith("date") and (time := _TIME.fullmatch(text))):
        return text
    hour, minute, second = (each or "00" for each in time.group(2, 3, 4))
    return f"{time[1]}T{hour}:{minute}:{second}.000{time[5] or ''}"


class ParquetRows:
    """Writes rows to a file of Parquet; ``columns`` gives the types by name. Values of text columns become texts.

    Up to ``rows_per_group`` rows are in memory until they are written. Raises MissingExtraError without pyarrow.
    """

    def __init__(
        self, file: IO[bytes], columns: Mapping[str, str], compression: str = "zstd", rows_per_group: int = 10_000
    ) -> None:
        self._arrow: Any = load_extra("pyarrow", "parquet")
        self._columns, self._most = columns, rows_per_group
        self._schema = self._arrow.schema([(name, getattr(self._arrow, kind)()) for name, kind in columns.items()])
        parquet: Any = load_extra("pyarrow.parquet", "parquet")
        self._writer = parquet.ParquetWriter(file, self._schema, compression=compression)
        self._waiting: list[dict[str, Any]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; what is not a column is left out, what it lacks is null."""
        values = ((name, kind, row.get(name)) for name, kind in self._columns.items())
        self._waiting.append({name: text_cell(value) if kind == "string" else value for name, kind, value in values})
        if len(self._waiting) >= self._most:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end of the file; the file itself stays open."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        rows, self._waiting = self._waiting, []
        if rows:
            self._writer.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))
