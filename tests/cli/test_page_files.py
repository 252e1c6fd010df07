"""The input formats of pages."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import ARTICLE, MAIN_TEXT, install
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from scrapy_semtext.cli import main
from scrapy_semtext.cli.inputs import PageFiles
from scrapy_semtext.cli.terminal import CommandError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, and a model without weights."""
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def batch(*arguments: str, status: int = 0) -> list[dict[str, Any]]:
    assert main(["batch", *arguments, "out.jsonl"]) == status
    return [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]


def test_one_html_file() -> None:
    Path("page.html").write_bytes(b'<meta charset="cp1251">' + ARTICLE.replace("Bread", "Хлеб").encode("cp1251"))
    (row,) = batch("page.html")
    assert (row["id"], row["url"], row["title"], row["main_text"]) == ("page.html", None, "Хлеб", MAIN_TEXT)


def test_a_folder_of_html_files_and_a_pattern() -> None:
    for name in ("b.html", "a.HTM", "deep/er/c.xhtml", "deep/style.css"):
        Path("saved", name).parent.mkdir(parents=True, exist_ok=True)
        Path("saved", name).write_text(ARTICLE)
    names = ["saved/a.HTM", "saved/b.html", "saved/deep/er/c.xhtml"]
    assert [row["id"] for row in batch("saved")] == names
    assert [row["id"] for row in batch("saved/*.*")] == names[:2]
    assert [row["id"] for row in batch(names[2], names[0])] == [names[2], names[0]], "in the order given"


@pytest.mark.parametrize("name", ["pages.csv", "pages.tsv", "pages.csv.gz"])
def test_csv(name: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if "tsv" in name else ",")
    writer.writerows([["url", "id", "page"], ["https://example.com/", "7", ARTICLE], ["", "8", ARTICLE * 500]])
    data = text.getvalue().encode("utf-8-sig")
    Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    first, second = batch(name, "--html-key", "page")
    assert (first["id"], first["url"], first["main_text"]) == ("7", "https://example.com/", MAIN_TEXT)
    assert (second["id"], second["url"]) == ("8", None)


def test_csv_without_the_column(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pages.csv").write_text("id,body\n1,x\n")
    assert main(["batch", "pages.csv", "out.jsonl"]) == 1
    message = "pages.csv has no column 'html'; it has id, body. Name the column of the pages with --html-key."
    assert message in capsys.readouterr().err


@pytest.mark.smoke
def test_parquet_with_text_or_bytes() -> None:
    columns = {"id": [1, 2], "url": ["https://example.com/1", None], "html": [ARTICLE, "<p>short"], "more": [1.5, 2.5]}
    pq.write_table(pa.table(columns), "pages.parquet")
    first, second = batch("pages.parquet")
    assert (first["id"], first["url"], first["main_text"]) == (1, "https://example.com/1", MAIN_TEXT)
    assert (second["id"], second["url"], second["main_text"]) == (2, None, "short")
    latin = ARTICLE.replace("Bread", "Brötchen").encode("latin-1")
    pq.write_table(pa.table({"html": [latin]}), "bytes.parquet")
    assert batch("bytes.parquet")[0]["title"] == "Brötchen"


def test_a_broken_cell_of_parquet_is_an_error_of_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [b"<p>first", b"<p>\xff", b"<p>third", b"<p>fourth"]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    html = pa.StringArray.from_buffers(4, pa.py_buffer(ends), pa.py_buffer(b"".join(texts)))
    days = pa.array([0, 1, 2**31 - 1, 2], pa.date32())
    pq.write_table(pa.table({"id": days, "html": html}), "pages.parquet")
    rows = batch("pages.parquet")
    assert [row.get("main_text") for row in rows] == ["first", None, None, "fourth"]
    assert rows[1]["id"] == "1970-01-02"
    assert rows[1]["error"].startswith("html cannot be read: 'utf-8' codec can't decode byte 0xff")
    assert rows[2]["error"].startswith("id cannot be read: ")
    assert "4 pages, 2 of them with an error" in capsys.readouterr().err


def archive(*, packed: bool) -> bytes:
    """Return a WARC file: two pages, a redirect, an image, a request, and a page that is falsely declared as gzip."""
    file = io.BytesIO()
    writer = WARCWriter(file, gzip=packed)
    html = [("Content-Type", "text/html; charset=iso-8859-1")]
    page = ARTICLE.replace("Bread", "Brötchen").encode("latin-1")
    for number, (status, headers, body) in enumerate(
        (
            ("200 OK", html, page),
            ("301 Moved", [*html, ("Location", "/")], b"<p>moved"),
            ("200 OK", [("Content-Type", "image/png")], b"\x89PNG"),
            ("200 OK", [*html, ("Content-Encoding", "gzip")], gzip.compress(page)),
            ("200 OK", [*html, ("Content-Encoding", "gzip")], gzip.compress(page)[:-40]),
        )
    ):
        record = writer.create_warc_record(
            f"https://example.com/{number}",
            "response",
            payload=io.BytesIO(body),
            http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"),
        )
        writer.write_record(record)
        record.raw_stream.close()
    request = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.com")], is_http_request=True)
    writer.write_record(writer.create_warc_record("https://example.com/", "request", http_headers=request))
    return file.getvalue()


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz", "crawl-without-an-ending"])
def test_warc(name: str) -> None:
    Path(name).write_bytes(archive(packed="gz" in name))
    rows = batch(name)
    assert [row["url"] for row in rows[:2]] == ["https://example.com/0", "https://example.com/3"]
    assert all(row["title"] == "Brötchen" and row["main_text"] == MAIN_TEXT for row in rows[:2])
    assert rows[0]["id"].startswith("<urn:uuid:")


@pytest.mark.parametrize("packed", [True, False])
def test_rows_say_where_in_an_archive_pages_are(packed: bool) -> None:
    name = "crawl.warc.gz" if packed else "crawl.warc"
    Path(name).write_bytes(archive(packed=packed))
    rows = batch(name)
    assert len(rows) == 3
    assert rows[0]["warc_record_offset"] == 0
    for row in rows:
        assert row["warc_filename"] == name
        with Path(row["warc_filename"]).open("rb") as file:
            file.seek(row["warc_record_offset"])
            record = next(ArchiveIterator(file))
            assert record.rec_headers.get_header("WARC-Record-ID") == row["id"]
            assert record.rec_headers.get_header("WARC-Date") == row["warc_date"]


def test_no_place_in_an_archive_that_was_packed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("whole.warc.gz").write_bytes(gzip.compress(archive(packed=False)) + b"\0" * 512)
    Path("whole.warc.xz").write_bytes(lzma.compress(archive(packed=False)))
    assert [row["warc_record_offset"] for row in batch("whole.warc.gz")] == [0, None, None]
    assert [row["warc_record_offset"] for row in batch("whole.warc.xz")] == [None] * 3
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(archive(packed=True))))
    rows = batch("-")
    assert rows[0]["warc_record_offset"] == 0 < rows[1]["warc_record_offset"] < rows[2]["warc_record_offset"]


