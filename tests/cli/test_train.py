"""``semtext dev train labels``: from a bundle, and with options that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_training import write_site, write_untrained_bundle

from scrapy_semtext.cli import main

pytest.importorskip("torch")
pytest.importorskip("fasttext")
pytest.importorskip("lightgbm")


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    data = tmp_path / "site.jsonl"
    write_site(data, pages=5)
    folders = [f"--{name}={tmp_path / name}" for name in ("out", "work")]
    return ["dev", "train", "labels", str(data), *folders]


@pytest.mark.slow
def test_scores_before_and_after_are_printed(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_untrained_bundle(tmp_path / "start")
    assert main([*command, "--from", str(tmp_path / "start"), "--epochs", "0"]) == 0
    out, err = capsys.readouterr()
    record = json.loads(out)
    score = f"{record['start_word_f1']:.4f}"
    assert f"word F1 {score} -> {score} on 1 validation page (no epoch was better than the initial network" in err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--from", "nowhere"], "The bundle in nowhere cannot be read"),
        (["--from", "shipped", "--config", "paper"], "--config cannot be used with --from"),
        (["--from", "shipped", "--labeler", "web2text"], "--from are options of the labeler semtext"),
    ],
)
def test_unusable_options_are_said_in_a_line(
    command: list[str], options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *options]) == 1
    assert problem in capsys.readouterr().err
