"""Training from page sets to a bundle, on a site small enough for training in seconds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

import torch
from tiny_training import FAST, NAVIGATION, TINY, write_site

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.labelers.bundle import load_network
from scrapy_semtext.models import config as network_configs
from scrapy_semtext.train import trainer
from scrapy_semtext.train.datasets import TrainingError
from scrapy_semtext.train.network import TrainingJob, train_bundle
from scrapy_semtext.train.trainer import Trainer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.train.corpus import Example

pytestmark = pytest.mark.slow


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrainingJob:
    pytest.importorskip("fasttext")
    monkeypatch.setitem(network_configs.CONFIGS, "tiny", TINY)
    monkeypatch.setitem(trainer.SETTINGS, "tiny", FAST)
    data = tmp_path / "site.jsonl"
    write_site(data)
    return TrainingJob(data=(data,), out=tmp_path / "bundle", work=tmp_path / "work", config="tiny", seed=3)


def test_a_trained_bundle_tells_the_article_from_the_menu(job: TrainingJob) -> None:
    record = train_bundle(job, progress=False)
    page = Extractor.load(job.out).read(
        f"{NAVIGATION}<main><p>A new story tells what happened here, at length.</p></main><footer>Copyright</footer>"
    )
    assert page.main_text == "A new story tells what happened here, at length."
    assert [block.label for block in page.blocks] == ["boilerplate", "main", "boilerplate"]
    assert record["seed"] == 3
    assert record["pages"]["training"]["wcxb_dev"] > record["pages"]["validation"]["wcxb_dev"] > 0
    assert max(epoch["viterbi"] for epoch in record["history"]) > 0.9


def test_an_interrupted_training_goes_on_where_it_was(job: TrainingJob, tmp_path: Path) -> None:
    whole = train_bundle(job, progress=False)
    cut = replace(job, out=tmp_path / "again", work=tmp_path / "interrupted")
    (tmp_path / "interrupted").mkdir()
    (job.work / "vectors").rename(cut.work / "vectors")  # fastText's threads make every training of vectors differ

    class StoppedError(Exception):
        """Raised in the middle of the training."""

    class ShortTrainer(Trainer):
        def epoch(self, training: Sequence[Example], *, progress: bool) -> float:
            if self.progress.epoch == 3:
                raise StoppedError
            return super().epoch(training, progress=progress)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrapy_semtext.train.network.Trainer", ShortTrainer)
        with pytest.raises(StoppedError):
            train_bundle(cut, progress=False)
    again = train_bundle(cut, progress=False)
    assert again["history"] == whole["history"]
    one, other = (load_network(folder).state_dict() for folder in (job.out, cut.out))
    for name, tensor in one.items():
        torch.testing.assert_close(other[name], tensor)


def test_another_training_does_not_go_on_from_a_checkpoint_that_is_not_its_own(job: TrainingJob) -> None:
    train_bundle(replace(job, epochs=1), progress=False)
    with pytest.raises(TrainingError, match="holds a training that differs in seed"):
        train_bundle(replace(job, epochs=1, seed=4), progress=False)


def test_the_paper_s_own_loss_and_optimizer_train_too(job: TrainingJob, monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(network_configs.PAPER, name="tiny", dim=8, filters=(8, 8, 8), hidden=12, max_blocks=3)
    monkeypatch.setitem(network_configs.CONFIGS, "tiny", small)
    paper = replace(trainer.SETTINGS["paper"], epochs=8, vector_epochs=1, vector_words=500, vector_buckets=200)
    monkeypatch.setitem(trainer.SETTINGS, "tiny", replace(paper, batch_pages=8))
    history = train_bundle(job, progress=False)["history"]
    assert history[-1]["loss"] < history[0]["loss"]
