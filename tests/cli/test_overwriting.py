"""No command overwrites its input."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commanding import ARTICLE

from scrapy_semtext.cli import main

LINE = json.dumps({"id": 1, "html": ARTICLE, "text": "x"}) + "\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a file of pages, with a symbolic and a hard link to it, and a page."""
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text(LINE)
    Path("soft.jsonl").symlink_to("in.jsonl")
    os.link("in.jsonl", "hard.jsonl")
    Path("saved").mkdir()
    Path("saved/page.html").write_text(ARTICLE)


@pytest.mark.parametrize(
    "arguments",
    [
        ["batch", "in.jsonl", "in.jsonl"],
        ["batch", "in.jsonl", "./saved/../in.jsonl", "--restart"],
        ["batch", "in.jsonl", "soft.jsonl"],
        ["batch", "soft.jsonl", "in.jsonl"],
        ["batch", "in.jsonl", "hard.jsonl"],
        ["batch", "saved", "*.jsonl", "in.jsonl"],
        ["batch", "saved", "saved/page.html"],
        ["view", "saved/page.html", "-o", "saved/page.html"],
        ["batch", "saved", "in.jsonl", "--sites", "soft.jsonl"],
        ["view", "in.jsonl", "-o", "saved/page.html", "--bundle", "saved"],
    ],
)
def test_an_output_that_is_an_input_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    assert "is also read, as " in capsys.readouterr().err
    assert Path("in.jsonl").read_text() == LINE
    assert Path("saved/page.html").read_text() == ARTICLE


@pytest.mark.parametrize("name", ["out.csv.part", "out.csv.part.run"])
@pytest.mark.parametrize("more", [[], ["--restart"], ["--resume"]])
def test_what_is_written_beside_an_output_is_not_read(
    name: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    os.link("in.jsonl", name)
    assert main(["batch", name, "out.csv", "--from", "jsonl", *more]) == 1
    assert f"{name} is also read, as {name}; write the result to another file." in capsys.readouterr().err
    assert Path(name).read_text() == LINE
