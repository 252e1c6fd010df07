"""`semtext batch` is interrupted and resumed."""

from __future__ import annotations

import errno
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from commanding import ARTICLE, install

from scrapy_semtext.cli import main

GATE = Path(__file__).parents[1] / "gate" / "gate.jsonl.xz"


def batch(*arguments: str | Path, preparation: Any = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scrapy_semtext", "batch", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=preparation)  # noqa: PLW1509


def in_foreground() -> None:
    """Make a process the leader of a group that receives Ctrl-C, even if these tests run in the background."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def short_pages(count: int) -> list[str]:
    """Return lines with cheap pages, each with a different text."""
    with lzma.open(GATE, "rt", encoding="utf-8") as file:
        pages = sorted((json.loads(line)["html"] for line in file), key=len)[:25]
    return [
        json.dumps({"id": number, "url": f"https://example.com/{number}", "html": f"{html}<p>This is page {number}."})
        for number, html in enumerate(islice(cycle(pages), count))
    ]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills as Unix does")
def test_five_kills_change_nothing(tmp_path: Path) -> None:
    source, whole, killed = tmp_path / "in.jsonl", tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    source.write_text("\n".join(short_pages(500)), "utf-8")
    undisturbed = batch(source, whole, "--workers", "2")
    _, report = undisturbed.communicate()
    assert undisturbed.returncode == 0, report
    part = tmp_path / "killed.jsonl.part"
    moments = random.Random(5)  # noqa: S311
    for kill in range(5):
        process = batch(source, killed, "--workers", "2", "--resume")
        least = 80 * (kill + 1)
        while lines(part) < least:
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert not killed.exists()
        with part.open("ab") as file:  # as a kill in the middle of a line leaves it
            file.write(b'{"id": 17, "ur')
    last = batch(source, killed, "--workers", "2", "--resume")
    _, report = last.communicate()
    assert last.returncode == 0, report
    assert killed.read_bytes() == whole.read_bytes()
    assert lines(whole) == 500
    assert b"of them by an earlier run" in report
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "killed.jsonl", "whole.jsonl"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupting_it_keeps_what_is_done(workers: str, tmp_path: Path) -> None:
    source, out, part = tmp_path / "in.jsonl", tmp_path / "out.csv.gz", tmp_path / "out.csv.gz.part"
    source.write_text("\n".join(short_pages(400)), "utf-8")
    process = batch(source, out, "--workers", workers, preparation=in_foreground)
    while lines(part) < 32:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the worker processes, too
    _, report = process.communicate()
    assert process.returncode == 130
    assert report.decode().endswith(f" pages in {part}; --resume continues from there\n")
    assert main(["batch", str(source), str(out), "--resume"]) == 0
    whole = tmp_path / "whole.csv.gz"
    assert main(["batch", str(source), str(whole)]) == 0
    assert out.read_bytes() == whole.read_bytes()


def test_a_disk_that_is_full_while_a_table_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch)
    source, out = tmp_path / "in.jsonl", tmp_path / "out.csv"
    source.write_text("\n".join(json.dumps({"id": number, "html": ARTICLE}) for number in range(5)))

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrapy_semtext.cli.row_files._CSV.write", fail)
        assert main(["batch", str(source), str(out)]) == 1
    report = capsys.readouterr().err
    assert report.startswith("kept 5 pages in ")
    assert report.endswith("semtext batch: No space left on device\n")
    (tmp_path / "out.csv.part.new").write_text("as a kill leaves it")
    assert main(["batch", str(source), str(out), "--resume"]) == 0
    assert capsys.readouterr().err.startswith("5 pages (5 of them by an earlier run)")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.csv"]
    assert out.read_text("utf-8").count("\n0,") == 1


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pages, and the files of a run that was interrupted while writing the last page."""
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"id": number, "html": ARTICLE}) for number in range(5)]
    Path("in.jsonl").write_text("\n".join(rows))
    assert main(["batch", "in.jsonl", "out.jsonl"]) == 0
    done = Path("out.jsonl").read_bytes()
    Path("out.jsonl").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrapy_semtext.cli.part.PartialOutput.become", lambda *_: sys.exit(9))
        with pytest.raises(SystemExit):
            main(["batch", "in.jsonl", "out.jsonl"])
    assert Path("out.jsonl.part").read_bytes() == done
    Path("out.jsonl.part").write_bytes(done[:-20])
    return tmp_path


def test_a_run_does_not_begin_again_unasked(interrupted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", "out.jsonl"]) == 1
    assert capsys.readouterr().err == (
        "semtext batch: out.jsonl.part holds the pages of a run that was interrupted: --resume continues it, --restart"
        " discards it.\n"
    ).replace("out.jsonl.part", str(interrupted / "out.jsonl.part"))
    assert main(["batch", "in.jsonl", "out.jsonl", "--restart"]) == 0
    assert capsys.readouterr().err.startswith("5 pages, 0 of them with an error,")


def test_what_was_cut_off_is_written_again(interrupted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", "out.jsonl", "--resume"]) == 0
    assert capsys.readouterr().err.startswith("5 pages (4 of them by an earlier run), 0 of them with an error,")
    rows = [json.loads(line) for line in (interrupted / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("interrupted")
def test_another_run_is_not_continued(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "in.jsonl", "out.jsonl", "--resume", "--blocks"]) == 1
    assert "out.jsonl.part was made with blocks = 'False', now it is 'True'" in capsys.readouterr().err
    with Path("in.jsonl").open("a") as file:
        file.write("\n")
    assert main(["batch", "in.jsonl", "out.jsonl", "--resume"]) == 1
    assert "out.jsonl.part was made with input = [['in.jsonl'" in capsys.readouterr().err


@pytest.mark.usefixtures("interrupted")
@pytest.mark.skipif(sys.platform == "win32", reason="files are locked on Unix alone")
def test_two_runs_do_not_write_to_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    import fcntl

    with Path("out.jsonl.part").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert main(["batch", "in.jsonl", "out.jsonl", "--resume"]) == 1
    assert "is being written by another run" in capsys.readouterr().err
    assert Path("out.jsonl.part").stat().st_size > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "out.jsonl", "--resume"], "--resume needs files as IN and OUT, not pipes."),
        (
            ["in.jsonl", "out.jsonl", "--resume", "--site-templates"],
            "--site-templates learns from one page to the next",
        ),
        (
            ["in.jsonl", "out.jsonl", "--workers", "2", "--site-templates"],
            "it excludes --workers and --resume",
        ),
    ],
)
def test_what_cannot_be_resumed(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", *arguments]) == 1
    assert message in capsys.readouterr().err
