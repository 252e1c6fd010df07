"""Files that unpack to far more than a page may have use little memory, give an error, and affect no other page."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tracemalloc
import zlib
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import ARTICLE, install

from scrapy_semtext.bulk.warc import ArchiveFilter, rows_of_archive
from scrapy_semtext.cli import main
from scrapy_semtext.cli.inputs import PageFiles
from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.bulk.row import Row

pytestmark = pytest.mark.slow

brotli = pytest.importorskip("brotli")
LIMITS = Limits(body=100_000)
TOO_LARGE = "the page is larger than 0.0954 MiB (limits: SEMTEXT_MAX_BODY of a crawl, --max-size of a command)"
SIZE = 30_000_000
A_PAGE = json.dumps({"html": ARTICLE}).encode() + b"\n"


@contextmanager
def little_memory(most: int = 12_000_000) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most, f"{peak:,} bytes"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(name: str, data: bytes) -> list[Row]:
    Path(name).write_bytes(data)
    with little_memory():
        return list(PageFiles([name], limits=LIMITS))


def errors(name: str, data: bytes) -> list[str | None]:
    return [row.error for row in rows(name, data)]


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("xz", partial(lzma.compress, preset=0))])
def test_compressed_files(ending: str, pack: object) -> None:
    assert callable(pack)
    assert errors(f"x.html.{ending}", pack(b"<" + b" " * SIZE)) == [TOO_LARGE]
    lines = A_PAGE + b'{"html": "' + b"x" * SIZE + b'"}\n' + A_PAGE + b'{"html": "' + b"x" * 150_000 + b'"}'
    assert errors(f"x.jsonl.{ending}", pack(lines)) == [None, TOO_LARGE, None, TOO_LARGE]


@pytest.mark.parametrize("row", [b'1,"' + b"x" * SIZE, b"1," * SIZE, b'"1\n",' * (SIZE // 5)])
def test_csv(row: bytes) -> None:
    with pytest.raises(CommandError, match=r"a row is longer than 600,000 characters"):
        rows("x.csv.gz", gzip.compress(b"id,html\n" + row, 1))
    assert errors("y.csv", b"id,html\n1," + b"x" * 150_000 + b"\n2,<p>") == [TOO_LARGE, None]


def test_parquet() -> None:
    equal = pa.array(["<p>" + " " * 1_000_000] * 64).dictionary_encode()
    pq.write_table(pa.table({"html": equal}), "equal.parquet")
    before = pa.default_memory_pool().max_memory()
    assert {row.error for row in PageFiles(["equal.parquet"], limits=LIMITS)} == {TOO_LARGE}
    assert pa.default_memory_pool().max_memory() - before < 20_000_000
    pq.write_table(pa.table({"html": ["<p>" * 200_000, "<p>", b"<p>" * 10_000]}), "x.parquet")
    assert [row.error for row in PageFiles(["x.parquet"], limits=LIMITS)] == [TOO_LARGE, None, None]


def record(headers: bytes, body: bytes, length: int | None = None) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + headers + b"\r\n" + body
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.test/\r\nContent-Type: application/http\r\n"
        b"Content-Length: %d\r\n\r\n" % (length or len(http)) + http + b"\r\n\r\n"
    )


def deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


BOMB = b"<p>" + bytes(SIZE)
PACKED = {"gzip": gzip.compress, "deflate": deflated, "br": brotli.compress}
AN_ARTICLE = record(b"", ARTICLE.encode())
RECORDS = {
    "plain": record(b"", BOMB),
    "a chunk": record(b"Transfer-Encoding: chunked\r\n", chunked(BOMB)),
    **{name: record(b"Content-Encoding: " + name.encode() + b"\r\n", pack(BOMB)) for name, pack in PACKED.items()},
    **{
        f"{name} in a chunk": record(
            b"Transfer-Encoding: chunked\r\nContent-Encoding: " + name.encode() + b"\r\n", chunked(pack(BOMB))
        )
        for name, pack in PACKED.items()
    },
}


@pytest.mark.parametrize("archived", RECORDS.values(), ids=RECORDS)
def test_records_of_archives(archived: bytes) -> None:
    data = b"".join(map(gzip.compress, (AN_ARTICLE, archived, AN_ARTICLE)))
    with little_memory(70_000_000):  # of 16 KB of gzip data are 16 MB, and ten bytes of Brotli
        found = list(rows_of_archive(io.BytesIO(data), ArchiveFilter(limits=LIMITS)))
    assert [row.error is None for row in found] == [True, False, True]
    assert found[1].error == TOO_LARGE or "brotli" in str(found[1].error)  # which not every version of warcio can use
    assert found[2].html == ARTICLE


@pytest.mark.parametrize("name", ["gzip", "deflate"])
@pytest.mark.parametrize("in_chunks", [True, False])
def test_records_that_are_no_bombs_are_read(name: str, in_chunks: bool) -> None:
    for body in (PACKED[name](ARTICLE.encode() * 50), ARTICLE.encode() * 50):  # also those that are not packed
        chunks = b"Transfer-Encoding: chunked\r\n" if in_chunks else b""
        made = record(chunks + b"Content-Encoding: " + name.encode() + b"\r\n", chunked(body) if in_chunks else body)
        (row,) = rows_of_archive(io.BytesIO(made))
        assert (row.html, row.error) == (ARTICLE * 50, None)


ENDLESS = {
    "a header": b"WARC/1.0\r\nX: " + b"x" * SIZE,
    "headers": b"WARC/1.0\r\n" + b"X: xxxxxxxxxxxxxxxxxxxxxxx\r\n" * (SIZE // 20),
    "headers of HTTP": record(b"X: xxxxxxxxxxxxxxxxxxxxxxx\r\n" * (SIZE // 20), b""),
    "blank lines": AN_ARTICLE + (b" " * 98 + b"\r\n") * (SIZE // 100),
}


@pytest.mark.parametrize("data", ENDLESS.values(), ids=ENDLESS)
def test_headers_without_an_end(data: bytes) -> None:
    with pytest.raises(CommandError, match="the headers of a record are longer than 1 MiB"):
        rows("x.warc.gz", gzip.compress(data, 1))


@pytest.mark.slow
def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    large = b"<p>" + b"a " * 3_000_000
    Path("x.html").write_bytes(large)
    Path("x.html.gz").write_bytes(gzip.compress(large, 1))
    Path("x.jsonl").write_bytes(A_PAGE)
    where = "the page is larger than 5 MiB (limits: SEMTEXT_MAX_BODY of a crawl, --max-size of a command)"
    for command in (
        "extract x.html",
        "view x.html -o y.html",
        "batch x.html.gz y.jsonl",
        "view x.html.gz -o y",
        "label x.html -o z",
    ):
        assert main([*command.split(), "--max-size", "5"]) == 1
        error = capsys.readouterr().err
        assert where in error or "y/index.html" in error
    assert main(["batch", "x.html.gz", "y.jsonl", "--max-size", "5", "--strict"]) == 1
    assert main(["batch", "x.html.gz", "y.jsonl", "--strict"]) == 0


def test_limits_of_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.html").write_text("<p class=a>a<p class=b>b" * 50_001)
    where = "the page has 100,002 text blocks, more than 100,000 (limits: SEMTEXT_MAX_BLOCKS of a crawl, --no-limits"
    assert main(["extract", "x.html"]) == 1
    assert where in capsys.readouterr().err
    assert main(["batch", "x.html", "y.jsonl"]) == 1
    assert where in json.loads(Path("y.jsonl").read_text())["error"]
