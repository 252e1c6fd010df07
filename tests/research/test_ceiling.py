from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from research.ceiling import ceiling, main, oracle_text

if TYPE_CHECKING:
    from pathlib import Path

ARTICLE = """<html><body><nav><ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li></ul></nav>
<article><h1>A bridge reopens</h1><p>After two years of work the bridge over the river is open again.</p>
<p>Buses use it from Monday on, cars have to wait until the end of the month.</p></article>
<footer><p>Copyright of the paper, all rights reserved</p></footer></body></html>"""
TRUTH = """A bridge reopens
After two years of work the bridge over the river is open again.
Buses use it from Monday on, cars have to wait until the end of the month."""


def write(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(json.dumps({"id": str(n), **row}) for n, row in enumerate(rows)), encoding="utf-8")
    return path


def test_what_is_not_in_the_page_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = {"html": "<div id=app></div><script>load()</script>", "text": TRUTH, "page_type": "forum"}
    half = {"html": ARTICLE, "text": TRUTH + "\n" + "brought later by script " * 3}
    result = ceiling([write(tmp_path, script, half)])
    assert result["forum"]["f1"] == result["forum"]["present"] == 0
    assert result["untyped"]["precision"] == 1
    assert 0.6 < result["untyped"]["recall"] == result["untyped"]["present"] < 1
    assert result["all"]["f1"] == pytest.approx(result["untyped"]["f1"] / 2)
    assert result["all"]["pages"] == 2
    assert "2 pages" in capsys.readouterr().err


def test_only_true_blocks_are_in_the_text_of_perfect_labels() -> None:
    blocks = TRUTH.splitlines()
    assert oracle_text(["Home", *blocks], f"{blocks[0]}\n{blocks[2]}") == f"{blocks[0]}\n{blocks[2]}"


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, {"html": ARTICLE, "text": TRUTH})
    assert main([str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["pages", "precision", "recall", "f1", "present"]
    assert lines[1].split() == ["all", "1", "100.0", "100.0", "100.0", "100.0"]
    assert main([str(tmp_path / "missing.jsonl")]) == 1
    assert "missing.jsonl" in capsys.readouterr().err
