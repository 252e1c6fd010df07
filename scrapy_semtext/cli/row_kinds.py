"""What a row of a file stands for: a page, or one of its question-answer pairs or chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_semtext.bulk.results import column_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.qa.pair_rows import Row


@dataclass(frozen=True, slots=True)
class RowKind:
    """``columns``: the types of values by name, for the names that a page's row has; ``rows``: the rows of a page."""

    columns: Callable[[Sequence[str]], dict[str, str]]
    rows: Callable[[Row], Iterable[Row]]


def _page_columns(names: Sequence[str]) -> dict[str, str]:
    return {name: column_type(name) for name in names}


def _page_rows(row: Row) -> Iterable[Row]:
    yield row


def _pair_columns(_: Sequence[str]) -> dict[str, str]:
    from scrapy_semtext.qa.pair_rows import COLUMN_TYPES

    return COLUMN_TYPES


def _pair_rows(row: Row) -> Iterable[Row]:
    from scrapy_semtext.qa.pair_rows import rows_of

    return rows_of(row, {}, {})


def _chunk_columns(names: Sequence[str]) -> dict[str, str]:
    from scrapy_semtext.chunks.rows import COLUMN_TYPES

    return {"id": "string", **COLUMN_TYPES} if "id" in names else COLUMN_TYPES


def _chunk_rows(row: Row) -> Iterable[Row]:
    from scrapy_semtext.chunks.rows import rows_of

    identity = {"id": row["id"]} if "id" in row else {}
    for chunk in rows_of(row, {}):
        yield {**identity, **chunk}


ROW_KINDS = {
    "pages": RowKind(_page_columns, _page_rows),
    "pairs": RowKind(_pair_columns, _pair_rows),
    "chunks": RowKind(_chunk_columns, _chunk_rows),
}
