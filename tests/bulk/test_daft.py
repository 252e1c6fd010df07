"""Daft dataframes."""

from __future__ import annotations

from typing import Any

import pytest
from archiving import gate_pages

from scrapy_semtext import Extractor

daft: Any = pytest.importorskip("daft", reason="the extra daft is not installed")

from scrapy_semtext.bulk.daft import page_rows  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.mark.parametrize("workers", [None, 2])
def test_columns_of_pages(workers: int | None) -> None:
    pages = gate_pages(6)
    columns = {
        "id": [*range(7)],
        "url": [*(url for url, _ in pages), None],
        "html": [*(html for _, html in pages), None],
    }
    frame = daft.from_pydict(columns)
    rows = frame.select("id", page_rows(workers, batch_size=3)(frame["html"], frame["url"])).sort("id").to_pydict()
    wanted = [Extractor.load().read(html, url).main_text for url, html in pages]
    assert rows["main_text"] == [*wanted, None]
    assert rows["url"] == columns["url"]
    assert rows["error"] == [None] * 6 + ["html is not a string"]
    assert all(isinstance(pairs, str) for pairs in rows["qa_pairs"][:6]), "lists are JSON"


def test_options_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="there is no such option"):
        page_rows(options={"colour": "red"})