def test_tables_have_columns_for_archives_where_there_may_be_any() -> None:
    Path("crawl.warc").write_bytes(archive(packed=False))
    Path("page.html").write_text(ARTICLE)
    places = {"warc_date", "warc_filename", "warc_record_offset"}
    for names, has_places in ((["page.html"], False), (["crawl.warc", "page.html"], True)):
        assert main(["batch", *names, "out.parquet"]) == 0
        table = pq.read_table("out.parquet")
        assert places.issubset(table.column_names) is has_places
        assert not has_places or table.column("warc_record_offset").to_pylist()[::3] == [0, None]


def test_several_files_of_lines() -> None:
    Path("a.jsonl").write_text(json.dumps({"id": 1, "html": ARTICLE}) + "\n{")
    Path("b.jl.xz").write_bytes(lzma.compress(json.dumps({"id": 2, "html": ARTICLE}).encode()))
    rows = batch("a.jsonl", "b.jl.xz")
    assert [row["id"] for row in rows] == [1, None, 2]
    assert (rows[1]["file"], rows[1]["line"]) == ("a.jsonl", 2)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\3\4 and more", "pages is a ZIP archive or an office document; expected is one of jsonl, html, csv,"),
        (b"%PDF-1.7", "pages is a PDF; expected"),
        (
            b"id;html\n1;<p>",
            "the format of pages cannot be determined from its name or content; say it by --from: jsonl",
        ),
        (b'[\n {"id": 1}]', "pages is one JSON array; convert it to JSON lines: jq -c '.[]' pages"),
    ],
)
def test_what_is_no_format(data: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pages").write_bytes(data)
    assert main(["batch", "pages", "out.jsonl"]) == 1
    assert message in capsys.readouterr().err
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize("data", [b"%PDF-1.7\n\xe2\xe3", b"PK\3\4 and more\0\1", b"\x28\xb5\x2f\xfd\0\1\2"])
def test_other_data_named_like_html_is_one_page_with_an_error(data: bytes) -> None:
    Path("saved").mkdir()
    Path("saved/a.html").write_bytes(data)
    Path("saved/b.html").write_text(ARTICLE)
    broken, page = batch("saved")
    assert broken["id"] == "saved/a.html"
    assert broken["error"].startswith("not a page but ")
    assert page["main_text"] == MAIN_TEXT


def test_compressed_pages_of_a_folder() -> None:
    Path("saved").mkdir()
    packed = gzip.compress(ARTICLE.encode())
    Path("saved/a.html.gz").write_bytes(packed[: len(packed) // 2])
    Path("saved/b.htm.xz").write_bytes(lzma.compress(ARTICLE.encode()))
    Path("saved/c.html.gz").write_bytes(packed)
    broken, *pages = batch("saved")
    assert broken["error"].startswith("cannot be read to its end: ")
    assert [page["main_text"] for page in pages] == [MAIN_TEXT] * 2


def test_from_says_the_format() -> None:
    Path("pages").write_text(f'id,html\n1,"{ARTICLE.replace(chr(34), chr(34) * 2)}"\n')
    assert batch("pages", "--from", "csv")[0]["main_text"] == MAIN_TEXT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing/*.html", "no file matches nothing/*.html."),
        (".", ". is a folder without HTML files (.html, .htm, .xhtml)."),
        ("packed.jsonl.gz", "packed.jsonl.gz cannot be read to its end: it is not compressed as its name says"),
    ],
)
def test_names_that_give_no_pages(name: str, message: str) -> None:
    Path("packed.jsonl.gz").write_text("{}")
    with pytest.raises(CommandError) as raised:
        PageFiles([name])
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("module", "name", "message"),
    [
        ("pyarrow.parquet", "pages.parquet", "pages.parquet is Parquet, but pyarrow is not installed: pip install"),
        ("warcio.archiveiterator", "a.warc", "a.warc is a web archive, but warcio is not installed: pip install"),
    ],
)
def test_formats_that_need_an_extra(
    module: str, name: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    Path(name).write_bytes(b"WARC/1.0" if name == "a.warc" else b"PAR1")
    assert main(["batch", name, "out.jsonl"]) == 1
    assert message in capsys.readouterr().err
