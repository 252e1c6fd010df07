"""Further training of a bundle, on a site small enough for training in seconds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from commanding import LongBlocks
from labeled_shop import shop_pages

pytest.importorskip("torch")

import torch
from tiny_training import FAST, NAVIGATION, write_site, write_untrained_bundle

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.labelers.bundle import load_network, read_manifest
from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.train import trainer
from scrapy_semtext.train.datasets import TrainingError
from scrapy_semtext.train.network import ContinuedJob, continue_training

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.slow


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ContinuedJob:
    """Twelve pages of twelve domains, which an untrained network learns in a few epochs."""
    monkeypatch.setitem(trainer.SETTINGS, "tiny", replace(FAST, learning_rate=4e-2))
    write_untrained_bundle(tmp_path / "start")
    write_site(tmp_path / "site.jsonl", pages=12)
    data = (tmp_path / "site.jsonl",)
    return ContinuedJob(data, out=tmp_path / "out", work=tmp_path / "work", start=tmp_path / "start", epochs=3)


def assert_same_network(one: Path, other: Path) -> None:
    weights = load_network(other).state_dict()
    for name, tensor in load_network(one).state_dict().items():
        torch.testing.assert_close(weights[name], tensor, rtol=0, atol=0)


def test_without_epochs_the_result_is_the_start(job: ContinuedJob) -> None:
    record = continue_training(replace(job, epochs=0), progress=False)
    assert_same_network(job.out, job.start)
    start, own = read_manifest(job.start), read_manifest(job.out)
    assert (own.network, own.decision, own.temperature) == (start.network, "viterbi", start.temperature)
    assert record["best_epoch"] == 0
    assert record["history"] == [{"epoch": 0, "viterbi": record["start_word_f1"]}]
    assert record["validation_word_f1"] == record["start_word_f1"]
    assert record["from"]["date"] == "2026-01-02"
    assert {path.name for path in job.out.iterdir()} == {path.name for path in job.start.iterdir()}
    for name in ("structure.json", "structure.safetensors", "pairs.safetensors", "vectors.safetensors"):
        assert (job.out / name).read_bytes() == (job.start / name).read_bytes()
    assert Extractor.load(job.out).read("<p>A page of the site, read by all of these models.</p>").blocks


def test_pages_that_state_a_closed_licence_are_left_out(job: ContinuedJob) -> None:
    (data,) = job.data
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    rows[0]["licence"], rows[1]["licence"] = "all rights reserved", "CC BY 4.0"
    data.write_text("\n".join(map(json.dumps, rows)))
    record = continue_training(replace(job, epochs=0), progress=False)
    assert sum(map(sum, (part.values() for part in record["pages"].values()))) == len(rows) - 1
    everything = continue_training(replace(job, epochs=0, any_licence=True, work=job.work / "other"), progress=False)
    assert sum(map(sum, (part.values() for part in everything["pages"].values()))) == len(rows)


def test_the_pages_are_learnt_and_a_perfect_start_is_kept(job: ContinuedJob, tmp_path: Path) -> None:
    record = continue_training(replace(job, epochs=20), progress=False)
    assert record["validation_word_f1"] > record["start_word_f1"]
    assert record["validation_word_f1"] == 1.0
    page = Extractor.load(job.out, options=Options(labeler="network")).read(
        f"{NAVIGATION}<main><p>A new story tells what happened here, at length.</p></main><footer>Copyright</footer>"
    )
    assert page.main_text == "A new story tells what happened here, at length."
    again = replace(job, start=job.out, out=tmp_path / "again", work=tmp_path / "again-work")
    record = continue_training(again, progress=False)
    assert (record["best_epoch"], len(record["history"])) == (0, 4)
    assert_same_network(again.out, again.start)


def test_labeled_pages_are_learnt_from(job: ContinuedJob, tmp_path: Path) -> None:
    pages = shop_pages(Extractor(LongBlocks(), "viterbi"), 6)
    pages[0].done = False
    for number, page in enumerate(pages):
        page.id = None if number % 2 else 1
    labels = tmp_path / "labels.jsonl"
    labels.write_text("\n".join(page.to_json() for page in pages), encoding="utf-8")
    record = continue_training(replace(job, data=(labels,), epochs=0), progress=False)
    assert record["pages"] == {"training": {"labels": 4}, "validation": {"labels": 1}}
    assert record["left_out"] == {"not marked as done": 1}


def test_a_work_folder_of_another_start_is_refused(job: ContinuedJob, tmp_path: Path) -> None:
    continue_training(replace(job, epochs=0), progress=False)
    path = job.start / "bundle.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"temperature": 2.0}), encoding="utf-8")
    with pytest.raises(TrainingError, match="holds a training that differs in start"):
        continue_training(replace(job, epochs=0), progress=False)


def test_the_start_is_not_overwritten(job: ContinuedJob) -> None:
    with pytest.raises(TrainingError, match="is the bundle to start from"):
        continue_training(replace(job, out=SHIPPED, start=SHIPPED), progress=False)
