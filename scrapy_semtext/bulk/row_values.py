"""A page in a file or a table: a row of plain values, the same for every command and engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scrapy_semtext.bulk.row import Row, error_row
from scrapy_semtext.bulk.warc import PROVENANCE
from scrapy_semtext.options import Options, Source
from scrapy_semtext.page import Page
from scrapy_semtext.results import IN_ITEMS, RESULTS

#: The values that engines add to the text of a document by default.
BESIDE_TEXT = tuple(name for name in IN_ITEMS if name != "main_text")


def column_names(options: Options, extra: Iterable[str] = (), *, archived: bool = False) -> list[str]:
    """Return the names of all values from `result_rows`, in order; ``archived``: for pages of web archives."""
    written = {"metadata": options.reads_metadata, **dict.fromkeys(extra, True)}
    row = [
        result.name
        for result in RESULTS.values()
        if result.written == "always"
        or written.get(result.group, result.written == "read" and getattr(options, result.group))
    ]
    return ["id", *row, *(PROVENANCE if archived else ()), "file", "line", "error"]


def sources_of(rows: Iterable[Row]) -> list[Source]:
    """Return the pages that can be processed: those without an error."""
    return [Source(row.html, row.url) for row in rows if row.error is None]


def result_rows(
    rows: Iterable[Row], results: Iterable[Page | Exception], extra: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """Yield plain values for each page, or an error; ``results`` are those of `sources_of` the same rows."""
    each, asked = iter(results), dict.fromkeys(extra, True)
    for row in rows:
        if row.error is not None:
            yield error_row(row, row.error)
        elif isinstance(result := next(each), Page):
            yield {"id": row.id, **result.to_dict(**asked), **row.archived}
        else:
            yield error_row(row, f"{type(result).__name__}: {result}")


def column_type(name: str) -> str:
    """Return the pyarrow type of a column in a table of pages."""
    return RESULTS[name].column if name in RESULTS else {**PROVENANCE, "line": "int64"}.get(name, "string")
