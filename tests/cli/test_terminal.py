"""Control characters of pages do not reach the terminal."""

from __future__ import annotations

import io
import json
import logging
import sys
from pathlib import Path

import pytest
from commanding import install

from scrapy_semtext.cli import main, terminal

TEXT = "Good \x1b[2J\x1b]0;title\x07 bread \x9b31m takes\r longer than \u202eanybody\u2066 would think\x08"
SHOWN = "Good ?[2J?]0;title? bread ?31m takes? longer than ?anybody? would think?"
PAGE = f"<title>Bread</title><p>{TEXT}"


class Terminal(io.TextIOWrapper):
    """Standard output that says it is a terminal."""

    def __init__(self) -> None:
        self.bytes = io.BytesIO()
        super().__init__(self.bytes, "utf-8", write_through=True)

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").write_text(json.dumps({"id": TEXT, "html": PAGE}) + "\n", "utf-8")
    Path("page.html").write_text(f"<meta charset=utf-8>{PAGE}", "utf-8")
    return tmp_path


def printed(monkeypatch: pytest.MonkeyPatch, *command: str) -> str:
    """Return what a command writes to a terminal."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(command) == 0
    return screen.bytes.getvalue().decode()


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_page_on_a_terminal(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, "extract", "page.html", "--format", form)
    assert "would think" in text
    assert [each for each in text if not each.isprintable() and each != "\n"] == []


@pytest.mark.parametrize("form", ["jsonl", "csv", "messages"])
def test_rows_on_a_terminal(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, "batch", "pages.jsonl", "-", "--to", form)
    assert [each for each in text if not each.isprintable() and each != "\n"] == []
    assert form == "messages" or "would think" in text


def test_files_and_pipes_keep_what_a_page_has(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["batch", "pages.jsonl", "out.jsonl"]) == 0
    assert json.loads(Path("out.jsonl").read_text("utf-8"))["id"] == TEXT
    assert main(["batch", "pages.jsonl", "-"]) == 0
    assert capsysbinary.readouterr().out == Path("out.jsonl").read_bytes()


def test_messages_logs_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.harmless_streams():
        sys.stderr.write(f"{TEXT}\n")
        sys.stderr.writelines([f"{TEXT}\n"])
        logging.StreamHandler().emit(logging.makeLogRecord({"msg": TEXT}))
        sys.stderr.write("\r\x1b[Kprogress, 日本語\u3000\r")
    assert capsys.readouterr().err == f"{SHOWN}\n" * 3 + "\r\x1b[Kprogress, 日本語\u3000?"


def test_errors_name_files_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "no\x1b[2J.html"]) == 1
    Path("bad.jsonl").write_text(json.dumps({"url\x9b": 1}, ensure_ascii=False) + "\n", "utf-8")
    assert main(["batch", "bad.jsonl", "out.jsonl"]) == 1
    message = capsys.readouterr().err
    assert "no?[2J.html: No such file" in message
    assert "the keys are url?;" in message


def test_a_character_may_be_written_in_two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    with terminal.harmless_streams():
        for part in (b"a\xc2", b"\x9bb\r\nc\xe2\x80", b"\xae"):
            sys.stdout.buffer.write(part)
    assert screen.bytes.getvalue() == b"a?b\nc?"
