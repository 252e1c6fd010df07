"""Pages as read from an input format, and as rows of plain values, the same for every command and engine."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from scrapy_semtext.limits import LimitError, Limits
from scrapy_semtext.options import Options, Source
from scrapy_semtext.page import Page
from scrapy_semtext.results import RESULTS
from scrapy_semtext.words.decoding import NotAPageError, html_text

# A batch ends after this many characters of HTML, so that memory is bounded by the largest page, not by the batch size.
_BATCH_CHARACTERS = 16_000_000

# The number of keys that the error for a row without a page lists.
_KEYS_NAMED = 8

_NONE = Limits()

#: The columns of a row that identify the record and archive of a page, with their pyarrow types; the last two are named
#: as in the index of Common Crawl.
PROVENANCE = {"warc_date": "string", "warc_filename": "string", "warc_record_offset": "int64"}


@dataclass(slots=True)
class Row:
    """A page of IN, or an error; ``number`` is that of its line, row or record in ``file``, from 1.

    ``archived`` identifies the record and archive of a page of a web archive, see `scrapy_semtext.bulk.warc`.
    """

    number: int
    id: Any = None
    url: str | None = None
    html: str = ""
    error: str | None = None
    file: str = ""
    archived: dict[str, Any] = field(default_factory=dict)


def row_of(number: int, values: Mapping[str, Any], html_key: str = "html", limits: Limits = _NONE) -> Row:
    """Return the page in a mapping, or an error if there is none or it is too large."""
    row = Row(number, _plain(values.get("id")))
    url, html = values.get("url"), values.get(html_key)
    if isinstance(url, str | None):
        row.url = url or None
    else:
        row.error = "url is not a string"
    if isinstance(html, str | bytes):
        return with_body(row, html, limits=limits)
    row.error = f"{html_key} is not a string" if html_key in values else _missing(html_key, values)
    return row


def _missing(html_key: str, values: Mapping[str, Any]) -> str:
    """Return the error for a row without a page; ``html_key`` is an option of the command and the engines."""
    found = ", ".join(map(str, islice(values, _KEYS_NAMED))) + ", ..." * (len(values) > _KEYS_NAMED)
    return f"{html_key} is missing: the keys are {found or 'none'}; --html-key (in Python html_key) names another one"


def _plain(value: Any) -> Any:
    """Convert the id of a row to a JSON value; NaN, with which Parquet marks a missing value, and infinity become None.

    Times, bytes, decimal numbers and other values that JSON cannot represent become text.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return str(value)
    return value


def with_body(row: Row, body: str | bytes, content_type: str | None = None, limits: Limits = _NONE) -> Row:
    """Decode the page of a row as browsers do; a body that is too large, or not text, is an error."""
    try:
        limits.check_body(len(body))
        row.html = html_text(body, content_type)
    except (LimitError, NotAPageError) as error:
        row.error = str(error)
    return row


def batches_of(pages: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Yield pages in lists of at most ``size``."""
    rows: list[Row] = []
    characters = 0
    for row in pages:
        rows.append(row)
        characters += len(row.html)
        if len(rows) == size or characters > _BATCH_CHARACTERS:
            yield rows
            rows, characters = [], 0
    if rows:
        yield rows


def error_row(row: Row, error: str) -> dict[str, Any]:
    """Return the row of OUT for a page that failed; ``file`` is omitted if there is only one."""
    file = {"file": row.file} if row.file else {}
    return {"id": row.id, "url": row.url, **row.archived, **file, "line": row.number, "error": error}


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
