"""Pages in dataframes of Daft. Needs the extra ``daft``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import daft
import pyarrow as pa

from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.row import row_of


def page_rows(workers: int | None = None, batch_size: int = 64, **reader: Any) -> Callable[..., daft.Expression]:
    """Return a function that maps two columns, the HTML of pages and their URLs, to the columns of rows.

    ``df.select("id", page_rows()(df["html"], df["url"]))``. HTML is text or bytes. The arguments are those of
    `RowReader`. With ``workers``, this many processes are used, each loading the model once; otherwise, a thread of
    this process.
    """
    columns = {name: kind for name, kind in RowReader(**reader).columns().items() if name != "id"}
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in columns.items()])
    row_type = daft.DataType.struct({each.name: daft.DataType.from_arrow_type(each.type) for each in schema})

    @daft.cls(use_process=workers is not None, max_concurrency=workers or 1)
    class PagesToRows:
        def __init__(self) -> None:
            self.reader = RowReader(**reader)
            self.reader.load()

        @daft.method.batch(return_dtype=row_type, unnest=True, batch_size=batch_size)  # type: ignore[untyped-decorator]
        def rows(self, html: daft.Series, url: daft.Series) -> pa.Array:
            each = zip(html.to_pylist(), url.to_pylist(), strict=True)
            pages = (row_of(1, {"html": page, "url": address}) for page, address in each)
            rows = [{name: row[name] for name in columns} for row in self.reader.table_rows(pages)]
            return pa.array(rows, pa.struct(schema))

    rows: Callable[..., daft.Expression] = PagesToRows().rows
    return rows
