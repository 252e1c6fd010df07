"""Pages as JSON lines."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

from scrapy_semtext.bulk.row import Row, row_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows_of_lines(file: IO[bytes], _: str, html_key: str) -> Iterator[Row]:
    """Yield the non-blank lines of a file; a line that is not a page has an error."""
    for number, line in enumerate(file, 1):
        if line.strip():
            yield _row(number, line, html_key)


def _row(number: int, line: bytes, html_key: str) -> Row:
    try:
        values = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        return Row(number, error=f"not a line of JSON: {error}")
    if not isinstance(values, dict):
        return Row(number, error="not a JSON object")
    return row_of(number, values, html_key)
