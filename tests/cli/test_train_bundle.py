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

TRAINED = {
    "labels": "network.train_bundle",
    "kinds": "kinds.train_kinds",
    "pairs": "pairs.train_pairs",
    "structure": "structure.train_structure",
    "sections": "sections.train_sections",
    "records": "records.train_records",
}


def test_the_parts_are_trained_in_order(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    made: list[tuple[str, Any]] = []

    def watch(name: str) -> None:
        def train(job: Any, *_: Any, progress: bool) -> dict[str, Any]:
            made.append((name, job))
            if name == "pairs":
                raise TrainingError("There is no page with the pairs of a FAQ.")
            return {"progress": progress}

        monkeypatch.setattr(f"scrapy_semtext.train.{TRAINED[name]}", train)

    for name in TRAINED:
        watch(name)
    options = ["--out", "b", "--work", "w", "--test-fold", "2", "--any-licence"]
    assert main(["dev", "train", "bundle", "x.jsonl", *options]) == 0
    assert [name for name, _ in made] == list(TRAINED)
    assert {(job.out, job.data, job.test_fold, job.any_licence) for _, job in made} == {
        (Path("b"), (Path("x.jsonl"),), 2, True)
    }
    shown = capsys.readouterr()
    assert list(json.loads(shown.out)) == list(TRAINED)
    assert json.loads(shown.out)["pairs"] == {"left_out": "There is no page with the pairs of a FAQ."}
    assert "pairs left out: There is no page" in shown.err
