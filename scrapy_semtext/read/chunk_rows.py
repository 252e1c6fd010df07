"""Chunks as flat rows for files and feeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from itemadapter import ItemAdapter

from scrapy_semtext.read.pair_rows import Row, page_facts, stable_id, value_in
from scrapy_semtext.utils.cells import text_cell

#: The columns of a row in file order, with the pyarrow types of their values. The headings are a list.
COLUMN_TYPES = {
    "chunk_id": "string",
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
    "date": "string",
    "language": "string",
    "licence": "string",
}


def chunk_rows(item: Any, fields: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row with all of COLUMN_TYPES for each chunk in an item; other items yield none.

    ``fields`` maps results of a page to the item's fields, by default those of the same names. ``chunk_id`` identifies
    the text on its page, and is the same in every run. ``url`` is that of the chunk; ``title``, ``date``, ``language``
    and ``licence`` are those of the page, the last three only if its metadata and details were extracted.
    """
    if not ItemAdapter.is_item(item):
        return
    adapter, seen = ItemAdapter(item), Counter[str]()
    chunks = value_in(adapter, fields, "chunks")
    facts = page_facts(adapter, fields)
    of_page = {"title": value_in(adapter, fields, "title"), "date": facts.pop("page_date"), **facts}
    page = value_in(adapter, fields, "url") or text_cell(value_in(adapter, {}, "id"))
    for chunk in filter(ItemAdapter.is_item, chunks if isinstance(chunks, list | tuple) else ()):
        values = {**of_page, **ItemAdapter(chunk).asdict()}
        text = values.get("text") or ""
        values["chunk_id"] = stable_id(page, text, *[str(seen[text])] * (text in seen))  # the same text may occur twice
        seen[text] += 1
        yield {name: values.get(name) for name in COLUMN_TYPES}
