"""Chunks on the command line: in rows of pages, as separate rows, in the JSON of a page."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from chunking import sentences
from commanding import install

from scrapy_semtext.cli import main

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://example.com/guide"
PAGE = (
    f"<title>Knives of the kitchen</title><h1>Knives of the kitchen</h1><p>{sentences(14)}</p>"
    f"<h2 id=steel>The best steel for your knives</h2><p>{sentences(8, first=20)}</p>"
)


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "in.jsonl"
    rows = [{"id": "a", "url": URL, "html": PAGE}, {"id": "b", "html": "explosive " * 9}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("options", "sizes"), [(["--chunks"], [140, 86]), (["--chunks", "100"], [70, 70, 86])])
def test_chunks_in_the_rows_of_pages(options: list[str], sizes: list[int], source: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["batch", source, str(out), *options]) == 0
    row, error = rows_of(out)
    assert [chunk["size"] for chunk in row["chunks"]] == sizes
    assert row["chunks"][-1]["url"] == f"{URL}#steel"
    assert "error" in error


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_row_for_each_chunk(form: str, source: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{form}"
    assert main(["batch", source, str(out), "--rows", "chunks", "--chunks", "100", "--overlap", "20"]) == 0
    if form == "jsonl":
        rows = rows_of(out)
    elif form == "csv":
        rows = [*csv.DictReader(io.StringIO(out.read_text("utf-8"), newline=""))]
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(out).to_pylist()
    assert list(rows[0]) == (
        "id chunk_id url title position headings text size kind oversize start end date language licence".split()
    )
    assert len({row["chunk_id"] for row in rows}) == len(rows)
    assert [row["id"] for row in rows] == ["a", "a", "a"]
    assert [str(row["position"]) for row in rows] == ["0", "1", "2"]
    assert rows[1]["text"].startswith("Sentence")
    headings = rows[2]["headings"]
    assert (headings if form == "jsonl" else json.loads(headings)) == [
        "Knives of the kitchen",
        "The best steel for your knives",
    ]


def test_chunks_of_one_page(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    assert main(["extract", str(page), "--url", URL, "--format", "json", "--chunks", "100"]) == 0
    found = json.loads(capsysbinary.readouterr().out)
    assert [chunk["position"] for chunk in found["chunks"]] == [0, 1, 2]
    assert main(["extract", str(page), "--format", "json"]) == 0
    assert "chunks" not in json.loads(capsysbinary.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "PAGE", "--chunks"], "--chunks goes with --format json."),
        (
            ["extract", "PAGE", "--format", "json", "--tokenizer", "json:dumps"],
            "--tokenizer and --overlap go with --ch",
        ),
        (["batch", "PAGE", "OUT", "--chunks", "30", "--overlap", "16"], "overlap is 16; it has to be at most half"),
        (["batch", "PAGE", "OUT", "--chunks", "--tokenizer", "json:no"], "tokenizer is 'json:no', which cannot be"),
    ],
)
def test_what_does_not_go_together(
    arguments: list[str], message: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"PAGE": source, "OUT": str(tmp_path / "out.jsonl")}
    assert main([names.get(argument, argument) for argument in arguments]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()
