"""What a page becomes in a file or a table: a row of plain values, the same from every command and engine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from scrapy_semtext.bulk.row import error_row
from scrapy_semtext.options import Source
from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Self

    from scrapy_semtext.bulk.row import Row

#: The types of values of pages that are not text, as pyarrow calls them. Lists are JSON in tables, which is text.
_TYPES = {
    "page_kind_probability": "float64",
    "is_overview": "bool_",
    "overview_probability": "float64",
    "line": "int64",
}


@dataclass(frozen=True, slots=True)
class ExtraFields:
    """Which optional fields the rows of pages have."""

    blocks: bool = False
    segments: bool = False
    comments: bool = False
    records: bool = False
    chunks: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """Return the fields of these names; raise ValueError for others."""
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in names if name not in known]:
            raise ValueError(f"there is no optional field {unknown[0]!r}; there are {', '.join(known)}")
        return cls(**dict.fromkeys(names, True))

    def columns(self, *, metadata: bool = False, markdown: bool = False) -> list[str]:
        """Return the names of all values that `result_rows` gives, in order."""
        row = Page().to_dict(**asdict(self), metadata=metadata, markdown=markdown)
        return ["id", *row, "file", "line", "error"]


def sources_of(rows: Iterable[Row]) -> list[Source]:
    """Return the pages that can be read: those without an error."""
    return [Source(row.html, row.url) for row in rows if row.error is None]


def result_rows(
    rows: Iterable[Row], results: Iterable[Page | Exception], extra: ExtraFields
) -> Iterator[dict[str, Any]]:
    """Yield plain values for each page, or an error; ``results`` are those of `sources_of` the same rows."""
    each = iter(results)
    for row in rows:
        if row.error is not None:
            yield error_row(row, row.error)
        elif isinstance(result := next(each), Page):
            yield {"id": row.id, **result.to_dict(**asdict(extra))}
        else:
            yield error_row(row, f"{type(result).__name__}: {result}")


def column_type(name: str) -> str:
    """Return the type of a column of a table of pages, as pyarrow calls it."""
    return _TYPES.get(name, "string")


def text_cell(value: Any) -> str | None:
    """Return a value as the text of a table's cell: lists and dicts as JSON, without lone surrogates, None as it is."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # lone surrogates have no UTF-8 form
