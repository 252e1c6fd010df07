"""The output formats of rows, and the exit status."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from commanding import ARTICLE, FAQ, MAIN_TEXT, install

from scrapy_semtext.cli import main
from scrapy_semtext.read.pair_rows import COLUMNS

ABOUT = """<meta property=article:published_time content=2024-05-01>
<a rel=license href=https://creativecommons.org/licenses/by/4.0/>License</a>"""


@pytest.fixture(autouse=True)
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page with main text, one with pairs and one that fails, in in.jsonl."""
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    rows: list[dict[str, Any]] = [
        {"id": "bread", "url": "https://example.com/", "html": ARTICLE},
        {"id": {"any": "id"}, "html": FAQ + ABOUT},
        {"id": 3, "html": None},
    ]
    Path("in.jsonl").write_text("\n".join(map(json.dumps, rows)))


@pytest.mark.smoke
def test_csv() -> None:
    assert main(["batch", "in.jsonl", "out.csv", "--segments"]) == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        bread, questions, failed = csv.DictReader(file)
    assert (bread["id"], bread["main_text"], bread["error"]) == ("bread", MAIN_TEXT, "")
    assert json.loads(questions["id"]) == {"any": "id"}
    assert json.loads(questions["qa_pairs"])[0]["question"] == 'How long, "roughly"?'
    assert "segments" in questions
    assert (failed["id"], failed["line"], failed["error"]) == ("3", "3", "html is not a string")


@pytest.mark.parametrize("options", [[], ["--to", "csv"]])
def test_a_file_called_tsv_has_tabs(options: list[str]) -> None:
    assert main(["batch", "in.jsonl", "out.tsv.gz", *options]) == 0
    with gzip.open("out.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        bread, questions, _ = csv.DictReader(file, delimiter="\t")
    assert (bread["id"], bread["main_text"]) == ("bread", MAIN_TEXT)
    assert json.loads(questions["id"]) == {"any": "id"}


def test_ids_that_json_cannot_have_are_texts() -> None:
    ids = ["NaN", "-Infinity", "1e999", "[Infinity]", '{"a": [1e999]}', "1.5"]
    Path("in.jsonl").write_text("\n".join(f'{{"id": {each}, "html": "<p>A page."}}' for each in ids))
    assert main(["batch", "in.jsonl", "out.jsonl"]) == 0
    found = [json.loads(line, parse_constant=pytest.fail)["id"] for line in Path("out.jsonl").read_text().splitlines()]
    assert found == ["NaN", "-Infinity", None, ["Infinity"], "{'a': [inf]}", 1.5]


def test_a_carriage_return_does_not_end_a_row_of_csv() -> None:
    Path("in.jsonl").write_text(json.dumps({"id": "a\rb\r\nc", "html": ARTICLE}))
    assert main(["batch", "in.jsonl", "out.csv"]) == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["id"], row["main_text"]) == ("a\nb\nc", MAIN_TEXT)


def test_parquet() -> None:
    assert main(["batch", "in.jsonl", "out.parquet"]) == 0
    table = pyarrow.parquet.read_table("out.parquet")
    bread, questions, failed = table.to_pylist()
    assert (bread["id"], bread["main_text"], bread["error"]) == ("bread", MAIN_TEXT, None)
    assert json.loads(questions["qa_pairs"])[1]["question"] == "Why?"
    assert (failed["id"], failed["line"], failed["error"]) == ("3", 3, "html is not a string")
    assert isinstance(bread["page_kind_probability"], float)


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.parquet", "pairs.jsonl.gz"])
def test_a_row_for_each_pair(name: str) -> None:
    assert main(["batch", "in.jsonl", name, "--rows", "pairs"]) == 0
    path = Path(name)
    rows: list[dict[str, Any]]
    if name.endswith("parquet"):
        rows = pyarrow.parquet.read_table(name).to_pylist()
    elif name.endswith("csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file)]
    else:
        data = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
        rows = [json.loads(line) for line in data.splitlines()]
    assert [row["question"] for row in rows] == ['How long, "roughly"?', "Why?"]
    assert rows[0]["answer"] == "Longer than anybody\nwould think."
    assert rows[1]["title"] == "Questions"
    assert tuple(rows[0]) == COLUMNS
    assert rows[1]["licence"] == "https://creativecommons.org/licenses/by/4.0/"
    assert rows[1]["page_date"].startswith("2024-05-01")
    assert len({row["id"] for row in rows}) == 2
    assert not Path(f"{name}.part").exists()


@pytest.mark.parametrize("name", ["page.html", "pages.warc.gz"])
def test_a_page_is_not_written_to(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(ARTICLE)
    assert main(["batch", "in.jsonl", name]) == 1
    assert f"{name} would be overwritten, but its name is that of pages" in capsys.readouterr().err
    assert Path(name).read_text() == ARTICLE


@pytest.mark.parametrize("name", ["out.txt", "out.jsonlines.gz"])
def test_an_ending_that_is_not_known_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", name]) == 1
    known = ".jsonl, .jl, .ndjson, .json, .csv, .tsv, .parquet, .pq, each also with .gz or .xz"
    error = capsys.readouterr().err
    assert f"{name} has an ending that is not known; these are: {known}. Or say the format with --to" in error
    assert not Path(name).exists()
    assert main(["batch", "in.jsonl", name, "--to", "jsonl"]) == 0


def test_some_pages_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", "out.jsonl"]) == 0
    report = "3 pages, 1 of them with an error (the first: html is not a string), in"
    assert capsys.readouterr().err.startswith(report)
    assert main(["batch", "in.jsonl", "out.jsonl", "--strict"]) == 1


@pytest.mark.parametrize("begin", ["=1+1", "+1", "@SUM(A1)", "\r=1", "＝1"])
def test_a_spreadsheet_finds_no_formulas_in_csv(begin: str) -> None:
    Path("in.jsonl").write_text(json.dumps({"id": f"{begin}|cmd", "html": ARTICLE}))
    assert main(["batch", "in.jsonl", "out.csv"]) == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["id"] == "'" + begin.replace("\r", "\n") + "|cmd"
    assert row["main_text"] == MAIN_TEXT
