"""The pair models on disk."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.inference.storage import SHIPPED, BundleError
from scrapy_semtext.qa.pair_models import load_pair_models, save_pair_models

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("pairs.json", "pairs.safetensors"):
        shutil.copy(SHIPPED / name, tmp_path)
    return tmp_path


def test_models_are_the_same_after_saving(tmp_path: Path) -> None:
    shipped = load_pair_models()
    save_pair_models(tmp_path, shipped)
    again = load_pair_models(tmp_path)
    rows = np.random.default_rng(0).normal(size=(20, shipped.faq.columns)).astype(np.float32)
    assert np.array_equal(again.faq.scores(rows), shipped.faq.scores(rows))
    assert again.posts.search_from == shipped.posts.search_from
    assert again.training == shipped.training


def test_a_bundle_without_pair_models_is_used_with_those_that_ship(tmp_path: Path) -> None:
    assert load_pair_models(tmp_path).training == load_pair_models().training


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "does not describe"),
        ({"format": "something else"}, "does not describe"),
        ({"sha256": "0"}, "is not the file"),
        ({"search_from": None}, "is broken"),
    ],
)
def test_foreign_and_broken_descriptions_are_named(folder: Path, change: dict[str, object], message: str) -> None:
    description = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
    (folder / "pairs.json").write_text(json.dumps(description | change), encoding="utf-8")
    with pytest.raises(BundleError, match=message):
        load_pair_models(folder)


def test_a_file_cut_short_is_named(folder: Path) -> None:
    data = (folder / "pairs.safetensors").read_bytes()
    (folder / "pairs.safetensors").write_bytes(data[:-10])
    with pytest.raises(BundleError, match="is not the file"):
        load_pair_models(folder)


def test_no_json_is_named(folder: Path) -> None:
    (folder / "pairs.json").write_text("{", encoding="utf-8")
    with pytest.raises(BundleError, match="cannot be read"):
        load_pair_models(folder)


def test_the_shipped_models_are_small_and_trained_on_what_may_ship() -> None:
    assert sum((SHIPPED / name).stat().st_size for name in ("pairs.json", "pairs.safetensors")) < 2_000_000
    assert load_pair_models().training["any_licence"] is False
