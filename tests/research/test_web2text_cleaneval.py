"""The measure on CleanEval, on fictional pages in its format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")


from research.web2text_cleaneval import SPLITS, WAYS, main

if TYPE_CHECKING:
    from pathlib import Path

MENU = "<ul><li><a href=/>Home</a><li><a href=/a>About us</a></ul>"


@pytest.fixture
def sets(tmp_path: Path) -> tuple[Path, Path]:
    """Twelve development pages and nine final ones: one is also a development page, and one has no truth."""
    rows = []
    for number in range(20):
        story = [f"Sentence {line} of story {number} tells what happened, <b>at length</b>." for line in range(4)]
        html = f"{MENU}<h1>Story {number}</h1>" + "".join(f"<p>{text}</p>" for text in story)
        text = "\n".join([f"Story {number}", *story]).replace("<b>", "").replace("</b>", "")
        rows.append(
            {"id": str(number), "dataset": "cleaneval", "url": f"http://s{number}.example/", "html": html, "text": text}
        )
    rows[19]["text"] = ""
    paths = tmp_path / "dev.jsonl", tmp_path / "final.jsonl"
    for path, part in zip(paths, (rows[:12], [rows[3], *rows[12:]]), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return paths


@pytest.mark.slow
def test_the_command(sets: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    development, final = map(str, sets)
    assert main([development, final, "--seeds", "1", "--iterations", "60"]) == 0
    captured = capsys.readouterr()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in captured.out.splitlines()]
    assert [row[:2] for row in rows[2:]] == [[split, way] for split in SPLITS for way in WAYS]
    assert all(float(row[5]) > 90 for row in rows[2:]), "such pages are easy"
    assert "original: 7 pages to learn from, 5 to stop by, 8 to measure" in captured.err
    assert main([development, str(tmp_path / "none.jsonl")]) == 1
    assert "cannot be read" in capsys.readouterr().err
