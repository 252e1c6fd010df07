"""Web2Text's networks, its weights on disk, and its training on a site small enough to be learned in seconds."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from gate.quality import read_sample
from tiny_training import NAVIGATION, write_site

from scrapy_semtext.cli import main
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED, BundleError
from scrapy_semtext.labelers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, Feature, page_features
from scrapy_semtext.labelers.web2text.labeler import FILTERS, KERNELS, PotentialNetwork, marginals, viterbi
from scrapy_semtext.labelers.web2text.weights_files import load_web2text, read_web2text_manifest
from scrapy_semtext.training.datasets import may_ship, read_pages
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.run import TrainingJob
from scrapy_semtext.training.web2text import Web2TextSettings, train_web2text

if TYPE_CHECKING:
    from pathlib import Path

FAST = Web2TextSettings(iterations=150, validation_interval=50)


@pytest.mark.parametrize(("features", "classes", "weights"), [(128, 2, 17_960), (25, 4, 12_870)])
def test_the_networks_have_the_paper_s_parameters(features: int, classes: int, weights: int) -> None:
    network = PotentialNetwork(features, classes)
    assert sum(p.numel() for p in network.parameters() if p.dim() > 1) == weights
    assert network.dropout.p == 0.2


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_potentials_are_convolutions_over_zero_padded_blocks(blocks: int) -> None:
    torch.manual_seed(blocks)
    network = PotentialNetwork(6, 2).eval()
    rows = torch.randn(blocks, 6)
    x = rows
    for number, (layer, width) in enumerate(zip(network.convolutions, KERNELS, strict=True)):
        assert isinstance(layer, torch.nn.Conv1d)
        assert layer.bias is not None
        padded = torch.cat([torch.zeros(width // 2, x.shape[1]), x, torch.zeros(width // 2, x.shape[1])])
        with torch.no_grad():
            x = torch.stack(
                [
                    (layer.weight * padded[block : block + width].T).sum((1, 2)) + layer.bias  # (filters, in, width)
                    for block in range(blocks)
                ]
            )
        if number < len(FILTERS):
            x = x.relu()
    torch.testing.assert_close(network(rows[None])[0].detach(), x)


def test_features_are_standardized_and_what_is_missing_is_0() -> None:
    network = PotentialNetwork(3, 2)
    features = [Feature("plain"), Feature("binary", binary=True), Feature("constant")]
    rows = np.array([[1, 1, 7], [3, 0, 7], [np.nan, 1, 7]], dtype=np.float32)
    network.set_standard(rows, features)
    got = network.standardized(torch.from_numpy(rows)).tolist()
    assert got == [[-1, 1, 0], [1, 0, 0], [0, 1, 0]]


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


def test_scores_come_from_the_normalized_potentials_by_the_paper_s_influence() -> None:
    labeler = load_web2text(device="cpu")
    page = page_features(
        describe(f"{NAVIGATION}<main><h1>One</h1><p>Two words.</p></main><footer>Three</footer>", None)
    )
    networks = labeler.networks
    with torch.inference_mode():
        unary = networks.unary(networks.unary.standardized(torch.from_numpy(page.blocks))[None])[0].softmax(1)
        edges = networks.pairwise(networks.pairwise.standardized(torch.from_numpy(page.edges))[None])[0].softmax(1)
    assert unary.sum(1).tolist() == pytest.approx([1] * len(page.blocks))
    logs = unary.log().double().numpy(), edges.log().double().numpy().reshape(-1, 2, 2)
    scores = labeler.score_features(page)
    np.testing.assert_allclose(scores.probabilities, marginals(*logs, 0.1), atol=1e-5)
    assert (scores.viterbi == viterbi(*logs, 0.1)).all()


def test_the_shipped_weights_are_small_and_say_what_they_learned_from() -> None:
    size = sum((SHIPPED / name).stat().st_size for name in ("web2text.json", "web2text.safetensors"))
    assert size < 1_000_000
    training = read_web2text_manifest().training
    assert not training["any_licence"]
    assert training["split"]["test_share"] == 0.2
    assert training["settings"]["iterations"] == 5000


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


def test_broken_files_give_a_clear_error(bundle: Path) -> None:
    weights = bundle / "web2text.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(BundleError, match=r"not the file that web2text.json describes"):
        load_web2text(bundle)
    weights.unlink()
    with pytest.raises(BundleError, match="cannot be read"):
        load_web2text(bundle)
    (bundle / "web2text.json").write_text("{", encoding="utf-8")
    with pytest.raises(BundleError, match=r"web2text in .* cannot be read"):
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


def test_pages_whose_licence_forbids_it_are_left_out(job: TrainingJob) -> None:
    lines = job.data[0].read_text(encoding="utf-8").replace('"wcxb_dev"', '"l3s_gn1"')
    job.data[0].write_text(lines, encoding="utf-8")
    assert not any(may_ship(page) for page in read_pages(job.data[0]))
    with pytest.raises(TrainingError, match=r"no pages to learn from .* \(--any-licence takes them\)"):
        train_web2text(job, FAST, progress=False)


@pytest.mark.slow
def test_the_command(job: TrainingJob, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_semtext.training.web2text.Web2TextSettings", lambda: FAST)
    data, out = str(job.data[0]), str(job.out)
    assert main(["dev", "train", data, "--labeler", "web2text", "--out", out, "--seed", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["iterations"] == 150
    assert read_web2text_manifest(job.out).training["seed"] == 3
    assert main(["dev", "train", data, "--labeler", "web2text", "--out", out, "--config", "paper"]) == 1
    assert "not of web2text" in capsys.readouterr().err
    assert main(["dev", "train", data, "--out", out]) == 1
    assert "--work is missing" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["dev", "evaluate", data, "--labeler", "web2text", "--bundle", out]) == 0
    assert capsys.readouterr().out.split()[:2] == ["pages", "precision"]


def test_block_and_edge_features_fit_the_networks() -> None:
    networks = load_web2text(device="cpu").networks
    assert networks.unary.mean.shape == (len(BLOCK_FEATURES),)
    assert networks.pairwise.mean.shape == (len(EDGE_FEATURES),)
    binary = torch.tensor([feature.binary for feature in BLOCK_FEATURES])
    assert (networks.unary.mean[binary] == 0).all()
    assert (networks.unary.scale[binary] == 1).all()


def test_a_bundle_of_its_own_has_pairs_too(bundle: Path) -> None:
    extractor = Extractor.load(bundle, device="cpu", labeler="web2text")
    assert extractor.decision == read_web2text_manifest(bundle).decision
    assert extractor.read("<p>Text").main_text == "Text"
