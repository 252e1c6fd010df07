"""``semtext dev train``: labels from a bundle, and all parts of a bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_training import write_site, write_untrained_bundle

from scrapy_semtext.cli import main
from scrapy_semtext.train.datasets import TrainingError

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


TRAINED = ["labels", "kinds", "pairs", "structure", "sections", "records"]


def test_the_parts_are_trained_in_order(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    made: list[tuple[str, Any]] = []

    def train_bundle(job: Any, *, progress: bool) -> dict[str, Any]:
        made.append(("labels", job))
        return {"progress": progress}

    def train(head: Any, job: Any) -> dict[str, Any]:
        made.append((head.files.name, job))
        if head.files.name == "pairs":
            raise TrainingError("There is no page with the pairs of a FAQ.")
        return {}

    monkeypatch.setattr("scrapy_semtext.train.network.train_bundle", train_bundle)
    monkeypatch.setattr("scrapy_semtext.train.fit.train", train)
    options = ["--out", "b", "--work", "w", "--test-fold", "2", "--any-licence"]
    assert main(["dev", "train", "bundle", "x.jsonl", *options]) == 0
    assert [name for name, _ in made] == TRAINED
    assert {(job.out, job.data, job.test_fold, job.any_licence) for _, job in made} == {
        (Path("b"), (Path("x.jsonl"),), 2, True)
    }
    shown = capsys.readouterr()
    assert list(json.loads(shown.out)) == TRAINED
    assert json.loads(shown.out)["pairs"] == {"left_out": "There is no page with the pairs of a FAQ."}
    assert "pairs left out: There is no page" in shown.err
