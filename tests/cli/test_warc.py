"""`semtext warc`: a file of rows for each web archive."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from archiving import gate_pages, write_archive

from scrapy_semtext.cli import main, warc


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two archives of three pages and a list of their names."""
    monkeypatch.chdir(tmp_path)
    pages = gate_pages(6)
    names = ["crawl/first.warc.gz", "crawl/second.warc.gz"]
    Path("bucket/crawl").mkdir(parents=True)
    for name, part in zip(names, (pages[:3], pages[3:]), strict=True):
        write_archive(Path("bucket", name), part)
    Path("warc.paths.gz").write_bytes(gzip.compress("\n".join(names).encode()))
    return tmp_path


def rows(name: str) -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = pq.read_table(name).to_pylist()
    return table


@pytest.mark.slow
def test_each_archive_becomes_a_file_with_the_rows_of_batch(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["warc", "warc.paths.gz", "out", "--root", "bucket", "--workers", "2"]
    assert main(command) == 0
    assert capsys.readouterr().err.startswith("2 of 2 archives: 6 pages, 0 of them with an error, in ")
    assert sorted(os.listdir("out")) == ["first.parquet", "second.parquet", "semtext-warc.json"]  # noqa: PTH208
    assert main(["batch", "bucket/crawl/first.warc.gz", "batch.parquet"]) == 0
    found, wanted = rows("out/first.parquet"), rows("batch.parquet")
    assert {row.pop("warc_filename") for row in found} == {"crawl/first.warc.gz"}  # as the list has it
    assert {row.pop("warc_filename") for row in wanted} == {"bucket/crawl/first.warc.gz"}
    assert found == wanted
    assert main(command) == 0
    assert "2 of 2 archives (2 of them by an earlier run): 0 pages" in capsys.readouterr().err
    assert main([*command, "--no-kinds"]) == 1
    assert "out was made with no_kinds = 'False', now it is 'True': continue with" in capsys.readouterr().err


@pytest.mark.slow
def test_records_are_chosen_and_rows_are_lines() -> None:
    html = gate_pages(1)[0][1]
    write_archive(Path("one.warc.gz"), [("https://example.com/gone", html)], status="404 Not Found")
    write_archive(Path("one.warc.gz"), [("https://example.com/empty", "")])
    write_archive(Path("one.warc.gz"), [("https://example.com/short", "<p>short")])
    write_archive(Path("one.warc.gz"), [("https://example.com/long", html)])
    assert main(["warc", "one.warc.gz", "out", "--to", "jsonl", "--most", str(len(html) // 2), "--no-truncated"]) == 0
    with gzip.open("out/one.jsonl.gz", "rt", encoding="utf-8") as file:
        assert [json.loads(line)["url"] for line in file] == ["https://example.com/short"]


@pytest.mark.slow
def test_a_damaged_archive_fails_alone(capsys: pytest.CaptureFixture[str]) -> None:
    broken = Path("bucket/crawl/first.warc.gz")
    whole = broken.read_bytes()
    broken.write_bytes(whole[:-2000])
    assert main(["warc", "bucket", "out"]) == 1
    report = capsys.readouterr().err
    assert f"semtext warc: {broken} cannot be read to its end: " in report
    assert "1 of 2 archives: 3 pages, 0 of them with an error" in report
    assert len(rows("out/second.parquet")) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_killed_process_is_replaced_and_a_killed_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    pages = [(f"{url}#{number}", html) for number in range(40) for url, html in gate_pages(4)]
    write_archive(Path("long.warc.gz"), pages)
    command = ["warc", "long.warc.gz", "out"]
    process = subprocess.Popen([sys.executable, "-m", "scrapy_semtext", *command])
    part = Path("out/long.parquet.part")
    try:
        for least in (16, 48):  # the second process that reads the archive dies as well
            _wait_for(part, least, process)
            for child in _children(process.pid):
                os.kill(child, signal.SIGKILL)
        assert process.wait(60) == 1
    finally:
        process.kill()
    assert main(command) == 0
    assert "160 pages (" in capsys.readouterr().err
    assert [row["url"] for row in rows("out/long.parquet")] == [url for url, _ in pages]


def _wait_for(part: Path, least: int, process: subprocess.Popen[bytes]) -> None:
    while not part.exists() or part.read_bytes().count(b"\n") < least:
        assert process.poll() is None
        time.sleep(0.02)


def _children(pid: int) -> list[int]:
    """Return the processes that read an archive: children spawned by multiprocessing."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [child for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


@pytest.mark.parametrize(("names", "most"), [(b"x" * 30_000_000, 1_000_000), (b"x.warc\n" * 2000, 1000)])
def test_a_list_is_unpacked_only_as_far_as_it_may_go(
    names: bytes, most: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warc, "_MOST_NAMES", most)
    Path("bomb.paths.gz").write_bytes(gzip.compress(names))
    tracemalloc.start()
    try:
        assert main(["warc", "bomb.paths.gz", "out"]) == 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000
    assert "bomb.paths.gz is not a list of archives: line " in capsys.readouterr().err


def test_a_damaged_list(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cut.paths.gz").write_bytes(Path("warc.paths.gz").read_bytes()[:-9])
    Path("latin.txt").write_bytes(b"caf\xe9.warc\n")
    for name in ("cut.paths.gz", "latin.txt"):
        assert main(["warc", name, "out"]) == 1
        assert f"{name} cannot be read to its end: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.warc.gz", "out"], "none.warc.gz does not exist."),
        (["warc.paths.gz", "out"], "crawl/first.warc.gz does not exist, nor do 1 others."),
        (["bucket/*.warc", "out"], "bucket/*.warc stands for no archive."),
        (["bucket", "bucket"], "bucket is not empty, and was not written by `semtext warc`; name another folder."),
        (
            ["bucket", "bucket/crawl/first.warc.gz", "out"],
            "would become the same file: process them into different folders.",
        ),
        (["bucket", "out", "--segments", "--no-sections"], "--segments and --no-sections exclude each other."),
    ],
)
def test_what_cannot_be_read(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warc", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert not Path("out").exists()
