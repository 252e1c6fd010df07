"""Conversion of pages to rows, in one process or in those of an engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_semtext.bulk.row import Row, batches_of, column_names, column_type, result_rows, row_of, sources_of
from scrapy_semtext.integration.processes import FIRST_PAGE, read_sources
from scrapy_semtext.options import Options, Source, require_extras
from scrapy_semtext.results import ON_REQUEST, RESULTS
from scrapy_semtext.utils.cells import text_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.site.rules import SiteRules

#: The number of pages processed at a time.
BATCH_SIZE = 16


class RowReader:
    """Converts pages to rows. It can be pickled: each process loads the model on first use.

    ``options`` are `Options` or a dict of them, ``extra`` the names of optional fields of rows (`results.ON_REQUEST`),
    ``bundle`` the folder of a custom model, ``sites`` the rules of sites. Raises ValueError for unknown options and
    fields, MissingExtraError if options require a library that is not installed.
    """

    def __init__(
        self,
        options: Options | Mapping[str, Any] | None = None,
        *,
        extra: Iterable[str] = (),
        bundle: str | Path | None = None,
        device: str = "cpu",
        sites: SiteRules | None = None,
    ) -> None:
        self.extra = tuple(extra)
        if unknown := [name for name in self.extra if name not in ON_REQUEST]:
            raise ValueError(f"there is no optional field {unknown[0]!r}; there are {', '.join(ON_REQUEST)}")
        self.options = _complete(options, self.extra)
        self._bundle, self._device, self._sites = bundle, device, sites
        self._extractor: Extractor | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return everything except the loaded model, for pickle."""
        return {**self.__dict__, "_extractor": None}

    def load(self) -> Extractor:
        """Load the model, and everything else that the first page needs, unless already done. Raises BundleError."""
        if self._extractor is None:
            from scrapy_semtext.extractor import Extractor
            from scrapy_semtext.utils.process_tuning import freeze_gc

            extractor = Extractor.load(self._bundle, self._device, self.options)
            extractor.sites = self._sites
            extractor.read_many([Source(FIRST_PAGE)])
            freeze_gc()
            self._extractor = extractor
        return self._extractor

    def read(self, pages: Iterable[Row]) -> Iterator[dict[str, Any]]:
        """Yield a row for each page, in order; a page that fails gives a row with an ``error``."""
        extractor = self.load()
        for batch in batches_of(pages, BATCH_SIZE):
            yield from result_rows(batch, read_sources(extractor, sources_of(batch)), self.extra)

    def read_one(self, html: str | bytes, url: str | None = None) -> dict[str, Any]:
        """Return the row of a page."""
        (row,) = self.read([row_of(1, {"html": html, "url": url})])
        return row

    def columns(self) -> dict[str, str]:
        """Return the names of all values of rows in tables, with their pyarrow types."""
        names = column_names(self.options, self.extra)
        return {name: column_type(name) for name in names if name not in ("file", "line")}

    def table_rows(self, pages: Iterable[Row]) -> Iterator[dict[str, Any]]:
        """Yield rows with all columns, with lists as JSON."""
        columns = self.columns()
        for row in self.read(pages):
            yield {
                name: text_cell(row.get(name)) if kind == "string" else row.get(name) for name, kind in columns.items()
            }


def _complete(options: Options | Mapping[str, Any] | None, extra: Sequence[str]) -> Options:
    """Return the options extended by those that the optional fields require."""
    if not isinstance(options, Options):
        try:
            options = Options(**(options or {}))
        except TypeError as error:
            raise ValueError(f"there is no such option: {error}") from error
    needed = {option for name in extra if (option := RESULTS[name].option) is not None}
    unread: dict[str, Any] = {option: True for option in needed if not getattr(options, option)}
    complete = replace(options, **unread)
    require_extras(complete)
    return complete
