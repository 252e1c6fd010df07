"""`semtext batch` with worker processes that are killed, and its progress bar."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from commanding import ARTICLE

from scrapy_semtext.cli import main
from scrapy_semtext.integration import processes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="kills and terminals of Unix")]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    pages = [{"id": number, "html": ARTICLE.replace("good bread", f"bread {number}")} for number in range(60)]
    path.write_text("\n".join(map(json.dumps, [*pages, {"id": "none"}])))
    return path


def test_processes_that_are_killed_cost_no_page(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Killed(processes.WorkerPool):
        """Loses all processes before the third batch."""

        calls = 0

        def read_many(self, sources: Sequence[Any]) -> Any:
            self.calls += 1
            if self.calls == 3:
                for slot in self._slots:
                    assert slot.worker is not None
                    os.kill(slot.worker.pid, signal.SIGKILL)
            return super().read_many(sources)

    monkeypatch.setattr(processes, "WorkerPool", Killed)
    out = tmp_path / "out.jsonl"
    assert main(["batch", str(source), str(out), "--workers", "2"]) == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [*range(60), "none"]
    assert [row.get("title") for row in rows[:60]] == [
        f"How to bake bread {number} at your own home" for number in range(60)
    ]
    assert "61 pages, 1 of them with an error (the first: html is missing: the keys are" in capsys.readouterr().err


def run_batch(source: Path, out: Path, stderr: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scrapy_semtext", "batch", str(source), str(out)]
    return subprocess.Popen(command, stderr=stderr)


def test_a_terminal_shows_progress(source: Path, tmp_path: Path) -> None:
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = run_batch(source, tmp_path / "out.jsonl", theirs)
    os.close(theirs)
    shown = bytearray()
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    assert b"100%|" in shown
    assert b"61 pages, " in shown
    assert b" pages/s, 1 errors" in shown
