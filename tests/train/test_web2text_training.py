"""Web2Text's networks, its weights on disk, and its training on a site small enough for training in seconds."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

from gate.quality import read_sample
from tiny_training import NAVIGATION, write_site

from scrapy_semtext.cli import main
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.features.table import describe
from scrapy_semtext.labelers.web2text import load_web2text, read_web2text_manifest
from scrapy_semtext.models.storage import SHIPPED, BundleError
from scrapy_semtext.train.network import TrainingJob
from scrapy_semtext.train.web2text import Web2TextSettings, train_web2text

if TYPE_CHECKING:
    from pathlib import Path

FAST = Web2TextSettings(iterations=150, validation_interval=50)


@pytest.mark.slow
def test_the_shipped_weights_label_real_pages() -> None:
    labeler = load_web2text(device="cpu")
    rows = []
    for page in list(read_sample())[:8]:
        described = describe(page.html, page.url)
        (scores,) = labeler.score([described])
        assert scores.probabilities.shape == scores.viterbi.shape == (len(described.text_blocks),)
        rows += [*zip(scores.probabilities, scores.viterbi, strict=True)]
    probabilities, labels = map(np.array, zip(*rows, strict=True))
    assert 0 <= probabilities.min() < 0.1 < 0.9 < probabilities.max() <= 1
    assert ((probabilities > 0.5) == labels).mean() > 0.95, "the chain's marginals go with its best labels"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name in ("web2text.json", "web2text.safetensors"):
        shutil.copy(SHIPPED / name, tmp_path)
    return tmp_path


def change(bundle: Path, key: str, value: object) -> None:
    path = bundle / "web2text.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {key: value}), encoding="utf-8")


def test_a_folder_without_weights_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"cannot be read.*web2text.json.*dev train labels --labeler web2text"):
        load_web2text(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "other", "does not describe scrapy-semtext web2text"),
        ("version", 99, "of version 1"),
        ("features", {}, "trained on other features"),
        ("decision", "guess", "no decision"),
        ("sha256", "0", "not the file that web2text.json describes"),
    ],
)
def test_foreign_weights_give_a_clear_error(bundle: Path, key: str, value: object, message: str) -> None:
    change(bundle, key, value)
    with pytest.raises(BundleError, match=message):
        load_web2text(bundle)


@pytest.fixture
def job(tmp_path: Path) -> TrainingJob:
    write_site(tmp_path / "site.jsonl")
    return TrainingJob(data=(tmp_path / "site.jsonl",), out=tmp_path / "bundle", work=tmp_path / "bundle", seed=3)


@pytest.mark.slow
def test_a_training_tells_the_article_from_the_menu(job: TrainingJob) -> None:
    record = train_web2text(job, FAST, progress=False)
    story = "<p>Here a new story of another site tells what happened, at length.</p>" * 3
    body = f"{story}<div class=x>It goes on to tell what happened next, at length.</div>"
    page = f"{NAVIGATION}<main>{body}</main><footer>Copyright, terms, contact</footer>"
    (scores,) = load_web2text(job.out, device="cpu").score([describe(page, None)])
    assert scores.viterbi.tolist() == [False, True, True, False]
    assert record["history"]["unary"][-1] < record["history"]["unary"][0]
    assert record["validation_word_f1"]["viterbi"] > 0.9
    assert record["pages"]["training"]["wcxb_dev"] > record["pages"]["validation"]["wcxb_dev"] > 0
    assert read_web2text_manifest(job.out).training == record
    again = train_web2text(job, FAST, progress=False)
    assert again["history"] == record["history"], "the seed decides"


@pytest.mark.slow
def test_the_command(job: TrainingJob, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_semtext.train.web2text.Web2TextSettings", lambda: FAST)
    data, out = str(job.data[0]), str(job.out)
    assert main(["dev", "train", "labels", data, "--labeler", "web2text", "--out", out, "--seed", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["iterations"] == 150
    assert read_web2text_manifest(job.out).training["seed"] == 3
    assert main(["dev", "train", "labels", data, "--labeler", "web2text", "--out", out, "--config", "paper"]) == 1
    assert "not of web2text" in capsys.readouterr().err
    assert main(["dev", "train", "labels", data, "--out", out]) == 1
    assert "--work is missing" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["dev", "evaluate", data, "--labeler", "web2text", "--bundle", out]) == 0
    assert capsys.readouterr().out.split()[:2] == ["pages", "precision"]


def test_a_bundle_of_its_own_has_pairs_too(bundle: Path) -> None:
    extractor = Extractor.load(bundle, device="cpu", labeler="web2text")
    assert extractor.decision == read_web2text_manifest(bundle).decision
    assert extractor.read("<p>Text").main_text == "Text"
