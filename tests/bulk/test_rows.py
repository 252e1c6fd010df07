"""Rows of pages, as returned by all engines."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pytest
from archiving import write_archive
from commanding import ARTICLE, MAIN_TEXT, install

from scrapy_semtext import Options
from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.row import Row, row_of
from scrapy_semtext.bulk.warc import ArchiveFilter, rows_of_archive
from scrapy_semtext.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from commanding import Loaded


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    return install(monkeypatch)


@pytest.mark.smoke
def test_rows_are_those_of_batch(tmp_path: Path) -> None:
    pages = [
        {"id": "a", "url": "https://example.com/a", "html": ARTICLE},
        {"id": "none"},
        {"id": "bad", "html": "<p>explosive"},
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, pages)))
    assert main(["batch", str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl"), "--comments"]) == 0
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    reader = RowReader(extra=["comments"])
    rows = reader.read(row_of(number, page) for number, page in enumerate(pages, 1))
    assert [*rows] == [json.loads(line) for line in lines]


def test_a_row_without_a_page_says_what_it_has() -> None:
    row = row_of(1, {"id": 1, "url": "u", "content": "<p>"})
    assert (
        row.error == "html is missing: the keys are id, url, content; --html-key (in Python html_key) names another one"
    )
    assert (row_of(1, {}, "body").error or "").startswith("body is missing: the keys are none;")
    assert "k6, k7, ...;" in (row_of(1, {f"k{number}": 1 for number in range(99)}).error or "")


def test_one_page_as_text_or_bytes() -> None:
    reader = RowReader({"kinds": False})
    row = reader.read_one(ARTICLE, "https://example.com/")
    assert (row["url"], row["main_text"], row["page_kind"]) == ("https://example.com/", MAIN_TEXT, None)
    assert reader.read_one(ARTICLE.encode("utf-16"))["main_text"] == MAIN_TEXT
    assert (
        reader.read_one(b"%PDF-1.7")["error"] == "not a page but a PDF: take its text with a PDF reader such as pypdf"
    )


def test_rows_of_tables_have_all_columns_and_lists_as_json() -> None:
    reader = RowReader({"markdown": True})
    good, bad = reader.table_rows([Row(1, 7, None, ARTICLE), Row(2, "x", error="html is missing")])
    assert list(good) == list(bad) == list(reader.columns())
    assert (good["id"], good["qa_pairs"], good["error"]) == ("7", "[]", None)
    assert good["markdown"].startswith("# ")
    assert (bad["main_text"], bad["error"]) == (None, "html is missing")


def test_optional_fields_are_read() -> None:
    reader = RowReader(extra=["chunks", "records"])
    row = reader.read_one(ARTICLE)
    assert [chunk["text"] for chunk in row["chunks"]] == [MAIN_TEXT]
    assert (row["records"], row["next_page"]) == ([], None)
    assert RowReader(Options(chunks=50), extra=["chunks"]).options.chunks == Options(chunks=50).chunks


def test_a_process_loads_the_model_once_and_when_it_needs_it(loaded: Loaded) -> None:
    reader = pickle.loads(pickle.dumps(RowReader(bundle=None)))
    assert loaded.calls == []
    reader.read_one(ARTICLE)
    reader.read_one(ARTICLE)
    assert len(loaded.calls) == 1
    copy = pickle.loads(pickle.dumps(reader))
    assert copy.read_one(ARTICLE)["main_text"] == MAIN_TEXT
    assert len(loaded.calls) == 2


def test_what_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"there is no such option: .*'colour'"):
        RowReader({"colour": "red"})
    with pytest.raises(ValueError, match="there is no optional field 'block'; there are blocks, comments"):
        RowReader(extra=["block"])


@pytest.mark.parametrize(
    ("wanted", "urls"),
    [
        (ArchiveFilter(), ["/ok", "/long", "/partial"]),
        (ArchiveFilter(statuses=("200",)), ["/ok", "/long"]),
        (ArchiveFilter(statuses=("2", "404")), ["/ok", "/long", "/partial", "/gone"]),
        (ArchiveFilter(types=("text/plain",)), ["/plain"]),
    ],
)
def test_which_records_are_pages(wanted: ArchiveFilter, urls: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    site = "https://example.com"
    write_archive(path, [(f"{site}/ok", "<p>short"), (f"{site}/long", f"<p>{'long ' * 9}")])
    write_archive(path, [(f"{site}/partial", "<p>part")], status="206 Partial Content")
    write_archive(path, [(f"{site}/gone", "<p>gone")], status="404 Not Found")
    write_archive(path, [(f"{site}/plain", "short")], content_type="Text/Plain")
    with path.open("rb") as file:
        assert [row.url for row in rows_of_archive(file, wanted)] == [f"{site}{url}" for url in urls]
