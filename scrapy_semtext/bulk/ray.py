"""Pages in Ray Data datasets. Requires the extra ``ray``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import ray.data

from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.row import batches_of, row_of
from scrapy_semtext.bulk.warc import ArchiveFilter, rows_of_archive

#: The number of pages of an archive in a block of the dataset.
_BLOCK = 64

#: The share of a core for reading an archive. Because it differs from that of `clean`, Ray runs the two in different
#: processes; in the same one, a batch of pages would become a batch of archives, all handled by one process.
_CORES = 0.25


class PagesToRows:
    """A callable class for `map_batches` with ``batch_format="pyarrow"``: converts tables of pages to tables of rows.

    Tables have a column ``html``, text or bytes, and may have ``id`` and ``url``. The arguments are those of
    `RowReader`; the model is loaded once per actor.
    """

    def __init__(self, html_key: str = "html", **reader: Any) -> None:
        self._html_key = html_key
        self._reader = RowReader(**reader)
        self._schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in self._reader.columns().items()])
        self._reader.load()

    def __call__(self, pages: pa.Table) -> pa.Table:
        """Return a row for each page, in order, as `semtext batch` writes them to Parquet."""
        rows = (row_of(number, values, self._html_key) for number, values in enumerate(pages.to_pylist(), 1))
        return pa.Table.from_pylist(list(self._reader.table_rows(rows)), self._schema)


def clean(
    pages: ray.data.Dataset, workers: int | tuple[int, int], batch_size: int = 64, **reader: Any
) -> ray.data.Dataset:
    """Return a dataset with a row for each page of a dataset with ``html`` and, if known, ``url`` and ``id``.

    ``workers`` is the number of processes, or the minimum and maximum, each with its own core. Other arguments are
    those of `PagesToRows`. A process that dies is replaced, and its unfinished pages are processed again.
    """
    least, most = (workers, workers) if isinstance(workers, int) else workers
    return pages.map_batches(
        PagesToRows,
        fn_constructor_kwargs=reader,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        batch_size=batch_size,
        batch_format="pyarrow",
        num_cpus=1,
    )


def archives(names: Sequence[str], wanted: ArchiveFilter | None = None) -> ray.data.Dataset:
    """Return a dataset of the pages of web archives, which all machines must be able to access under these names."""
    read = partial(_pages, wanted=wanted)
    return ray.data.from_items([{"name": name} for name in names], override_num_blocks=len(names)).map_batches(
        read, batch_size=1, batch_format="pyarrow", num_cpus=_CORES
    )


def _pages(names: pa.Table, wanted: ArchiveFilter | None) -> Iterator[pa.Table]:
    """Yield tables of the pages of archives."""
    import fsspec

    for name in names.column("name").to_pylist():
        with fsspec.open(name, "rb") as file:
            for rows in batches_of(rows_of_archive(file, wanted), _BLOCK):
                yield pa.table(
                    {
                        "id": pa.array([row.id for row in rows], pa.string()),
                        "url": pa.array([row.url for row in rows], pa.string()),
                        "html": pa.array([row.html for row in rows], pa.large_string()),
                    }
                )
