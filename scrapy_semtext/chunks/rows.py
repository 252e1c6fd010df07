"""Chunks as flat rows, which files and feeds have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from scrapy_semtext.qa.pair_rows import value_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The columns of a row, in the order in which files have them, with the types of their values as pyarrow calls them.
#: The headings are a list.
COLUMN_TYPES = {
    "url": "string",
    "title": "string",
    "position": "int32",
    "headings": "string",
    "text": "string",
    "size": "int32",
    "kind": "string",
    "oversize": "bool_",
    "start": "int64",
    "end": "int64",
}

Row = dict[str, Any]


def rows_of(item: Any, fields: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each chunk that an item holds, which has all of COLUMN_TYPES; none for other items.

    ``fields`` gives the item's field of a result of a page, by default the one of the same name. ``url`` is that of the
    chunk, ``title`` that of the page.
    """
    if not ItemAdapter.is_item(item):
        return
    adapter = ItemAdapter(item)
    chunks = value_in(adapter, fields, "chunks")
    title = value_in(adapter, fields, "title")
    for chunk in filter(ItemAdapter.is_item, chunks if isinstance(chunks, list | tuple) else ()):
        values = {"title": title, **ItemAdapter(chunk).asdict()}
        yield {name: values.get(name) for name in COLUMN_TYPES}
