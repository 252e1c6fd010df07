"""``semtext dev train bundle``: the order of the parts, and parts that the data is not suitable for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fasttext")
pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from scrapy_semtext.cli import main
from scrapy_semtext.train.datasets import TrainingError

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
