"""The pair models on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.read.posts import load_pair_models, save_pair_models

if TYPE_CHECKING:
    from pathlib import Path


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


def test_the_shipped_models_are_small_and_trained_on_what_may_ship() -> None:
    assert sum((SHIPPED / name).stat().st_size for name in ("pairs.json", "pairs.safetensors")) < 2_000_000
    assert load_pair_models().training["any_licence"] is False
