from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from commanding import ARTICLE, MAIN_TEXT, Loaded, install

from scrapy_semtext.cli import main
from scrapy_semtext.read.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    return install(monkeypatch)


def write(path: Path, lines: Iterable[Any]) -> str:
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    return str(path)


def read(path: Path) -> list[dict[str, Any]]:
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def page(number: int, html: str = ARTICLE) -> dict[str, Any]:
    return {"id": f"page-{number}", "url": f"https://example.com/{number}", "html": html, "more": "ignored"}


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), [("in.jsonl", "out.jsonl"), ("in.jsonl.gz", "o.xz"), ("in.xz", "o.gz")])
def test_a_row_for_each_page_in_order(
    source: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / target
    assert main(["batch", write(tmp_path / source, map(page, range(20))), str(out)]) == 0
    rows = read(out)
    assert [row["id"] for row in rows] == [f"page-{number}" for number in range(20)]
    kind = ["page_kind", "page_kind_probability", "is_overview", "overview_probability"]
    assert list(rows[7]) == ["id", "url", "title", "main_text", "qa_pairs", "sections", *kind]
    assert (rows[7]["url"], rows[7]["title"], rows[7]["main_text"]) == (
        "https://example.com/7",
        "How to bake good bread at your own home",
        MAIN_TEXT,
    )
    assert rows[7]["page_kind"] in KINDS
    captured = capsys.readouterr()
    assert captured.err.startswith("20 pages, 0 of them with an error, in ")
    assert captured.out == ""


def test_fast_reads_main_text_only(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["batch", write(tmp_path / "in.jsonl", [page(1)]), str(out), "--fast"]) == 0
    (row,) = read(out)
    assert (row["main_text"], row["qa_pairs"], row["sections"], row["page_kind"]) == (MAIN_TEXT, [], [], None)


@pytest.mark.smoke
def test_a_page_that_fails_gives_a_row_with_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        page(1),
        '{"id": "cut off", "html": "<p>',
        "[1, 2]",
        "",
        {"id": {"any": "id"}, "url": "u"},
        {"id": "number", "html": 5},
        {"id": "address", "html": "x", "url": 5},
        page(8, "<p>explosive"),
        "[" * 100_000,
        page(10),
    ]
    out = tmp_path / "out.jsonl"
    assert main(["batch", write(tmp_path / "in.jsonl", lines), str(out)]) == 0
    rows = read(out)
    assert [row.get("line") for row in rows] == [None, 2, 3, 5, 6, 7, 8, 9, None], "line 4 is blank"
    assert [row["id"] for row in rows] == [
        "page-1",
        None,
        None,
        {"any": "id"},
        "number",
        "address",
        "page-8",
        None,
        "page-10",
    ]
    assert [row.get("error", "").split(":")[0] for row in rows] == [
        "",
        "not a line of JSON",
        "not a JSON object",
        "html is missing",
        "html is not a string",
        "url is not a string",
        "MemoryError",
        "not a line of JSON",
        "",
    ]
    assert rows[0]["main_text"] == rows[-1]["main_text"] == MAIN_TEXT, "the batch with the page that fails goes on"
    assert capsys.readouterr().err.startswith("9 pages, 7 of them with an error")


def test_bytes_that_are_no_utf8_and_lone_surrogates(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b'\xef\xbb\xbf{"id": 1, "html": "<p>"}\n{"id": "\xff"}\n{"id": "\\ud800", "html": "\\ud800"}\n')
    assert main(["batch", str(source), str(out)]) == 0
    rows = read(out)
    assert rows[0]["id"] == 1
    assert rows[1]["error"].startswith("not a line of JSON")
    assert rows[2]["id"] == "\ud800"


@pytest.mark.slow
def test_memory_does_not_grow_with_the_input(tmp_path: Path) -> None:
    def peak(pages: int) -> int:
        source = write(tmp_path / "in.jsonl.gz", (page(number, f"<p>{'word ' * 4000}") for number in range(pages)))
        tracemalloc.start()
        assert main(["batch", source, str(tmp_path / "out.jsonl")]) == 0
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    peak(20)  # what is loaded and remembered once
    assert peak(200) < 1.3 * peak(40)


def test_through_pipes(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(page(1)).encode())))
    assert main(["batch", "-", "-"]) == 0
    captured = capsysbinary.readouterr()
    assert json.loads(captured.out)["main_text"] == MAIN_TEXT
    assert captured.err.startswith(b"1 page,"), "no progress bar where nobody looks at it"


@pytest.mark.skipif(sys.platform != "linux", reason="a file system that holds no files of ours")
def test_what_cannot_be_written_is_called_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.jsonl").write_text("")
    assert main(["batch", str(tmp_path / "in.jsonl"), "/proc/out.jsonl"]) == 1
    assert capsys.readouterr().err.startswith("semtext batch: /proc/out.jsonl.part cannot be written: ")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    out, link = tmp_path / "out.jsonl", tmp_path / "link.jsonl"
    out.write_text("what was there")
    link.symlink_to(out)
    assert main(["batch", write(tmp_path / "in.jsonl", [page(1)]), str(link)]) == 0
    assert link.is_symlink()
    assert read(out)[0]["main_text"] == MAIN_TEXT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_ordinary_file_is_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    assert main(["batch", write(tmp_path / "in.jsonl", [page(1)]), str(pipe)]) == 0
    reader.join()
    assert json.loads(received[0])["id"] == "page-1"
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("missing.jsonl", "out", "missing.jsonl: No such file"),
        ("in.jsonl", "no/folder/out", "no/folder/out cannot be written: there is no such folder."),
        ("in.jsonl", ".", ". cannot be written: it is a folder."),
    ],
)
def test_files_that_cannot_be_used_are_found_before_the_model_is_loaded(
    source: str,
    target: str,
    message: str,
    tmp_path: Path,
    loaded: Loaded,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.jsonl", [page(1)])
    assert main(["batch", source, target]) == 1
    assert capsys.readouterr().err.startswith(f"semtext batch: {message}")
    assert loaded.calls == []


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_reason_for_a_traceback(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [{"id": "x" * 100_000}] * 50)  # errors need no model
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import pytest, commanding\n"
        "with pytest.MonkeyPatch.context() as patch:\n"
        "    commanding.install(patch)\n"
        "    from scrapy_semtext.cli import main\n"
        "    sys.exit(main(['batch', sys.argv[2], '-']))"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parents[1]), source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
